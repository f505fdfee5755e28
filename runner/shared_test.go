package runner

import (
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
)

// A thousand workers, and processes beside them, ask for the same run: it is
// executed once, and all end with its result.
func TestRunOnce(t *testing.T) {
	const workers, processes = 1000, 4
	root, calls := os.Getenv("RUN_ONCE"), filepath.Join(os.Getenv("RUN_ONCE"), "calls")
	c := leaseConfig(t)
	child := root != ""
	if !child {
		root = t.TempDir()
		calls = filepath.Join(root, "calls")
	}
	execute := func(_ context.Context, job *Job) (Result, error) {
		f, err := os.OpenFile(calls, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return Result{}, err
		}
		_, err = f.WriteString("call\n")
		time.Sleep(100 * time.Millisecond)
		return Result{}, errors.Join(err, f.Close())
	}
	ask := func() error {
		r := Runner{Root: root, Workers: 1, Execute: execute, Wait: true, LeaseTime: time.Minute / 10}
		out, err := r.Run(t.Context(), NewPlan([]Config{c}))
		if err == nil && out[0].State != Done {
			err = fmt.Errorf("state %q", out[0].State)
		}
		return err
	}
	if child {
		if err := ask(); err != nil {
			t.Fatal(err)
		}
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

// An owner that another has taken for dead writes nothing more, says why, and its
// run ends as the other's.
func TestFence(t *testing.T) {
	root, c := t.TempDir(), leaseConfig(t)
	dir := filepath.Join(root, c.ID())
	var notes strings.Builder
	execute := func(ctx context.Context, job *Job) (Result, error) {
		elsewhere(t, dir, 2, 0)
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			return Result{}, errors.New("the loss of the lease was not told")
		}
		if !errors.Is(context.Cause(ctx), ErrTaken) {
			return Result{}, context.Cause(ctx)
		}
		for name, err := range map[string]error{
			"metrics": job.Folder.Write(MetricsFile, nil), "status": job.Folder.SetStatus(Status{}),
			"result": job.Folder.WriteResult(Result{}), "check": job.Folder.Check(),
		} {
			if !errors.Is(err, ErrTaken) || !strings.Contains(err.Error(), job.Config.ID()) {
				t.Errorf("%s: %v, want ErrTaken with the run's name", name, err)
			}
		}
		return Result{}, context.Cause(ctx)
	}
	r := Runner{Root: root, Workers: 1, Execute: execute, LeaseTime: 60 * time.Millisecond, Progress: NewLines(&notes)}
	if _, err := r.Run(t.Context(), NewPlan([]Config{c})); !errors.Is(err, ErrTaken) {
		t.Fatalf("error is %v, want ErrTaken", err)
	}
	if !strings.Contains(notes.String(), "another process has taken the run over") {
		t.Errorf("not told:\n%s", notes.String())
	}
	if s, err := (&Folder{ID: c.ID(), dir: dir}).Status(); err != nil || s.State != Running {
		t.Errorf("status is %+v, %v; want the one that was written before", s, err)
	}

	// The other is silent, so with patience the run is done after all.
	r.Wait = true
	r.Execute = func(context.Context, *Job) (Result, error) { return Result{}, nil }
	if _, err := r.Run(t.Context(), NewPlan([]Config{c})); err != nil {
		t.Fatal(err)
	}
	if top, err := highest(dir); top != 3 || err != nil {
		t.Errorf("generation %d, %v; want 3", top, err)
	}
}
