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

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

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
