package grid_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/grid/progress"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
)

// fake is an executor that trains nothing. It notes the order of its calls.
type fake struct {
	mu     sync.Mutex
	order  []string
	active int
	most   int
	fail   map[string]error // by loss
	panics map[string]any
	meet   chan struct{} // where it is set, the runs of cross-entropy wait for one another
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
		if job.DependencyFolder == nil {
			return store.Result{}, errors.New("no folder to read T off")
		}
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

// complete is the result of a run that did all its epochs.
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

func TestPlan(t *testing.T) {
	plan := store.NewPlan(configtest.Load(t, "dataset: mnist\ngrid: {seed: [1, 2], loss: [forward-estimated, backward-estimated, forward]}\n", "preset=fixed"))
	var got []string
	for _, r := range plan.Runs {
		got = append(got, fmt.Sprintf("%s %d added=%v needs=%v", r.Config.Loss, r.Config.Seed, r.Implied, r.Needs != ""))
	}
	var want []string
	for seed := 1; seed <= 2; seed++ {
		want = append(want,
			fmt.Sprintf("cross-entropy %d added=true needs=false", seed),
			fmt.Sprintf("forward-estimated %d added=false needs=true", seed),
			fmt.Sprintf("backward-estimated %d added=false needs=true", seed),
			fmt.Sprintf("forward %d added=false needs=false", seed))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	if plan.Requested() != 6 {
		t.Errorf("%d runs asked for, want 6", plan.Requested())
	}
}

// One estimator's settings differ from another's, the network they read not:
// both share one cross-entropy run.
func TestPlanShares(t *testing.T) {
	plan := store.NewPlan(configtest.Load(t, "dataset: mnist\nloss: forward-estimated\n", "estimator.quantile=[.9,.97]"))
	if len(plan.Runs) != 3 || plan.Runs[1].Needs != plan.Runs[2].Needs {
		t.Errorf("plan is %+v", plan.Runs)
	}
}

// A run waits for the one that it needs, also where a worker is free.
func TestRunWaits(t *testing.T) {
	plan := store.NewPlan(configtest.Load(t, "dataset: mnist\nepochs: 2\nloss: forward-estimated\n"))
	f := &fake{}
	r := grid.Runner{Root: t.TempDir(), Workers: 3, Execute: f.execute, Environment: store.NewEnvironment("test", nil)}
	if _, err := r.Run(t.Context(), plan); err != nil {
		t.Error(err)
	}
	if got := strings.Join(f.order, ", "); got != "cross-entropy 1, forward-estimated 1" || f.most != 1 {
		t.Errorf("%s, %d at a time, want one after the other", got, f.most)
	}
}

func TestRun(t *testing.T) {
	root := t.TempDir()
	plan := store.NewPlan(configtest.Load(t, "dataset: mnist\nepochs: 2\ngrid: {seed: [1, 2], loss: [cross-entropy, forward-estimated, forward]}\n"))
	f := &fake{meet: make(chan struct{})}
	r := grid.Runner{Root: root, Workers: 2, Execute: f.execute, Environment: store.NewEnvironment("test", nil)}
	outcomes, err := r.Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"cross-entropy 1 done", "forward-estimated 1 done", "forward 1 done",
		"cross-entropy 2 done", "forward-estimated 2 done", "forward 2 done",
	}
	if diff := cmp.Diff(want, states(outcomes)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if f.most != 2 {
		t.Errorf("%d runs at a time, want 2", f.most)
	}
	if first := strings.Join(f.order[:2], ", "); first != "cross-entropy 1, cross-entropy 2" && first != "cross-entropy 2, cross-entropy 1" {
		t.Errorf("the runs that others wait for did not start first: %s", first)
	}
	folder, err := store.Open(root, plan.Runs[1].ID)
	if err != nil {
		t.Fatal(err)
	}
	status, err := folder.Status()
	if err != nil || status.State != store.Done || status.Epoch != 2 || status.Attempts != 1 || status.Seconds <= 0 {
		t.Errorf("status is %+v, %v", status, err)
	}
	result, err := folder.Result()
	if err != nil || result.ID != folder.ID || result.Seconds <= 0 || result.Finished == "" || result.Last.TestAccuracy != 95 {
		t.Errorf("result is %+v, %v", result, err)
	}
	if env, err := folder.Environment(); err != nil || env.Program != "test" || env.PeakMiB == 0 {
		t.Errorf("environment is %+v, %v", env, err)
	}

	// The same plan again does nothing; with one result damaged, that run alone.
	f.order = nil
	if outcomes, err = r.Run(t.Context(), plan); err != nil || len(f.order) != 0 {
		t.Errorf("second time: %v runs, %v", f.order, err)
	}
	if !outcomes[0].Skipped || outcomes[0].Result.Last.TestAccuracy != 95 {
		t.Errorf("skipped outcome is %+v", outcomes[0])
	}
	if err := os.WriteFile(folder.Path(store.ResultFile), []byte(`{"schema":`), 0o644); err != nil {
		t.Fatal(err)
	}
	var notes strings.Builder
	r.Progress = progress.NewLines(&notes)
	if _, err = r.Run(t.Context(), plan); err != nil || len(f.order) != 1 || f.order[0] != "forward-estimated 1" {
		t.Errorf("after damage: %v, %v", f.order, err)
	}
	if !strings.Contains(notes.String(), "result.json is damaged") || !strings.Contains(notes.String(), "done again") {
		t.Errorf("the damage is not told:\n%s", notes.String())
	}
}

func TestRunFailures(t *testing.T) {
	plan := store.NewPlan(configtest.Load(t, "dataset: mnist\nepochs: 1\ngrid: {loss: [cross-entropy, forward, forward-estimated, backward]}\n"))
	f := &fake{
		fail:   map[string]error{"cross-entropy": errors.New("disk full")},
		panics: map[string]any{"forward": errors.New("torch: mm: shapes cannot be multiplied")},
	}
	root := t.TempDir()
	r := grid.Runner{Root: root, Workers: 1, Execute: f.execute}
	outcomes, err := r.Run(t.Context(), plan)
	var failed *grid.FailedError
	if !errors.As(err, &failed) || len(failed.Failed) != 3 || failed.Total != 4 {
		t.Fatalf("error is %v, want a *FailedError of 3 in 4", err)
	}
	want := []string{"cross-entropy 1 failed", "forward 1 failed", "forward-estimated 1 failed", "backward 1 done"}
	if diff := cmp.Diff(want, states(outcomes)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	for i, want := range []string{"disk full", "shapes cannot be multiplied", "that it needs has no result"} {
		if got := outcomes[i].Err.Error(); !strings.Contains(got, want) {
			t.Errorf("error %d is %q, want %q in it", i, got, want)
		}
	}
	folder, err := store.Open(root, outcomes[1].ID)
	if err != nil {
		t.Fatal(err)
	}
	if status, err := folder.Status(); err != nil || status.State != store.Failed || !strings.Contains(status.Error, "shapes") {
		t.Errorf("status is %+v, %v", status, err)
	}
	log, err := os.ReadFile(folder.Path(store.LogFile))
	if err != nil || !strings.Contains(string(log), "goroutine") {
		t.Errorf("no stack in the log: %s, %v", log, err)
	}
	// Mended, the failed runs are done, the finished one is not done again.
	f.fail, f.panics, f.order = nil, nil, nil
	if _, err := r.Run(t.Context(), plan); err != nil || len(f.order) != 3 {
		t.Errorf("second time: %v, %v", f.order, err)
	}
}

// A status that cannot be written for a while costs no result; a result that cannot be
// written is not one that status.json knows of.
func TestRunCannotWrite(t *testing.T) {
	plan := store.NewPlan(configtest.Load(t, "dataset: mnist\nepochs: 2\n"))
	for _, c := range []struct{ file, during, state string }{
		{store.StatusFile, "training", store.Done}, {store.ResultFile, "the end", store.Failed},
	} {
		root := t.TempDir()
		r := grid.Runner{Root: root, Workers: 1, Execute: func(_ context.Context, job *store.Job) (store.Result, error) {
			path := job.Folder.Path(c.file)
			_ = os.Remove(path)
			if err := os.MkdirAll(path+"/in the way", 0o755); err != nil {
				return store.Result{}, err
			}
			job.Progress.Epoch(metrics.Epoch{Epoch: 1, TestAccuracy: 95})
			if c.during == "training" {
				if err := os.RemoveAll(path); err != nil {
					return store.Result{}, err
				}
			}
			return complete(job.Config), nil
		}}
		outcomes, err := r.Run(t.Context(), plan)
		if outcomes[0].State != c.state || (err == nil) != (c.state == store.Done) {
			t.Errorf("%s: %s, %v, want %s", c.file, outcomes[0].State, err, c.state)
		}
		folder := store.At(root, plan.Runs[0].ID)
		status, err := folder.Status()
		if err != nil || status.State != c.state || (status.Error == "") != (c.state == store.Done) {
			t.Errorf("%s: status.json has %s, %q, %v, want %s", c.file, status.State, status.Error, err, c.state)
		}
		if _, err := folder.Result(); (err == nil) != (c.state == store.Done) {
			t.Errorf("%s: the result: %v", c.file, err)
		}
	}
}

// A run that has lost the GPU has failed; the others, started or not, are left for
// another process: unavailable, not failed.
func TestRunLosesDevice(t *testing.T) {
	plan := store.NewPlan(configtest.Load(t, "dataset: mnist\n", "seed=[1,2,3]"))
	lost := &torch.Error{Op: "mm", Kind: torch.DeviceLost, Msg: "CUDA error: an illegal memory access was encountered"}
	f := &fake{}
	execute := func(ctx context.Context, job *store.Job) (store.Result, error) {
		if job.Config.Seed == 1 {
			_, _ = f.execute(ctx, job)
			return store.Result{}, lost
		}
		return f.execute(ctx, job)
	}
	r := grid.Runner{Root: t.TempDir(), Workers: 1, Execute: execute}
	outcomes, err := r.Run(t.Context(), plan)
	if !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, error(lost)) || len(f.order) != 1 {
		t.Errorf("%d runs tried, error %v; want one and ErrUnavailable", len(f.order), err)
	}
	for i, want := range []string{store.Failed, "", ""} {
		if outcomes[i].State != want {
			t.Errorf("run %d is %q, want %q", i, outcomes[i].State, want)
		}
	}
	// Alone it has failed, and nothing was kept from anyone.
	alone := store.NewPlan(configtest.Load(t, "dataset: mnist\n", "seed=1"))
	var failed *grid.FailedError
	if _, err := r.Run(t.Context(), alone); errors.Is(err, store.ErrUnavailable) || !errors.As(err, &failed) {
		t.Errorf("alone: %v, want a failure", err)
	}
}

func TestRunUnavailable(t *testing.T) {
	plan := store.NewPlan(configtest.Load(t, "dataset: mnist\n", "seed=[1,2,3]"))
	f := &fake{fail: map[string]error{"cross-entropy": fmt.Errorf("cuda: %w", store.ErrUnavailable)}}
	r := grid.Runner{Root: t.TempDir(), Workers: 1, Execute: f.execute}
	outcomes, err := r.Run(t.Context(), plan)
	if !errors.Is(err, store.ErrUnavailable) || len(f.order) != 1 {
		t.Errorf("%d runs tried, error %v; want one and ErrUnavailable", len(f.order), err)
	}
	if outcomes[0].State != store.Stopped {
		t.Errorf("a run that could not be done is %q, want %q", outcomes[0].State, store.Stopped)
	}
}

func TestRunStops(t *testing.T) {
	for name, tt := range map[string]struct{ give, want error }{
		"checkpoint":    {store.ErrStopped, store.ErrStopped},
		"no checkpoint": {store.ErrInterrupted, store.ErrInterrupted},
	} {
		t.Run(name, func(t *testing.T) {
			plan := store.NewPlan(configtest.Load(t, "dataset: mnist\n", "seed=[1,2,3]"))
			ctx, cancel := context.WithCancelCause(t.Context())
			cause := errors.New("signal: interrupt")
			calls := 0
			execute := func(ctx context.Context, job *store.Job) (store.Result, error) {
				calls++
				if job.Config.Seed == 1 {
					return complete(job.Config), nil
				}
				cancel(cause)
				<-ctx.Done()
				return store.Result{}, fmt.Errorf("epoch 2: %w", tt.give)
			}
			root := t.TempDir()
			r := grid.Runner{Root: root, Workers: 1, Execute: execute}
			outcomes, err := r.Run(ctx, plan)
			var stopped *grid.StoppedError
			if !errors.As(err, &stopped) || !errors.Is(err, tt.want) || !errors.Is(err, cause) {
				t.Fatalf("error is %v, want a *StoppedError with %v and its cause", err, tt.want)
			}
			if stopped.Done != 1 || stopped.Total != 3 || calls != 2 {
				t.Errorf("%d of %d done after %d calls", stopped.Done, stopped.Total, calls)
			}
			if diff := cmp.Diff([]string{"cross-entropy 1 done", "cross-entropy 2 stopped", "cross-entropy 3 "}, states(outcomes)); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
			folder, err := store.Open(root, outcomes[1].ID)
			if err != nil {
				t.Fatal(err)
			}
			if s, err := folder.Status(); err != nil || s.State != store.Stopped {
				t.Errorf("status is %+v, %v", s, err)
			}
			// A second call goes on: the same run gets its second attempt.
			again := grid.Runner{Root: root, Workers: 1, Execute: (&fake{}).execute}
			if _, err := again.Run(t.Context(), plan); err != nil {
				t.Fatal(err)
			}
			if s, err := folder.Status(); err != nil || s.State != store.Done || s.Attempts != 2 {
				t.Errorf("status is %+v, %v; want done at the second attempt", s, err)
			}
		})
	}
}

// An added run that nobody needs any more is not done.
func TestRunLeavesOutUnneeded(t *testing.T) {
	root := t.TempDir()
	plan := store.NewPlan(configtest.Load(t, "dataset: mnist\nepochs: 1\nloss: forward-estimated\n"))
	f := &fake{}
	r := grid.Runner{Root: root, Execute: f.execute}
	if _, err := r.Run(t.Context(), plan); err != nil || len(f.order) != 2 {
		t.Fatalf("%v, %v", f.order, err)
	}
	folder, err := store.Open(root, plan.Runs[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(folder.Path(store.ResultFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context(), plan); err != nil || len(f.order) != 2 {
		t.Errorf("%v, %v; want no further run", f.order, err)
	}
}

func TestRunLocked(t *testing.T) {
	root, c := t.TempDir(), configtest.Load(t, "dataset: mnist\n")[0]
	folder, err := store.Claim(root, c, nil, &store.Watch{}, store.DefaultLeaseTime)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	r := grid.Runner{Root: root, Execute: (&fake{}).execute}
	if _, err := r.Run(t.Context(), store.NewPlan([]config.Config{c})); !errors.Is(err, store.ErrLocked) {
		t.Errorf("error is %v, want ErrLocked", err)
	}
}
