package grid_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
)

// fake is an executor that trains nothing and records the order of its calls.
type fake struct {
	mu     sync.Mutex
	order  []string
	active int
	most   int
	fail   map[string]error // by loss
	panics map[string]any
	meet   chan struct{} // if set, cross-entropy runs wait for each other
}

func (f *fake) execute(_ context.Context, job *store.Job) (store.Result, error) {
	f.mu.Lock()
	f.order = append(f.order, fmt.Sprintf("%s %d", job.Config.Loss, job.Config.Seed))
	f.active++
	f.most = max(f.most, f.active)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.active--
		f.mu.Unlock()
	}()
	if f.meet != nil && job.Config.Loss == "cross-entropy" {
		select {
		case f.meet <- struct{}{}:
		case <-f.meet:
		case <-time.After(10 * time.Second):
		}
	}
	if v := f.panics[job.Config.Loss]; v != nil {
		panic(v)
	}
	if err := f.fail[job.Config.Loss]; err != nil {
		return store.Result{}, err
	}
	if losses.All.Named(job.Config.Loss).T == losses.EstimatedT {
		if r, err := job.DependencyFolder.Result(); err != nil || r.Config.Loss != "cross-entropy" {
			return store.Result{}, fmt.Errorf("dependency: %s, %w", r.Config.Loss, err)
		}
	}
	var last metrics.Epoch
	for i := 1; i <= job.Config.Epochs; i++ {
		job.Progress.Batch(1, 2)
		time.Sleep(time.Millisecond)
		last = metrics.Epoch{Epoch: i, TrainLoss: 1, ValAccuracy: 90, TestAccuracy: 95}
		if err := job.Folder.AppendEpoch(last); err != nil {
			return store.Result{}, err
		}
		job.Progress.Epoch(last)
	}
	return store.Result{Selected: last, Last: last}, nil
}

// complete returns the result of a run that did all its epochs.
func complete(c config.Config) store.Result {
	last := metrics.Epoch{Epoch: c.Epochs, TestAccuracy: 95}
	return store.Result{Selected: last, Last: last}
}

func states(outcomes []grid.Outcome) []string {
	out := make([]string, len(outcomes))
	for i, o := range outcomes {
		out[i] = fmt.Sprintf("%s %d %s", o.Config.Loss, o.Config.Seed, o.State)
		if o.Skipped {
			out[i] += " before"
		}
	}
	return out
}

// planOf returns the plan of a configuration of MNIST.
func planOf(t testing.TB, text string, overrides ...string) store.Plan {
	t.Helper()
	return store.NewPlan(configtest.Load(t, "dataset: mnist\n"+text, overrides...))
}

// runner executes one run at a time, in its own folder.
func runner(t testing.TB, execute grid.ExecuteFunc) *grid.Runner {
	t.Helper()
	return &grid.Runner{Root: t.TempDir(), Workers: 1, Execute: execute, Environment: store.NewEnvironment("test", nil)}
}

// does executes a plan and fails the test unless that takes the given number of runs.
func (f *fake) does(t testing.TB, r *grid.Runner, plan store.Plan, runs int) []grid.Outcome {
	t.Helper()
	f.order, r.Execute = nil, f.execute
	outcomes, err := r.Run(t.Context(), plan)
	if err != nil || len(f.order) != runs {
		t.Errorf("%q are done, %v, want %d runs", f.order, err, runs)
	}
	return outcomes
}

// status compares a run's recorded state with the wanted one.
func status(t testing.TB, root, id, state string) store.Status {
	t.Helper()
	s, err := store.At(root, id).Status()
	if err != nil || s.State != state {
		t.Errorf("status of %s is %+v, %v, want %s", id, s, err, state)
	}
	return s
}

// The network for T-hat is trained once per seed and shared by all runs that need it, even with different settings of
// the estimator.
func TestPlan(t *testing.T) {
	for _, test := range []struct {
		text, override string
		want           []string
	}{
		{"grid: {seed: [1, 2], loss: [forward-estimated, backward-estimated, forward]}\n", "preset=fixed", []string{
			"cross-entropy 1 added", "forward-estimated 1 waits", "backward-estimated 1 waits", "forward 1",
			"cross-entropy 2 added", "forward-estimated 2 waits", "backward-estimated 2 waits", "forward 2",
		}},
		{"loss: forward-estimated\n", "estimator.quantile=[.9,.97]", []string{
			"cross-entropy 1 added", "forward-estimated 1 waits", "forward-estimated 1 waits",
		}},
	} {
		var got []string
		requested := 0
		plan := planOf(t, test.text, test.override)
		for _, r := range plan.Runs {
			line := fmt.Sprintf("%s %d", r.Config.Loss, r.Config.Seed)
			if r.Implied {
				line += " added"
			} else {
				requested++
			}
			if r.Needs != "" {
				line += " waits"
			}
			got = append(got, line)
		}
		expect.Same(t, test.want, got, "plan")
		if plan.Requested() != requested {
			t.Errorf("%d runs requested, want %d", plan.Requested(), requested)
		}
	}
}

// Runs that others need start first, as many at a time as there are workers, and each leaves its files. The same plan
// again executes only runs without a result.
func TestRun(t *testing.T) {
	plan := planOf(t, "epochs: 2\ngrid: {seed: [1, 2], loss: [cross-entropy, forward-estimated, forward]}\n")
	f := &fake{meet: make(chan struct{})}
	r := runner(t, f.execute)
	r.Workers = 2
	outcomes := f.does(t, r, plan, 6)
	want := []string{
		"cross-entropy 1 done", "forward-estimated 1 done", "forward 1 done",
		"cross-entropy 2 done", "forward-estimated 2 done", "forward 2 done",
	}
	expect.Same(t, want, states(outcomes), "outcomes")
	expect.Same(t, 2, f.most, "runs at a time")
	expect.Same(t, []string{"cross-entropy 1", "cross-entropy 2"}, slices.Sorted(slices.Values(f.order[:2])), "first runs")
	folder := store.At(r.Root, plan.Runs[1].ID)
	if s := status(t, r.Root, folder.ID, store.Done); s.Epoch != 2 || s.Attempts != 1 || s.Seconds <= 0 {
		t.Errorf("status is %+v", s)
	}
	result, err := folder.Result()
	if err != nil || result.ID != folder.ID || result.Seconds <= 0 || result.Finished == "" ||
		result.Last.TestAccuracy != 95 {
		t.Errorf("result is %+v, %v", result, err)
	}
	if env, err := folder.Environment(); err != nil || env.Program != "test" || env.PeakMiB == 0 {
		t.Errorf("environment is %+v, %v", env, err)
	}

	// The same plan again does nothing; with one damaged result, it repeats only that run.
	if outcomes = f.does(t, r, plan, 0); !outcomes[0].Skipped || outcomes[0].Result.Last.TestAccuracy != 95 {
		t.Errorf("skipped outcome is %+v", outcomes[0])
	}
	expect.OK(t, os.WriteFile(folder.Path(store.ResultFile), []byte(`{"schema":`), 0o644))
	var notes strings.Builder
	r.Progress = &grid.Display{Out: &notes}
	f.does(t, r, plan, 1)
	expect.Same(t, []string{"forward-estimated 1"}, f.order, "runs after damage")
	if !strings.Contains(notes.String(), "result.json is damaged") || !strings.Contains(notes.String(), "the run is repeated") {
		t.Errorf("the damage is not reported:\n%s", notes.String())
	}
}

// A run that fails or panics fails the runs that need it and no others, and its folder has the reason. After the cause
// is fixed, it is repeated.
func TestRunFailures(t *testing.T) {
	plan := planOf(t, "epochs: 1\ngrid: {loss: [cross-entropy, forward, forward-estimated, backward]}\n")
	f := &fake{
		fail:   map[string]error{"cross-entropy": errors.New("disk full")},
		panics: map[string]any{"forward": errors.New("torch: mm: shapes cannot be multiplied")},
	}
	r := runner(t, f.execute)
	outcomes, err := r.Run(t.Context(), plan)
	var failed *grid.FailedError
	if !errors.As(err, &failed) || len(failed.Failed) != 3 || failed.Total != 4 {
		t.Fatalf("error is %v, want a *FailedError of 3 in 4", err)
	}
	want := []string{"cross-entropy 1 failed", "forward 1 failed", "forward-estimated 1 failed", "backward 1 done"}
	expect.Same(t, want, states(outcomes), "outcomes")
	for i, want := range []string{"disk full", "shapes cannot be multiplied", "that it needs has no result"} {
		if got := outcomes[i].Err.Error(); !strings.Contains(got, want) {
			t.Errorf("error %d is %q, want %q in it", i, got, want)
		}
	}
	if s := status(t, r.Root, outcomes[1].ID, store.Failed); !strings.Contains(s.Error, "shapes") {
		t.Errorf("status is %+v", s)
	}
	log, err := os.ReadFile(store.At(r.Root, outcomes[1].ID).Path(store.LogFile))
	if err != nil || !strings.Contains(string(log), "goroutine") {
		t.Errorf("no stack in the log: %s, %v", log, err)
	}
	// After the cause is fixed, the failed runs are repeated and the finished one is not.
	(&fake{}).does(t, r, plan, 3)
}

// A status that cannot be written for a while costs no result. Without its result written, a run is not done in
// status.json.
func TestRunCannotWrite(t *testing.T) {
	plan := planOf(t, "epochs: 2\n")
	for file, state := range map[string]string{store.StatusFile: store.Done, store.ResultFile: store.Failed} {
		done := state == store.Done
		r := runner(t, func(_ context.Context, job *store.Job) (store.Result, error) {
			path := job.Folder.Path(file)
			_ = os.Remove(path)
			err := os.MkdirAll(path+"/in the way", 0o755)
			job.Progress.Epoch(metrics.Epoch{Epoch: 1, TestAccuracy: 95})
			if done { // writable again before the end
				err = errors.Join(err, os.RemoveAll(path))
			}
			return complete(job.Config), err
		})
		outcomes, err := r.Run(t.Context(), plan)
		if outcomes[0].State != state || (err == nil) != done {
			t.Errorf("%s: %s, %v, want %s", file, outcomes[0].State, err, state)
		}
		if s := status(t, r.Root, plan.Runs[0].ID, state); (s.Error == "") != done {
			t.Errorf("%s: status.json has the error %q", file, s.Error)
		}
		if _, err := store.At(r.Root, plan.Runs[0].ID).Result(); (err == nil) != done {
			t.Errorf("%s: the result: %v", file, err)
		}
	}
}

// A run that lost the GPU has failed. The other runs are left for another process: unavailable, not failed.
func TestRunLosesDevice(t *testing.T) {
	lost := &torch.Error{Op: "mm", Kind: torch.DeviceLost, Msg: "CUDA error: an illegal memory access was encountered"}
	none := fmt.Errorf("cuda: %w", store.ErrUnavailable)
	for state, cause := range map[string]error{store.Failed: lost, store.Stopped: none} {
		f := &fake{fail: map[string]error{"cross-entropy": cause}}
		outcomes, err := runner(t, f.execute).Run(t.Context(), planOf(t, "", "seed=[1,2,3]"))
		if !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, cause) || len(f.order) != 1 {
			t.Errorf("%d runs tried, error %v; want one and ErrUnavailable", len(f.order), err)
		}
		expect.Same(t, []string{"cross-entropy 1 " + state, "cross-entropy 2 ", "cross-entropy 3 "}, states(outcomes),
			"outcomes")
	}
	// A single run has failed, since no others were left.
	f := &fake{fail: map[string]error{"cross-entropy": lost}}
	var failed *grid.FailedError
	_, err := runner(t, f.execute).Run(t.Context(), planOf(t, ""))
	if errors.Is(err, store.ErrUnavailable) || !errors.As(err, &failed) {
		t.Errorf("alone: %v, want a failure", err)
	}
}

// A signal stops a plan, with or without a checkpoint; a second call resumes it.
func TestRunStops(t *testing.T) {
	for _, want := range []error{store.ErrStopped, store.ErrInterrupted} {
		plan := planOf(t, "", "seed=[1,2,3]")
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("signal: interrupt")
		calls := 0
		r := runner(t, func(ctx context.Context, job *store.Job) (store.Result, error) {
			calls++
			if job.Config.Seed == 1 {
				return complete(job.Config), nil
			}
			cancel(cause)
			<-ctx.Done()
			return store.Result{}, fmt.Errorf("epoch 2: %w", want)
		})
		outcomes, err := r.Run(ctx, plan)
		var stopped *grid.StoppedError
		if !errors.As(err, &stopped) || !errors.Is(err, want) || !errors.Is(err, cause) {
			t.Fatalf("error is %v, want a *StoppedError with %v and its cause", err, want)
		}
		if stopped.Done != 1 || stopped.Total != 3 || calls != 2 {
			t.Errorf("%d of %d done after %d calls", stopped.Done, stopped.Total, calls)
		}
		expect.Same(t, []string{"cross-entropy 1 done", "cross-entropy 2 stopped", "cross-entropy 3 "}, states(outcomes),
			"outcomes")
		status(t, r.Root, outcomes[1].ID, store.Stopped)
		(&fake{}).does(t, r, plan, 2)
		if s := status(t, r.Root, outcomes[1].ID, store.Done); s.Attempts != 2 {
			t.Errorf("status is %+v; want done at the second attempt", s)
		}
	}
}

// An implied run is skipped once nothing needs it.
func TestRunLeavesOutUnneeded(t *testing.T) {
	plan, f := planOf(t, "epochs: 1\nloss: forward-estimated\n"), &fake{}
	r := runner(t, f.execute)
	r.Workers = 0 // one per core
	f.does(t, r, plan, 2)
	expect.OK(t, os.Remove(store.At(r.Root, plan.Runs[0].ID).Path(store.ResultFile)))
	f.does(t, r, plan, 0)
}

// Without Wait, a run that another process is executing is refused.
func TestRunLocked(t *testing.T) {
	plan, r := planOf(t, ""), runner(t, (&fake{}).execute)
	folder, err := store.Claim(r.Root, plan.Runs[0].Config, &store.Watch{}, store.DefaultLeaseTime)
	expect.OK(t, err)
	defer folder.Close()
	expect.Fails(t, expect.Err(r.Run(t.Context(), plan)), "", store.ErrLocked)
}
