package grid_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// Results hold the revision of the program that made them, and --resume changed does
// those of another one again, from the beginning.
func TestResumeChanged(t *testing.T) {
	plan, r := planOf(t, "epochs: 2\nloss: forward-estimated\ngrid: {seed: [1, 2]}\n"), runner(t, nil)
	do := func(resume string, code store.Code) []string {
		t.Helper()
		f := &fake{}
		r.Execute, r.Resume = f.execute, resume
		r.Environment.Revision, r.Environment.Modified = code.Revision, code.Modified
		outcomes, err := r.Run(t.Context(), plan)
		must(t, err)
		for _, o := range outcomes {
			folder := store.At(r.Root, o.ID)
			result, err := folder.Result()
			if done := len(f.order) == len(outcomes); err != nil || done && result.Code() != code {
				t.Errorf("run %s is of %v, %v, want %v", o.Config.Name(), result.Code(), err, code)
			}
			metrics, err := os.ReadFile(folder.Path(store.MetricsFile))
			if n := strings.Count(string(metrics), "\n"); err != nil || n != 2 { // of one attempt alone
				t.Errorf("run %s has metrics of %d epochs, %v", o.Config.Name(), n, err)
			}
		}
		return f.order
	}
	old, now := store.Code{Revision: "aaaa"}, store.Code{Revision: "bbbb"}
	if got := do("", old); len(got) != 4 {
		t.Fatalf("first %q", got)
	}
	for _, test := range []struct {
		resume string
		code   store.Code
		want   int
	}{
		{"", now, 0},
		{grid.ResumeChanged, old, 0},
		{grid.ResumeChanged, now, 4},
		{grid.ResumeChanged, now, 0},
		{grid.ResumeAuto, old, 0},
	} {
		if got := do(test.resume, test.code); len(got) != test.want {
			t.Errorf("resume %q by %v did %q, want %d runs", test.resume, test.code, got, test.want)
		}
	}
}

// A run that one revision began and another ended names both.
func TestEarlierCode(t *testing.T) {
	plan := planOf(t, "epochs: 3\n")
	stop := true
	r := runner(t, func(_ context.Context, job *store.Job) (store.Result, error) {
		e := metrics.Epoch{Epoch: 1, TestAccuracy: 95}
		if stop {
			job.Progress.Epoch(e)
			return store.Result{}, store.ErrStopped
		}
		e.Epoch = 3
		return store.Result{State: store.Done, Selected: e, Last: e}, nil
	})
	for _, code := range []store.Code{{Revision: "aaaaaaaaaaaaaaaa", Modified: true}, {Revision: "bbbb"}} {
		r.Environment = store.Environment{Revision: code.Revision, Modified: code.Modified}
		_, _ = r.Run(t.Context(), plan) // the first is stopped
		stop = false
	}
	result, err := store.At(r.Root, plan.Runs[0].ID).Result()
	must(t, err)
	same(t, "revisions", []string{"bbbb", "aaaaaaaaaaaa+"}, append([]string{result.Revision}, result.Earlier...))
	// It is not a result of the second revision, and done again.
	r.Resume = grid.ResumeChanged
	if _, err := r.Run(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	result, err = store.At(r.Root, plan.Runs[0].ID).Result()
	if err != nil || result.Earlier != nil || result.Revision != "bbbb" {
		t.Errorf("done again by %q, before by %q: %v", result.Revision, result.Earlier, err)
	}
}
