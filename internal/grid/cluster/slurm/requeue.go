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

// endTime bounds the wait for Slurm to end a requeued task; KillWait and a slow node's epilogue are shorter.
const endTime = 5 * time.Minute

// Requeue implements cluster.Scheduler. It asks Slurm to requeue this task, which ends it, and waits for that end: a
// task that ended earlier by itself would be a finished job. It returns when ctx ends, as at Slurm's TERM, or with an
// error if Slurm refuses, as for jobs with --no-requeue.
func (s *Site) Requeue(ctx context.Context) error {
	id := jobID()
	if id == "" {
		return nil
	}
	// A process group of its own, and no ctx: the signal that ends the task must not end this request.
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
		return fmt.Errorf("scontrol requeue %s was accepted, but this task still runs %v later", id, endTime)
	}
}

// jobID returns scontrol's name of this task.
func jobID() string {
	if array, task := os.Getenv("SLURM_ARRAY_JOB_ID"), os.Getenv(index); array != "" && task != "" {
		return array + "_" + task
	}
	return os.Getenv("SLURM_JOB_ID")
}
