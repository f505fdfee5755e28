package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
)

// The signal may come while data are read, long before the first run: the task is
// queued again then, too.
func TestRequeueBeforeRuns(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "c.yaml"), []byte("dataset: mnist\n"))
	fakeSlurm(t, dir)
	p := pretending(fakePipeline{preflight: func(ctx context.Context, _ dataset.Options) error {
		if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			t.Error("the signal did not arrive")
		}
		return ctx.Err()
	}})
	out := filepath.Join(dir, "runs")
	if code := p.Main([]string{"losscorr", "grid", "plan", filepath.Join(dir, "c.yaml"), "--out", out}); code != app.ExitDone {
		t.Fatalf("plan: exit code %d: %s", code, p.Stderr)
	}
	code := p.Main([]string{"losscorr", "grid", "exec", "--plan", out, "--index", "0"})
	requeued, _ := os.ReadFile(filepath.Join(dir, "requeued")) // absent: not once
	if code != app.ExitStopped || string(requeued) != "requeue 7_0\n" {
		t.Errorf("exit code %d, queued again %q; want %d, once\n%s", code, requeued, app.ExitStopped, p.Stderr)
	}
}

// fakeSlurm makes this process task 0 of job 7 of a Slurm, which ends it when it is
// queued again, and leaves what was queued in the file requeued.
func fakeSlurm(t *testing.T, dir string) {
	t.Helper()
	body := fmt.Sprintf("#!/bin/sh\necho \"$*\" >>'%s'\nkill -TERM $PPID\n", filepath.Join(dir, "requeued"))
	if err := os.WriteFile(filepath.Join(dir, "scontrol"), []byte(body), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("SLURM_JOB_ID", "8")
	t.Setenv("SLURM_ARRAY_JOB_ID", "7")
	t.Setenv("SLURM_ARRAY_TASK_ID", "0")
}
