package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/dataset"
)

// The signal may come while data are read, long before the first run: the task is
// queued again then, too.
func TestRequeueBeforeRuns(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "c.yaml"), []byte("dataset: mnist\n"))
	requeued := 0
	p := Program{
		Execute: pretend, Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{},
		Preflight: func(ctx context.Context, _ []config.Config, _ dataset.Options) error {
			if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
				return err
			}
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Second):
				t.Error("the signal did not arrive")
			}
			return ctx.Err()
		},
		Requeue: func(context.Context) error { requeued++; return nil },
	}
	out := filepath.Join(dir, "runs")
	if code := p.Main([]string{"losscorr", "grid", "plan", filepath.Join(dir, "c.yaml"), "--out", out}); code != ExitDone {
		t.Fatalf("plan: exit code %d: %s", code, p.Stderr)
	}
	code := p.Main([]string{"losscorr", "grid", "exec", "--plan", out, "--index", "0"})
	if code != ExitStopped || requeued != 1 {
		t.Errorf("exit code %d, queued again %d times; want %d, once\n%s", code, requeued, ExitStopped, p.Stderr)
	}
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
	for _, want := range []string{"submitted jobs 7; what is queued is not known: squeue is not on the PATH", "submitted job losscorr-x; whether it is active is not known"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
