package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/losscorr/losscorr/internal/grid/cluster"
)

// Queued implements cluster.Scheduler, by squeue.
func (s *Site) Queued(ctx context.Context, jobs []cluster.Job) ([]cluster.Queued, error) {
	byID := map[string]cluster.Job{}
	var ids []string
	for _, j := range jobs {
		byID[j.ID] = j
		ids = append(ids, j.ID)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := cluster.Run(ctx, nil, "squeue", "--noheader", "--array", "--jobs="+strings.Join(ids, ","),
		"--format=%F|%K|%T|%r")
	if err != nil {
		if strings.Contains(err.Error(), "Invalid job id") { // all ended long ago
			return nil, nil
		}
		return nil, err
	}
	var queued []cluster.Queued
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) != 4 {
			return nil, fmt.Errorf("squeue printed %q, not four fields", strings.TrimSpace(line))
		}
		job, ours := byID[fields[0]]
		if !ours {
			continue
		}
		q := cluster.Queued{Job: job, Task: -1, State: strings.ToLower(fields[2])}
		if reason := fields[3]; reason != "" && reason != "None" {
			q.State += " (" + reason + ")"
		}
		if n, err := strconv.Atoi(fields[1]); err == nil {
			q.Task = n + job.Offset
		}
		queued = append(queued, q)
	}
	return queued, nil
}

// maxArraySize asks scontrol for the cluster's limit: indices of an array must be below it.
func maxArraySize(ctx context.Context) (int, error) {
	out, err := cluster.Run(ctx, nil, "scontrol", "show", "config")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(name) != "MaxArraySize" {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil {
			return 0, fmt.Errorf("scontrol show config: MaxArraySize is %q", strings.TrimSpace(value))
		}
		if n < 2 {
			return 0, fmt.Errorf("this cluster allows no arrays (MaxArraySize is %d): run losscorr grid run in a single job", n)
		}
		return n, nil
	}
	return 0, errors.New("scontrol show config does not report MaxArraySize; set max_array_size in the site file")
}

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
