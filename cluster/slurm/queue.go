package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/losscorr/losscorr/cluster"
)

// Queued is one task, or one job that is no array, that Slurm has not ended.
type Queued struct {
	Job   cluster.Job
	Task  int    // of the plan; -1 for a job that is no array
	State string // PENDING, RUNNING, ...
	Why   string // of waiting
}

// Queue asks squeue which of some jobs have not ended, an answer a task.
func Queue(ctx context.Context, list []cluster.Job) ([]Queued, error) {
	byID := map[string]cluster.Job{}
	var ids []string
	for _, j := range list {
		byID[j.ID] = j
		ids = append(ids, j.ID)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := run(ctx, "squeue", "--noheader", "--array", "--jobs="+strings.Join(ids, ","), "--format=%F|%K|%T|%r")
	if err != nil {
		if strings.Contains(err.Error(), "Invalid job id") { // all have ended long ago
			return nil, nil
		}
		return nil, err
	}
	var queued []Queued
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) != 4 {
			return nil, fmt.Errorf("squeue printed %q, not four fields", strings.TrimSpace(line))
		}
		job, ours := byID[fields[0]]
		if !ours {
			continue
		}
		q := Queued{Job: job, Task: -1, State: fields[2], Why: fields[3]}
		if n, err := strconv.Atoi(fields[1]); err == nil {
			q.Task = n + job.Offset
		}
		queued = append(queued, q)
	}
	return queued, nil
}

// MaxArraySize asks scontrol for the cluster's limit: indices of an array are
// less.
func MaxArraySize(ctx context.Context) (int, error) {
	out, err := run(ctx, "scontrol", "show", "config")
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
			return 0, fmt.Errorf("this cluster allows no arrays (MaxArraySize is %d): train with losscorr grid run inside one job", n)
		}
		return n, nil
	}
	return 0, errors.New("scontrol show config names no MaxArraySize; set max_array_size in the site file")
}

// commandTime bounds a call of Slurm's programs, which wait long for a controller
// that is down.
const commandTime = 2 * time.Minute

// run calls a program of Slurm and returns what it printed.
func run(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	var out, told bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = &out, &told
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", &cluster.MissingError{Program: name, Hint: "submit on a login node of the cluster"}
	}
	if err != nil {
		if text := strings.TrimSpace(told.String()); text != "" {
			return "", fmt.Errorf("%s: %s", name, strings.ReplaceAll(text, "\n", "; "))
		}
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return out.String(), nil
}
