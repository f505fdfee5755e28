package run_test

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/torch/torchtest"
)

// T-hat is read from the test examples as well.
func TestSample(t *testing.T) {
	torchtest.Open(t)
	path := clusters(t, 240)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Test examples of another place, where the network is surer.
	test := filepath.Join(t.TempDir(), "test.csv")
	far := "x,y,label,person\n-4000,0,c0,1\n9000,0,c2,2\n1000,0,c1,3\n"
	if err := os.WriteFile(test, []byte(strings.SplitN(string(text), "\n", 2)[0]+"\n"+strings.SplitN(far, "\n", 2)[1]), 0o644); err != nil {
		t.Fatal(err)
	}
	estimated := map[string][][]float64{}
	for _, sample := range []string{"training", "all"} {
		result, _, err := execute(t, ownRun(t, path, "source.test="+test, "epochs=2", "estimator={name: argmax, quantile: 0, kappa: 0, average: 0, sample: "+sample+"}"))
		if err != nil {
			t.Fatal(err)
		}
		estimated[sample] = result.Transition.Estimated
	}
	if reflect.DeepEqual(estimated["training"], estimated["all"]) {
		t.Errorf("T-hat %v is the same with the test examples", estimated["all"])
	}
}

// A loss whose values say nothing of an epoch selects it by accuracy.
func TestEpochByAccuracy(t *testing.T) {
	torchtest.Open(t)
	path := clusters(t, 240)
	for loss, want := range map[string]bool{"elr": true, "cross-entropy": false} {
		result, _, err := execute(t, ownRun(t, path, "loss="+loss, "epochs=3"))
		if err != nil {
			t.Fatal(err)
		}
		if e := result.Last; (math.Abs(e.ValLoss-(1-e.ValAccuracy/100)) < 1e-6) != want {
			t.Errorf("%s: validation loss %v at accuracy %v %%", loss, e.ValLoss, e.ValAccuracy)
		}
	}
}
