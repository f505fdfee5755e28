// Package reporttest makes runs for the tests of reports: results, learning
// curves, and folders as a grid writes them.
package reporttest

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/store"
)

// Result returns the result of a run of the MNIST block.
func Result(loss, noise string, level float64, seed uint64, selected, last float64) store.Result {
	return ResultOf("mnist", "mlp", loss, noise, level, seed, selected, last)
}

// ResultOf returns the result of a run of a data set and network with preset code.
func ResultOf(dataset, model, loss, noise string, level float64, seed uint64, selected, last float64) store.Result {
	r := store.Result{Schema: 1, ID: fmt.Sprint(loss, noise, level, seed), State: "done", Finished: "2026-01-02T03:04:05Z"}
	r.Config, _ = config.Config{Dataset: dataset, Model: model, Preset: "code"}.Defaults() // exists for the paper's pairs
	r.Config.Loss, r.Config.Seed, r.Config.Noise.Kind, r.Config.Noise.Level = loss, seed, noise, level
	r.Selected.TestAccuracy, r.Last.TestAccuracy = selected, last
	r.Selected.Epoch, r.Last.Epoch = r.Config.Epochs, r.Config.Epochs
	return r
}

// Block returns the results of a small grid: three losses, two noises, three seeds.
func Block() []store.Result {
	var results []store.Result
	for seed := range uint64(3) {
		d := .1 * (float64(seed) - 1)
		results = append(results,
			Result("forward", "asymmetric", .6, seed, 97.3+d, 97.1+d),
			Result("cross-entropy", "asymmetric", .6, seed, 53.5+10*d, 57+10*d),
			Result("forward-estimated", "asymmetric", .6, seed, 70+30*d, 66+30*d),
			Result("forward", "none", 0, seed, 97.9+d, 97.9+d),
			Result("cross-entropy", "none", 0, seed, 97.9+d, 98.0+d),
		)
	}
	return results
}

// Matrices returns a T of ten classes and an estimate of it.
func Matrices() *store.TransitionInfo {
	t := &store.TransitionInfo{Classes: strings.Split("0123456789", ""), EstimateError: .12}
	rng := rand.New(rand.NewPCG(7, 7))
	to := [...]int{0, 1, 7, 8, 4, 6, 5, 1, 8, 9} // the label given to three fifths of each class
	for i := range 10 {
		nominal, estimated := make([]float64, 10), make([]float64, 10)
		nominal[i] += .4
		nominal[to[i]] += .6
		for j := range estimated {
			estimated[j] = nominal[j] + .01*rng.ExpFloat64()
		}
		floats.Scale(1/floats.Sum(estimated), estimated)
		t.Nominal, t.Estimated = append(t.Nominal, nominal), append(t.Estimated, estimated)
	}
	return t
}

// Folders writes the runs of Block as a grid does, with one diverged, one failed
// and one unfinished run.
func Folders(t *testing.T, change func(*store.Result)) string {
	t.Helper()
	root := t.TempDir()
	for k, r := range Block() {
		r.Seconds = 36
		if r.Config.Loss == "forward-estimated" {
			r.Transition = Matrices()
			r.Warnings = []string{"the diagonal of the estimate is below 0.5 for 5 (0.20)"}
		}
		if k == 0 {
			r.State = store.Diverged
		}
		change(&r)
		metrics := "{\"epoch\":1,\"train_loss\":\"NaN\",\"test_accuracy\":50}\n"
		for e := 2; e <= 100; e++ {
			metrics += fmt.Sprintf("{\"epoch\":%d,\"train_loss\":%g,\"val_accuracy\":60,\"test_accuracy\":%g}\n", e,
				1/float64(e), 50+float64(e)/3)
		}
		dir := filepath.Join(root, fmt.Sprintf("%012d", k))
		PutJSON(t, filepath.Join(dir, "result.json"), r)
		Put(t, filepath.Join(dir, "metrics.jsonl"), metrics)
		PutJSON(t, filepath.Join(dir, "env.json"), store.Environment{
			Schema: 1, Program: "1.2.3", Libtorch: map[string]string{"version": "2.11.0"}, CPU: store.CPU{Model: "Test <CPU>"},
		})
	}
	PutJSON(t, filepath.Join(root, "f00000000001", "status.json"), store.Status{Schema: 1, State: store.Failed, Epoch: 3,
		Epochs: 40, Error: "no space <left>", Log: []string{"epoch 3: <b>"}})
	PutJSON(t, filepath.Join(root, "f00000000002", "status.json"), store.Status{Schema: 1, State: store.Stopped, Epoch: 7,
		Epochs: 40, Seconds: 3600})
	return root
}

// PutJSON writes a value as a JSON file.
func PutJSON(t *testing.T, path string, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	expect.OK(t, err)
	Put(t, path, string(text))
}

// Put writes a file and its folder.
func Put(t *testing.T, path, text string) {
	t.Helper()
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	expect.OK(t, os.WriteFile(path, []byte(text), 0o644))
}

// Written returns what a function writes.
func Written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b strings.Builder
	expect.OK(t, write(&b))
	return b.String()
}
