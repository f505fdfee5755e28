package kubernetes

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/grid/cluster"
	"github.com/losscorr/losscorr/internal/humanize"
)

// kubectl calls kubectl with the cluster and permissions it is configured for. An empty namespace means kubectl's.
func kubectl(ctx context.Context, namespace string, input []byte, args ...string) (string, error) {
	if namespace != "" {
		args = append(args, "--namespace="+namespace)
	}
	return cluster.Run(ctx, input, "kubectl", args...)
}

// jobStatus makes kubectl print a Job's name, its ended indices and its true conditions.
const jobStatus = "--output=jsonpath={.metadata.name}|{.status.completedIndexes}|{.status.failedIndexes}|" +
	`{range .status.conditions[?(@.status=="True")]}{.type} {end}`

// Queued implements cluster.Scheduler.
func (s *Site) Queued(ctx context.Context, jobs []cluster.Job) ([]cluster.Queued, error) {
	var queued []cluster.Queued
	for _, job := range jobs {
		tasks, err := active(ctx, job)
		if err != nil {
			return nil, err
		}
		for _, task := range tasks {
			queued = append(queued, cluster.Queued{Job: job, Task: task, State: "active"})
		}
	}
	return queued, nil
}

// active returns the tasks of a Job that have not ended.
func active(ctx context.Context, job cluster.Job) ([]int, error) {
	out, err := kubectl(ctx, job.Namespace, nil, "get", "job", job.ID, "--ignore-not-found", jobStatus)
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
	tasks, err := cluster.ParseRanges(job.Tasks)
	if err != nil {
		return nil, fmt.Errorf("%s: job %s: %w", cluster.RecordName, job.ID, err)
	}
	for _, text := range fields[1:3] {
		ended, err := cluster.ParseRanges(text)
		if err != nil {
			return nil, fmt.Errorf("kubectl get job: %w", err)
		}
		tasks = slices.DeleteFunc(tasks, func(task int) bool { return slices.Contains(ended, task-job.Offset) })
	}
	return tasks, nil
}

// Submit implements cluster.Scheduler. A Job is a range of tasks, from the first to the last unfinished one; finished
// tasks in between end at once, and those that are queued in another Job end with it. The number of the plan's earlier
// Jobs makes its name unique.
func (s *Site) Submit(ctx context.Context, sub *cluster.Submission) error {
	folder := filepath.Base(sub.Dir)
	first, last := slices.Min(sub.Runs)/sub.Pack, slices.Max(sub.Runs)/sub.Pack
	j := job{
		Site: *s, Name: jobName(folder, sub.Plan.SHA256, len(sub.Earlier)), First: first, Tasks: last - first + 1,
		Pack: sub.Pack, Args: sub.Args, Plan: sub.Plan.SHA256,
	}
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
		ID: j.Name, Namespace: s.Namespace, What: cluster.All, Tasks: humanize.Ranges(tasks), Offset: j.First,
		Command: []string{"kubectl", "create", "--filename=-"},
	})
}

// Requeue implements cluster.Scheduler. Kubernetes replaces a pod that ended with exit code 75.
func (s *Site) Requeue(context.Context) error { return nil }
