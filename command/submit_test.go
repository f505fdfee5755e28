package command

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/losscorr/losscorr/dataset"
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
	if code := p.Main([]string{"losscorr", "grid", "plan", filepath.Join(dir, "c.yaml"), "--out", out}); code != ExitDone {
		t.Fatalf("plan: exit code %d: %s", code, p.Stderr)
	}
	code := p.Main([]string{"losscorr", "grid", "exec", "--plan", out, "--index", "0"})
	requeued, _ := os.ReadFile(filepath.Join(dir, "requeued")) // absent: not once
	if code != ExitStopped || string(requeued) != "requeue 7_0\n" {
		t.Errorf("exit code %d, queued again %q; want %d, once\n%s", code, requeued, ExitStopped, p.Stderr)
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

// A cluster that does not answer is no reason to hide what the folders tell.
func TestStatusWithoutCluster(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	write(t, filepath.Join(dir, "jobs.json"), []byte(`{"schema": 1, "jobs": [
		{"cluster": "slurm", "id": "7", "what": "rest", "tasks": "0-9"}, {"cluster": "kubernetes", "id": "losscorr-x", "what": "all"}]}`))
	var out bytes.Buffer
	if err := (Program{Stdout: &out}).printSubmitted(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"submitted jobs 7; what is queued is not known: not available on this machine: squeue is not on the PATH", "submitted jobs losscorr-x; what is queued is not known: not available on this machine: kubectl is not on the PATH"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
