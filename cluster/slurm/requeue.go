package slurm

import (
	"context"
	"errors"
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

// Requeue has Slurm queue this task again, which ends it, and waits for that end:
// a task that ended by itself before would be a finished job. It returns when ctx
// ends, as at Slurm's TERM, and returns an error where Slurm refuses, as for jobs
// of --no-requeue.
func Requeue(ctx context.Context) error {
	id := jobID(os.Getenv)
	if id == "" {
		return errors.New("this is no job of Slurm: SLURM_JOB_ID is not set")
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
		return fmt.Errorf("scontrol requeue %s was taken, and this task still runs %v later", id, endTime)
	}
}

// jobID is what scontrol calls this task.
func jobID(env func(string) string) string {
	if array, index := env("SLURM_ARRAY_JOB_ID"), env("SLURM_ARRAY_TASK_ID"); array != "" && index != "" {
		return array + "_" + index
	}
	return env("SLURM_JOB_ID")
}
