package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// clusters writes a table of n examples in three linearly separable clusters, with groups of two.
func clusters(t *testing.T, n int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("x,y,label,person\n")
	for i := range n {
		k := i * 7 % 3
		fmt.Fprintf(&b, "%v,%v,c%d,%d\n", 1000*float64(k)+rng.NormFloat64(), .001*rng.NormFloat64(), k, i/2)
	}
	return filepath.Join(configtest.Write(t, map[string]string{"t.csv": b.String()}), "t.csv")
}

func ownRun(t *testing.T, path string, more ...string) config.Config {
	t.Helper()
	text := fmt.Sprintf("dataset: own\nsource: {path: %q, features: [x, y]}\nepochs: 20\nbatch_size: 16\nvalidation: "+
		"{share: .2}\noptimizer: {learning_rate: .02}\n", path)
	return configtest.Load(t, text, more...)[0]
}

func execute(t *testing.T, c config.Config) (*store.Folder, store.Result) {
	t.Helper()
	c.Device = "cpu"
	return finish(t, new(Pipeline), t.TempDir(), c)
}

// A run leaves out its fold and judges it, in the order of the data.
func TestOutOfFold(t *testing.T) {
	torchtest.Open(t)
	path := clusters(t, 240)
	c := ownRun(t, path, "folds={count: 4, out: 3}", "source.group=person")
	d := expect.Got(own.Read(t.Context(), c.Source, dataset.Options{}))(t)
	folder, result := execute(t, c)
	if !math.IsNaN(result.Selected.TestAccuracy) || result.Selected.ValAccuracy < 95 {
		t.Errorf("test accuracy %v without a test set, validation accuracy %v", result.Selected.TestAccuracy,
			result.Selected.ValAccuracy)
	}
	rows := OutOfFold(c, d.Train.Labels, d.Train.Group)
	logits := expect.Got(folder.Logits(len(rows), len(d.Classes)))(t)
	wrong := 0
	for k, row := range rows {
		z := logits[3*k : 3*k+3]
		if slices.Index(z, slices.Max(z)) != d.Train.Labels[row] {
			wrong++
		}
	}
	if wrong > len(rows)/20 { // in another order two thirds would be wrong
		t.Errorf("%d of %d examples are judged wrong", wrong, len(rows))
	}
}

// T of own labels is unknown, unless noise is added to them.
func TestOwnTransition(t *testing.T) {
	torchtest.Open(t)
	path := clusters(t, 120)
	err := new(Pipeline).Preflight(t.Context(), []config.Config{ownRun(t, path, "loss=forward")}, dataset.Options{})
	expect.Fails(t, err, "give T as a CSV file instead (transition)", "forward without T")
	_, result := execute(t, ownRun(t, path, "epochs=2"))
	if tr := result.Transition; tr.Nominal != nil || tr.Estimated == nil || !math.IsNaN(float64(tr.EstimateError)) {
		t.Errorf("without noise the T of own data is %v, its error %v", tr.Nominal, tr.EstimateError)
	}
	_, result = execute(t, ownRun(t, path, "epochs=2", "noise={kind: asymmetric, level: .3}"))
	want := "[[0.7 0.3 0] [0 0.7 0.3] [0.3 0 0.7]]"
	expect.Same(t, want, fmt.Sprint(result.Transition.Nominal), "T of asymmetric noise")
}

// Data that a command has read is not read again, unless the runs use features of it.
func TestHold(t *testing.T) {
	c := ownRun(t, clusters(t, 90))
	d := expect.Got(own.Read(t.Context(), c.Source, dataset.Options{}))(t)
	expect.OK(t, os.Remove(c.Source.Path))
	seen := c
	seen.Source.Backbone = "net.pt2"
	for _, tt := range []struct {
		held config.Config
		ok   bool
	}{{c, true}, {seen, false}} {
		var p Pipeline
		p.Hold(tt.held, d)
		if err := p.Preflight(t.Context(), []config.Config{tt.held}, dataset.Options{Offline: true}); (err == nil) != tt.ok {
			t.Errorf("backbone %q: %v", tt.held.Source.Backbone, err)
		}
	}
}

// A warning reports test examples that are also training examples.
func TestTestExamplesThatAreTrainedOn(t *testing.T) {
	const said = "test examples are also training examples"
	path, other := clusters(t, 120),
		filepath.Join(configtest.Write(t, map[string]string{"o.csv": "x,y,label\n1,2,c0\n1000,3,c1\n2000,4,c2\n"}), "o.csv")
	for test, want := range map[string]string{path: "120 of the 120 " + said, other: ""} {
		_, r := execute(t, ownRun(t, path, "epochs=2", "source.test="+test))
		if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, want) || want == "" && strings.Contains(all, said) {
			t.Errorf("%s: warnings %q, want %q", filepath.Base(test), all, want)
		}
	}
}
