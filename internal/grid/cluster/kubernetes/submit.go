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

// span is a range of tasks.
type span struct{ first, last int }

// spans returns the fewest ranges that contain all tasks, which are in ascending order, but no queued ones.
func spans(tasks, queued []int) (list []span) {
	for _, task := range tasks {
		k := len(list) - 1
		if k < 0 || slices.ContainsFunc(queued, func(q int) bool { return list[k].last < q && q < task }) {
			list = append(list, span{task, task})
			continue
		}
		list[k].last = task
	}
	return list
}

// Submit implements cluster.Scheduler. A Job is a range of tasks, from the first to the last unfinished one; finished
// tasks in between end at once. Queued tasks in between would wait for themselves, so they split the range into several
// Jobs.
func (s *Site) Submit(ctx context.Context, sub *cluster.Submission) error {
	tasks := func(runs []int) []int {
		tasks := make([]int, len(runs))
		for i, run := range runs {
			tasks[i] = run / sub.Pack
		}
		return tasks
	}
	for k, part := range spans(tasks(sub.Runs), tasks(sub.Queued)) {
		if k > 0 && sub.DryRun {
			if _, err := fmt.Fprintln(sub.Stdout, "---"); err != nil {
				return err
			}
		}
		if err := s.submit(ctx, sub, len(sub.Earlier)+k, part); err != nil {
			return err
		}
	}
	return nil
}

// submit submits one Job with the tasks in part. before, the number of the plan's earlier Jobs, makes its name unique.
func (s *Site) submit(ctx context.Context, sub *cluster.Submission, before int, part span) error {
	folder := filepath.Base(sub.Dir)
	j := job{
		Site: *s, Name: jobName(folder, sub.Plan.SHA256, before), First: part.first, Tasks: part.last - part.first + 1,
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
