package grid_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// lease is the second lease of a run's folder.
func lease(dir string) string { return filepath.Join(dir, "lease.2") }

// elsewhere gives that lease to a process on another machine, which cannot be seen from here.
func elsewhere(t *testing.T, dir string) {
	t.Helper()
	text := `{"token":"x","host":"node7","boot":"b","space":"s","pid":12,"since":"2099-01-01T00:00:00Z"}` +
		"\n000000000005\n"
	expect.OK(t, os.WriteFile(lease(dir), []byte(text), 0o644))
}

// A thousand workers, and other processes, want the same run: it is executed once, and all get its result.
func TestRunOnce(t *testing.T) {
	const workers, processes = 1000, 4
	given := os.Getenv("RUN_ONCE") // in another process
	root := cmp.Or(given, t.TempDir())
	plan, calls := planOf(t, "epochs: 1\n"), filepath.Join(root, "calls")
	execute := func(_ context.Context, job *store.Job) (store.Result, error) {
		f, err := os.OpenFile(calls, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return store.Result{}, err
		}
		_, err = f.WriteString("call\n")
		time.Sleep(100 * time.Millisecond)
		return complete(job.Config), errors.Join(err, f.Close())
	}
	ask := func() error {
		r := grid.Runner{Root: root, Workers: 1, Execute: execute, Wait: true, LeaseTime: time.Minute / 10}
		out, err := r.Run(t.Context(), plan)
		if err == nil && out[0].State != store.Done {
			err = fmt.Errorf("state %q", out[0].State)
		}
		return err
	}
	if given != "" {
		expect.OK(t, ask())
		return
	}
	var all sync.WaitGroup
	for range processes {
		all.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestRunOnce$")
			cmd.Env = append(os.Environ(), "RUN_ONCE="+root)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	for range workers {
		all.Go(func() {
			if err := ask(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if text, err := os.ReadFile(calls); err != nil || string(text) != "call\n" {
		t.Errorf("executed %d times, %v; want once", strings.Count(string(text), "\n"), err)
	}
}

// An owner presumed dead writes nothing more and reports why; its run ends with the other owner's result.
func TestFence(t *testing.T) {
	plan := planOf(t, "epochs: 1\n")
	var notes strings.Builder
	var dir string
	r := runner(t, func(ctx context.Context, job *store.Job) (store.Result, error) {
		elsewhere(t, dir)
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			return store.Result{}, errors.New("the loss of the lease was not reported")
		}
		if !errors.Is(context.Cause(ctx), store.ErrTaken) {
			return store.Result{}, context.Cause(ctx)
		}
		for name, err := range map[string]error{
			"metrics": job.Folder.Write(store.MetricsFile, nil), "status": job.Folder.SetStatus(store.Status{}),
			"result": job.Folder.WriteResult(store.Result{}), "check": job.Folder.Check(),
		} {
			expect.Fails(t, err, job.Config.ID(), store.ErrTaken, name)
		}
		return store.Result{}, context.Cause(ctx)
	})
	r.LeaseTime, r.Progress = 60*time.Millisecond, &grid.Display{Out: &notes}
	dir = filepath.Join(r.Root, plan.Runs[0].ID)
	if _, err := r.Run(t.Context(), plan); !errors.Is(err, store.ErrTaken) {
		t.Fatalf("error is %v, want ErrTaken", err)
	}
	if !strings.Contains(notes.String(), "another process has taken the run over") {
		t.Errorf("not reported:\n%s", notes.String())
	}
	status(t, r.Root, plan.Runs[0].ID, store.Running) // written before

	// The other owner is silent, so if the runner waits it executes the run after all.
	r.Wait = true
	(&fake{}).does(t, r, plan, 1)
	_, err := os.Stat(filepath.Join(dir, "lease.3"))
	expect.OK(t, err)
}

// manyRuns is a plan of n runs, a fifth of them needed by others.
func manyRuns(t testing.TB, n int) store.Plan {
	t.Helper()
	seeds := make([]string, n/5)
	for i := range seeds {
		seeds[i] = fmt.Sprint(i + 1)
	}
	return planOf(t, "epochs: 1\ngrid:\n  loss: [forward, forward-estimated, backward-estimated, backward]\n"+
		"  seed: ["+strings.Join(seeds, ", ")+"]\n").NeededFirst()
}

// A GPU has runs of one network at a time: as many as share it well, or as many as Workers allows.
func TestOneNetworkOnAGPU(t *testing.T) {
	configs := planOf(t, "loss: cross-entropy").Configs()
	for i := range 59 {
		configs = append(configs, configs[0])
		configs[i+1].Seed = uint64(i + 2)
	}
	for i := range configs {
		configs[i].Device, configs[i].Model = "cuda", []string{"lstm", "resnet14", "mlp"}[i%3]
	}
	plan := store.NewPlan(configs)
	for workers, want := range map[int]map[string]int{0: {"lstm": 10, "resnet14": 6, "mlp": 1}, 4: {"lstm": 4, "resnet14": 4,
		"mlp": 4}} {
		var mu sync.Mutex
		busy, most, order := map[string]int{}, map[string]int{}, map[string][]string{} // by device
		execute := func(_ context.Context, job *store.Job) (store.Result, error) {
			c := job.Config
			mu.Lock()
			if o := order[c.Device]; len(o) == 0 || o[len(o)-1] != c.Model {
				order[c.Device] = append(o, c.Model)
			}
			busy[c.Device]++
			most[c.Model] = max(most[c.Model], busy[c.Device])
			for k := 0; k < 200 && most[c.Model] < want[c.Model]; k++ { // until the others have started
				mu.Unlock()
				time.Sleep(10 * time.Millisecond)
				mu.Lock()
			}
			busy[c.Device]--
			mu.Unlock()
			return complete(c), nil
		}
		r := runner(t, execute)
		r.Workers, r.Devices = workers, []string{"cuda:0"}
		_, err := r.Run(t.Context(), plan)
		expect.OK(t, err)
		expect.Same(t, want, most, workers)
		expect.Same(t, map[string][]string{"cuda:0": {"lstm", "resnet14", "mlp"}}, order, workers)
		if workers > 0 {
			continue
		}
		r = runner(t, execute)
		r.Devices = []string{"cuda:0", "cuda:1"}
		clear(order)
		_, err = r.Run(t.Context(), plan)
		expect.OK(t, err)
		for device, o := range order {
			if len(o) > 3 || !slices.IsSortedFunc(o, func(a, b string) int {
				return slices.Index([]string{"lstm", "resnet14", "mlp"}, a) - slices.Index([]string{"lstm", "resnet14", "mlp"}, b)
			}) {
				t.Errorf("%s had %v", device, o)
			}
		}
	}
}

// The files of an earlier attempt are used, or ignored as requested.
func TestRestart(t *testing.T) {
	plan := manyRuns(t, 5)
	left, calls := 0, 0
	r := runner(t, func(_ context.Context, job *store.Job) (store.Result, error) {
		calls++
		checkpoint := job.Folder.Path(store.CheckpointsDir, "last")
		if _, err := os.Stat(checkpoint); err == nil {
			left++
		}
		err := os.WriteFile(checkpoint, nil, 0o644)
		if calls == 4 || calls == 5 {
			return store.Result{}, errors.Join(err, errors.New("disk full"))
		}
		return complete(job.Config), err
	})
	var failed *grid.FailedError
	if _, err := r.Run(t.Context(), plan); !errors.As(err, &failed) || len(failed.Failed) != 2 {
		t.Fatalf("error is %v, want two failures", err)
	}
	s := status(t, r.Root, plan.Runs[3].ID, store.Failed)
	if !strings.Contains(strings.Join(s.Log, "\n"), "disk full") || s.Error != "disk full" {
		t.Errorf("status is %+v; want the error and the end of the log", s)
	}
	for _, tt := range []struct {
		restart     bool
		lost        bool // the result of the last run
		calls, left int
	}{
		{false, false, 2, 2}, {false, false, 0, 0}, {true, false, 5, 0}, {false, true, 1, 1},
	} {
		if tt.lost {
			expect.OK(t, os.Remove(store.At(r.Root, plan.Runs[4].ID).Path(store.ResultFile)))
		}
		calls, left, r.Restart = 10, 0, tt.restart
		_, err := r.Run(t.Context(), plan)
		expect.OK(t, err)
		if calls-10 != tt.calls || left != tt.left {
			t.Errorf("%+v: %d runs, %d of them from a checkpoint", tt, calls-10, left)
		}
	}
}

// Survey reads the state of each run from its folder; no sign of life is in the future.
func TestSurvey(t *testing.T) {
	plan := manyRuns(t, 10)
	// Runs 0 and 1 are needed by others that are not in this part of the plan.
	r := runner(t, func(_ context.Context, job *store.Job) (store.Result, error) {
		if job.Config.ID() == plan.Runs[3].ID {
			return store.Result{}, errors.New("disk full")
		}
		return complete(job.Config), nil
	})
	if _, err := r.Run(t.Context(), store.Plan{Runs: plan.Runs[:4]}); err == nil {
		t.Fatal("no run failed")
	}
	running := func(i int) *store.Folder {
		f, err := store.Claim(r.Root, plan.Runs[i].Config, &store.Watch{}, store.DefaultLeaseTime)
		if err == nil {
			err = f.SetStatus(store.Status{State: store.Running, Epoch: 7})
		}
		expect.OK(t, err)
		return f
	}
	defer running(4).Close()
	running(5).Close()
	for i, ago := range map[int]time.Duration{6: time.Hour, 7: -time.Hour} { // run 7's clock is ahead
		f := running(i)
		f.Close()
		elsewhere(t, f.Dir())
		expect.OK(t, os.Chtimes(lease(f.Dir()), time.Now().Add(-ago), time.Now().Add(-ago)))
	}
	expect.OK(t, os.WriteFile(store.At(r.Root, plan.Runs[2].ID).Path(store.ResultFile), []byte(`{"schema":`), 0o644))
	var got []string
	for _, s := range store.Survey(r.Root, plan) {
		got = append(got, fmt.Sprintf("%s %d %s", s.State, s.Epoch(), s.Problem))
		if s.Ago < 0 {
			t.Errorf("a sign of life in the future: %v", s.Ago)
		}
	}
	damaged := "run " + plan.Runs[2].ID + ": result.json is damaged: unexpected end of JSON input"
	expect.Same(t, []string{"pending 0 ", "pending 0 ", "stopped 0 " + damaged, "failed 0 disk full", "running 7 ",
		"killed 7 ", "silent 7 ", "running 7 ", "pending 0 ", "pending 0 "}, got, "survey")

}

// The cost of a run is estimated from similar runs, not from runs with larger batches.
func TestEstimate(t *testing.T) {
	const text = "epochs: 2\n"
	r := runner(t, (&fake{}).execute)
	_, err := r.Run(t.Context(), planOf(t, text))
	expect.OK(t, err)
	for more, known := range map[string]bool{
		"seed=2": true, "loss=unhinged": true, "epochs=3": false, "batch_size=64": false, "precision=bfloat16": false,
	} {
		if cost := grid.Estimate(r.Root, planOf(t, text, more).Configs()); (cost.Without == 0) != known {
			t.Errorf("%s: %+v, want an estimate: %v", more, cost, known)
		}
	}
}

// A run started by one revision and finished by another names both.
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
		r.Environment = store.Environment{Code: code}
		_, _ = r.Run(t.Context(), plan) // the first is stopped
		stop = false
	}
	result, err := store.At(r.Root, plan.Runs[0].ID).Result()
	expect.OK(t, err)
	expect.Same(t, []string{"bbbb", "aaaaaaaaaaaa+"}, append([]string{result.Revision}, result.Earlier...), "revisions")
}
