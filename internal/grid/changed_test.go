package grid_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// Results hold the revision of the program that made them, and --resume changed does
// those of another one again, from the beginning.
func TestResumeChanged(t *testing.T) {
	runs := configtest.Load(t, "{dataset: mnist, epochs: 2, loss: forward-estimated, grid: {seed: [1, 2]}}\n")
	plan, root := store.NewPlan(runs), t.TempDir()
	do := func(resume string, code store.Code, plan store.Plan) []string {
		t.Helper()
		f := &fake{}
		env := store.NewEnvironment("test", nil)
		env.Revision, env.Modified = code.Revision, code.Modified
		r := grid.Runner{Root: root, Workers: 1, Execute: f.execute, Environment: env, Resume: resume}
		outcomes, err := r.Run(context.Background(), plan)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outcomes {
			folder := store.At(root, o.ID)
			result, err := folder.Result()
			if done := len(f.order) == len(outcomes); err != nil || done && result.Code() != code {
				t.Errorf("run %s is of %v, %v, want %v", o.Config.Name(), result.Code(), err, code)
			}
			backdate(t, folder.Path(store.ResultFile), result)
			metrics, err := os.ReadFile(folder.Path(store.MetricsFile))
			if n := strings.Count(string(metrics), "\n"); err != nil || n != 2 { // of one attempt alone
				t.Errorf("run %s has metrics of %d epochs, %v", o.Config.Name(), n, err)
			}
		}
		return f.order
	}
	old, now := store.Code{Revision: "aaaa"}, store.Code{Revision: "bbbb"}
	if got := do("", old, plan); len(got) != 4 {
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
		if got := do(test.resume, test.code, plan); len(got) != test.want {
			t.Errorf("resume %q by %v did %q, want %d runs", test.resume, test.code, got, test.want)
		}
	}
}

// backdate has a run finished long ago.
func backdate(t *testing.T, path string, r store.Result) {
	t.Helper()
	r.Finished = "2026-01-02T03:04:05Z"
	text, err := json.Marshal(r)
	if err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A run that one revision began and another ended names both.
func TestEarlierCode(t *testing.T) {
	configs := configtest.Load(t, "{dataset: mnist, epochs: 3}\n")
	plan, root := store.NewPlan(configs), t.TempDir()
	stop := true
	execute := func(_ context.Context, job *store.Job) (store.Result, error) {
		e := metrics.Epoch{Epoch: 1, TestAccuracy: 95}
		if stop {
			job.Progress.Epoch(e)
			return store.Result{}, store.ErrStopped
		}
		e.Epoch = 3
		return store.Result{State: store.Done, Selected: e, Last: e}, nil
	}
	for _, code := range []store.Code{{Revision: "aaaaaaaaaaaaaaaa", Modified: true}, {Revision: "bbbb"}} {
		r := grid.Runner{Root: root, Workers: 1, Execute: execute, Environment: store.Environment{Revision: code.Revision, Modified: code.Modified}}
		_, _ = r.Run(context.Background(), plan) // the first is stopped
		stop = false
	}
	result, err := store.At(root, plan.Runs[0].ID).Result()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"aaaaaaaaaaaa+"}, result.Earlier); diff != "" || result.Revision != "bbbb" {
		t.Errorf("ended by %q, before (-want +got):\n%s", result.Revision, diff)
	}
	// It is not a result of the second revision, and done again.
	r := grid.Runner{Root: root, Workers: 1, Execute: execute, Environment: store.Environment{Revision: "bbbb"}, Resume: grid.ResumeChanged}
	if _, err := r.Run(context.Background(), plan); err != nil {
		t.Fatal(err)
	}
	if result, err = store.At(root, plan.Runs[0].ID).Result(); err != nil || result.Earlier != nil || result.Revision != "bbbb" {
		t.Errorf("done again by %q, before by %q: %v", result.Revision, result.Earlier, err)
	}
}
