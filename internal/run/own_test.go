package run_test

import (
	"fmt"
	"io"
	"maps"
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
	"github.com/losscorr/losscorr/internal/run"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// clusters writes a table of n examples in three clusters that a line separates, with
// groups of two.
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
	text := fmt.Sprintf("dataset: own\nsource: {path: %q, features: [x, y]}\nepochs: 20\nbatch_size: 16\nvalidation: {share: .2}\noptimizer: {learning_rate: .02}\n", path)
	return configtest.Load(t, text, more...)[0]
}

type quiet struct{}

func (quiet) Resumed(int)         {}
func (quiet) Epoch(metrics.Epoch) {}
func (quiet) Batch(int, int)      {}

func execute(t *testing.T, c config.Config) (result store.Result, folder *store.Folder, err error) {
	t.Helper()
	folder, err = store.Claim(t.TempDir(), c, nil, &store.Watch{}, store.DefaultLeaseTime)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if err := folder.SetEnvironment(store.Environment{}); err != nil {
		t.Fatal(err)
	}
	c.Device = "cpu"
	job := &store.Job{Config: c, Folder: folder, Progress: quiet{}, Log: io.Discard, CheckpointEvery: -1, Warn: func(err error) { t.Error(err) }}
	result, err = new(run.Pipeline).Execute(t.Context(), job)
	return result, folder, err
}

// A run leaves out its part and judges it, in the order of the data.
func TestOutOfFold(t *testing.T) {
	torchtest.Open(t)
	path := clusters(t, 240)
	c := ownRun(t, path, "folds={count: 4, out: 3}", "source.group=person")
	d, err := own.Open(t.Context(), c.Source, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	result, folder, err := execute(t, c)
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(result.Selected.TestAccuracy) || result.Selected.ValAccuracy < 95 {
		t.Errorf("test accuracy %v without a test set, validation accuracy %v", result.Selected.TestAccuracy, result.Selected.ValAccuracy)
	}
	rows := run.OutOfFold(c, d.Train.Labels, d.Train.Group)
	logits, err := folder.Logits(len(rows), len(d.Classes))
	if err != nil {
		t.Fatal(err)
	}
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

// The parts hold each example once, keep groups together and have equal shares of classes.
func TestFolds(t *testing.T) {
	labels, groups := make([]int, 1000), make([]int32, 1000)
	for i := range labels {
		labels[i], groups[i] = min(i%11, 1), int32(i/7)
	}
	c := config.Config{Seed: 3, Folds: config.Folds{Count: 4, Out: 1}}
	for _, groups := range [][]int32{nil, groups} {
		seen := map[int64]int{}
		home := map[int32]int{}
		for out := 1; out <= 4; out++ {
			c.Folds.Out = out
			rows := run.OutOfFold(c, labels, groups)
			rare := 0
			for _, row := range rows {
				seen[row]++
				if labels[row] == 0 {
					rare++
				}
				if groups != nil {
					if first, ok := home[groups[row]]; ok && first != out {
						t.Fatalf("group %d is in parts %d and %d", groups[row], first, out)
					}
					home[groups[row]] = out
				}
			}
			if len(rows) < 240 || len(rows) > 260 || !slices.IsSorted(rows) {
				t.Errorf("part %d has %d of 1000 examples", out, len(rows))
			}
			if groups == nil && (rare < 22 || rare > 23) {
				t.Errorf("part %d has %d of the 91 examples of a class", out, rare)
			}
		}
		if len(seen) != 1000 || slices.Max(slices.Collect(maps.Values(seen))) != 1 {
			t.Errorf("%d examples are judged, or one more than once", len(seen))
		}
	}
	c.Seed = 4
	other := run.Folds(c, labels, nil)
	c.Seed = 3
	if slices.Equal(other, run.Folds(c, labels, nil)) {
		t.Error("the parts do not depend on the seed")
	}
}

// T of own labels is not known, unless noise is put on top of them.
func TestOwnTransition(t *testing.T) {
	torchtest.Open(t)
	path := clusters(t, 120)
	err := new(run.Pipeline).Preflight(t.Context(), []config.Config{ownRun(t, path, "loss=forward")}, dataset.Options{})
	if err == nil || !strings.Contains(err.Error(), "give T as a CSV file instead (transition)") {
		t.Errorf("forward without T: %v", err)
	}
	result, _, err := execute(t, ownRun(t, path, "epochs=2"))
	if err != nil {
		t.Fatal(err)
	}
	if tr := result.Transition; tr.Nominal != nil || tr.Estimated == nil || !math.IsNaN(tr.EstimateError) {
		t.Errorf("without noise the T of own data is %v, its error %v", tr.Nominal, tr.EstimateError)
	}
	result, _, err = execute(t, ownRun(t, path, "epochs=2", "noise={kind: asymmetric, level: .3}"))
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]float64{{.7, .3, 0}, {0, .7, .3}, {.3, 0, .7}}; fmt.Sprint(result.Transition.Nominal) != fmt.Sprint(want) {
		t.Errorf("asymmetric noise has T %v, want %v", result.Transition.Nominal, want)
	}
}

// Data that a command has read is not read again, unless its runs see features of it.
func TestHold(t *testing.T) {
	c := ownRun(t, clusters(t, 90))
	d, err := own.Open(t.Context(), c.Source, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(c.Source.Path); err != nil {
		t.Fatal(err)
	}
	seen := c
	seen.Source.Backbone = "net.pt2"
	for _, tt := range []struct {
		held config.Config
		ok   bool
	}{{c, true}, {seen, false}} {
		var p run.Pipeline
		p.Hold(tt.held, d)
		if err := p.Preflight(t.Context(), []config.Config{tt.held}, dataset.Options{Offline: true}); (err == nil) != tt.ok {
			t.Errorf("backbone %q: %v", tt.held.Source.Backbone, err)
		}
	}
}

func TestTestExamplesThatAreTrainedOn(t *testing.T) {
	const said = "test examples are training examples, too"
	path, other := clusters(t, 120), filepath.Join(configtest.Write(t, map[string]string{"o.csv": "x,y,label\n1,2,c0\n1000,3,c1\n2000,4,c2\n"}), "o.csv")
	for test, want := range map[string]string{path: "120 of the 120 " + said, other: ""} {
		r, _, err := execute(t, ownRun(t, path, "epochs=2", "source.test="+test))
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, want) || want == "" && strings.Contains(all, said) {
			t.Errorf("%s: warnings %q, want %q", filepath.Base(test), all, want)
		}
	}
}
