package slurm

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

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
