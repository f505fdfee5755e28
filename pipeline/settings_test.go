package pipeline_test

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
	"github.com/losscorr/losscorr/training"
)

// A loss that gets T mixed with the identity is the loss of the mixed T.
func TestTransitionMix(t *testing.T) {
	torchtest.Open(t)
	path := clusters(t, 120)
	matrix := func(text string) string {
		file := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(file, []byte("true,c0,c1,c2\n"+text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	t1 := matrix("c0,.6,.4,0\nc1,0,.6,.4\nc2,.4,0,.6\n")
	mixed := matrix("c0,.7,.3,0\nc1,0,.7,.3\nc2,.3,0,.7\n")
	losses, conditions := map[string]float64{}, map[string]float64{}
	for name, settings := range map[string][]string{
		"T": {"transition=" + t1}, "mixed": {"transition=" + mixed}, "by the setting": {"transition=" + t1, "transition_mix=.25"},
	} {
		c := ownRun(t, path, append(settings, "loss=forward", "epochs=3")...)
		result, folder, err := execute(t, c)
		if err != nil {
			t.Fatal(err)
		}
		var env store.Environment
		if text, err := os.ReadFile(folder.Path(store.EnvironmentFile)); err != nil || json.Unmarshal(text, &env) != nil {
			t.Fatal(err)
		}
		if sum, err := files.SHA256(c.Transition); err != nil || env.Inputs["transition"] != sum {
			t.Errorf("env.json has the hash %q of T, want %q (%v)", env.Inputs["transition"], sum, err)
		}
		losses[name], conditions[name] = result.Last.ValLoss, result.Transition.Condition
	}
	if conditions["by the setting"] != conditions["mixed"] || conditions["mixed"] == conditions["T"] {
		t.Errorf("condition numbers %v: want that of the mixed T by the setting", conditions)
	}
	if losses["by the setting"] != losses["mixed"] || losses["mixed"] == losses["T"] {
		t.Errorf("validation losses %v: want that of the mixed T by the setting", losses)
	}
	if ce, mix := ownRun(t, path), ownRun(t, path, "transition_mix=.25"); ce.ID() != mix.ID() {
		t.Error("cross-entropy, which has no T, has another ID with transition_mix")
	}
}

// The test examples join those from which T-hat is read, and the norm before unhinged can
// be left out.
func TestSampleAndNorm(t *testing.T) {
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

	for norm, want := range map[string]bool{"": true, "output_norm=none": false} {
		_, folder, err := execute(t, ownRun(t, path, append([]string{"loss=unhinged", "epochs=1"}, strings.Fields(norm)...)...))
		if err != nil {
			t.Fatal(err)
		}
		torch.Scope(func() {
			weights, _, err := torch.LoadSafetensors(folder.Path(store.CheckpointsDir, training.BestFile))
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.ContainsFunc(slices.Collect(maps.Keys(weights)), func(name string) bool { return strings.HasPrefix(name, "norm.") }); got != want {
				t.Errorf("%q: the network ends in a norm: %v, want %v", norm, got, want)
			}
		})
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
