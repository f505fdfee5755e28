package run

import (
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// T-hat can also be estimated from the test examples.
func TestSample(t *testing.T) {
	torchtest.Open(t)
	path := clusters(t, 240)
	// Test examples lie elsewhere, where the network is more certain.
	const far = "x,y,label,person\n-4000,0,c0,1\n9000,0,c2,2\n1000,0,c1,3\n"
	test := filepath.Join(configtest.Write(t, map[string]string{"test.csv": far}), "test.csv")
	estimated := map[string][][]float64{}
	for _, sample := range []string{"training", "all"} {
		estimator := "estimator={name: argmax, quantile: 0, kappa: 0, average: 0, sample: " + sample + "}"
		_, result := execute(t, ownRun(t, path, "source.test="+test, "epochs=2", estimator))
		estimated[sample] = result.Transition.Estimated
	}
	if reflect.DeepEqual(estimated["training"], estimated["all"]) {
		t.Errorf("T-hat %v is the same with the test examples", estimated["all"])
	}
}

// A loss whose values cannot rank epochs selects the epoch by accuracy.
func TestEpochByAccuracy(t *testing.T) {
	torchtest.Open(t)
	path := clusters(t, 240)
	for loss, want := range map[string]bool{"elr": true, "cross-entropy": false} {
		_, result := execute(t, ownRun(t, path, "loss="+loss, "epochs=3"))
		if e := result.Last; (math.Abs(e.ValLoss-(1-e.ValAccuracy/100)) < 1e-6) != want {
			t.Errorf("%s: validation loss %v at accuracy %v %%", loss, e.ValLoss, e.ValAccuracy)
		}
	}
}
