package grid_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/grid"
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
			if !errors.Is(err, store.ErrTaken) || !strings.Contains(err.Error(), job.Config.ID()) {
				t.Errorf("%s: %v, want ErrTaken with the run's name", name, err)
			}
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
