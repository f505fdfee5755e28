package slurm

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// endTime bounds the wait for Slurm to end a task that it has queued again; KillWait
// and a slow node's epilogue are shorter.
const endTime = 5 * time.Minute

// Requeue implements cluster.Scheduler: it has Slurm queue this task again, which ends
// it, and waits for that end: a task that ended by itself before would be a finished
// job. It returns when ctx ends, as at Slurm's TERM, and returns an error where Slurm
// refuses, as for jobs of --no-requeue.
func (s *Site) Requeue(ctx context.Context) error {
	id := jobID()
	if id == "" {
		return nil
	}
	// Of its own process group and not of ctx: what ends the task must not end the
	// request for that.
	cmd := exec.Command("scontrol", "requeue", id)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if out, err := cmd.CombinedOutput(); err != nil {
		if text := strings.TrimSpace(string(out)); text != "" {
			return fmt.Errorf("scontrol requeue %s: %s", id, strings.ReplaceAll(text, "\n", "; "))
		}
		return fmt.Errorf("scontrol requeue %s: %w", id, err)
	}
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(endTime):
		return fmt.Errorf("scontrol requeue %s was accepted, and this task still runs %v later", id, endTime)
	}
}

// jobID is what scontrol calls this task.
func jobID() string {
	if array, task := os.Getenv("SLURM_ARRAY_JOB_ID"), os.Getenv(index); array != "" && task != "" {
		return array + "_" + task
	}
	return os.Getenv("SLURM_JOB_ID")
}
