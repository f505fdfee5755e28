package store_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/training/metrics"
)

// A result that no run leaves is named, and the run counts as unfinished.
func TestImplausibleResult(t *testing.T) {
	f := create(t, t.TempDir(), settings(t)) // 3 epochs
	good := func() store.Result {
		last := metrics.Epoch{Epoch: 3, TrainLoss: -1e300, ValLoss: math.Inf(1), ValAccuracy: 100, TestAccuracy: math.NaN()}
		return store.Result{
			Schema: 1, ID: f.ID, State: store.Done, Config: settings(t), Selected: last, Last: last, Seconds: 1e6,
			CleanAccuracy: &store.CleanAccuracy{Estimate: 90, Low: 0, High: 100},
			Transition:    &store.TransitionInfo{Nominal: [][]float64{{1, 0}, {0, 1}}, Estimated: [][]float64{{.5, .5}, {.25, .75}}},
		}
	}
	if err := f.WriteResult(good()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Result(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		want   string
		change func(*store.Result)
	}{
		{"an accuracy of 1e+308 %", func(r *store.Result) { r.Selected.TestAccuracy = 1e308 }},
		{"an accuracy of -0.5 %", func(r *store.Result) { r.Last.ValAccuracy = -.5 }},
		{"an accuracy of +Inf %", func(r *store.Result) { r.Last.TestAccuracy = math.Inf(1) }},
		{"it has 2 epochs, its configuration 3", func(r *store.Result) { r.Selected.Epoch, r.Last.Epoch = 2, 2 }},
		{"it has 3 epochs, its configuration 120", func(r *store.Result) { r.Config.Epochs = 120 }},
		{"it has 4 epochs, its configuration 3 at most", func(r *store.Result) { r.State, r.Last.Epoch = store.Diverged, 4 }},
		{"epoch 4 of 3 is selected", func(r *store.Result) { r.Selected.Epoch = 4 }},
		{"epoch 0 of 3 is selected", func(r *store.Result) { r.Selected.Epoch = 0 }},
		{`state "running" is neither`, func(r *store.Result) { r.State = store.Running }},
		{"it took -1 seconds", func(r *store.Result) { r.Seconds = -1 }},
		{"it took 1e+300 seconds", func(r *store.Result) { r.Seconds = 1e300 }},
		{"an estimated accuracy of 101 %", func(r *store.Result) { r.CleanAccuracy.High = 101 }},
		{"the nominal T has an entry of 1e+99", func(r *store.Result) { r.Transition.Nominal[1][0] = 1e99 }},
		{"the learned T has an entry of 2", func(r *store.Result) { r.Transition.Learned = [][]float64{{2, -1}, {0, 1}} }},
		{"the estimated T has 2 rows, and row 2 has 3 entries", func(r *store.Result) { r.Transition.Estimated[1] = []float64{0, 0, 1} }},
	} {
		r := good()
		tt.change(&r)
		if err := f.WriteResult(r); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("written, error %v; want %q", err, tt.want)
		}
		text, err := json.Marshal(r)
		if err == nil {
			err = f.Write(store.ResultFile, text)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Result()
		var damaged *store.DamagedError
		if !errors.As(err, &damaged) || !errors.Is(err, store.ErrUnfinished) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), f.ID) {
			t.Errorf("error %v, want a *DamagedError with %q", err, tt.want)
		}
	}
}
