package kubernetes

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/cluster"
)

// kubectl calls kubectl, with the cluster and the rights that it is set up for. An
// empty namespace is kubectl's.
func kubectl(ctx context.Context, namespace string, input []byte, args ...string) (string, error) {
	if namespace != "" {
		args = append(args, "--namespace="+namespace)
	}
	return cluster.Run(ctx, input, "kubectl", args...)
}

// jobStatus makes kubectl print the name of a Job, the indices that have ended and the
// conditions that hold.
const jobStatus = `--output=jsonpath={.metadata.name}|{.status.completedIndexes}|{.status.failedIndexes}|{range .status.conditions[?(@.status=="True")]}{.type} {end}`

// Queued implements cluster.Scheduler. It asks for the last job only: it has all tasks
// that were unfinished when it was submitted.
func (s *Site) Queued(ctx context.Context, jobs []cluster.Job) ([]cluster.Queued, error) {
	if len(jobs) == 0 {
		return nil, nil
	}
	last := jobs[len(jobs)-1]
	out, err := kubectl(ctx, last.Namespace, nil, "get", "job", last.ID, "--ignore-not-found", jobStatus)
	if err != nil || out == "" {
		return nil, err
	}
	fields := strings.Split(out, "|")
	if len(fields) != 4 {
		return nil, fmt.Errorf("kubectl get job printed %q, not four fields", out)
	}
	for _, condition := range strings.Fields(fields[3]) {
		if condition == "Complete" || condition == "Failed" {
			return nil, nil
		}
	}
	var ended []int
	for _, text := range fields[1:3] {
		indices, err := cluster.ParseRanges(text)
		if err != nil {
			return nil, fmt.Errorf("kubectl get job: %w", err)
		}
		ended = append(ended, indices...)
	}
	tasks, err := cluster.ParseRanges(last.Tasks)
	if err != nil {
		return nil, fmt.Errorf("%s: job %s: %w", cluster.RecordName, last.ID, err)
	}
	var queued []cluster.Queued
	for _, task := range tasks {
		if !slices.Contains(ended, task-last.Offset) {
			queued = append(queued, cluster.Queued{Job: last, Task: task, State: "active"})
		}
	}
	return queued, nil
}

// Submit implements cluster.Scheduler. The Job has the tasks from the first to the
// last that is unfinished; those between that are finished end at once.
func (s *Site) Submit(ctx context.Context, sub *cluster.Submission) error {
	folder := filepath.Base(sub.Dir)
	j := job{
		Site: *s, Name: jobName(folder, sub.Plan.SHA256, len(sub.Earlier)), First: sub.Runs[0] / sub.Pack,
		Pack: sub.Pack, Args: sub.Args, Plan: sub.Plan.SHA256,
	}
	j.Tasks = sub.Runs[len(sub.Runs)-1]/sub.Pack - j.First + 1
	if j.Path = strings.TrimSuffix(filepath.ToSlash(s.Path), "/"); s.Path == "" {
		j.Path = folder
	}
	if err := checkPath(j.Path); err != nil {
		return &cluster.SiteError{Err: err}
	}
	manifest, err := j.manifest()
	if err != nil {
		return err
	}
	if sub.DryRun {
		_, err := sub.Stdout.Write(manifest)
		return err
	}
	if _, err := kubectl(ctx, s.Namespace, manifest, "create", "--filename=-"); err != nil {
		return err
	}
	tasks := make([]int, j.Tasks)
	for i := range tasks {
		tasks[i] = j.First + i
	}
	return sub.Add(cluster.Job{
		ID: j.Name, Namespace: s.Namespace, What: cluster.All, Tasks: cluster.Ranges(tasks), Offset: j.First,
		Command: []string{"kubectl", "create", "--filename=-"},
	})
}

// Requeue implements cluster.Scheduler: Kubernetes replaces a pod that ended with exit
// code 75.
func (s *Site) Requeue(context.Context) error { return nil }
