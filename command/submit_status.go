package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/losscorr/losscorr/cluster"
	"github.com/losscorr/losscorr/cluster/kubernetes"
	"github.com/losscorr/losscorr/cluster/slurm"
)

// printSubmitted says which jobs of a plan a cluster still has, and what it has
// them wait for. Where the cluster does not answer, it names the jobs that were
// submitted.
func (p Program) printSubmitted(ctx context.Context, dir string) error {
	record, err := cluster.Load(dir)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	if list := record.Of(cluster.Slurm); len(list) > 0 {
		queued, err := slurm.Queue(ctx, list)
		if err != nil {
			fmt.Fprintf(w, "slurm\tsubmitted jobs %s; what is queued is not known: %v\n", strings.Join(submittedIDs(list), ", "), err)
		}
		for _, line := range queueLines(list, queued) {
			fmt.Fprintf(w, "slurm\t%s\n", line)
		}
	}
	if list := record.Of(cluster.Kubernetes); len(list) > 0 {
		last := list[len(list)-1]
		switch active, err := (kubernetes.Kubectl{Namespace: last.Namespace}).Active(ctx, last.ID); {
		case err != nil:
			fmt.Fprintf(w, "kubernetes\tsubmitted job %s; whether it is active is not known: %v\n", last.ID, err)
		case active:
			fmt.Fprintf(w, "kubernetes\tjob %s: tasks %s, active\n", last.ID, last.Tasks)
		}
	}
	return w.Flush()
}

// queueLines is a line for each job that has not ended: how many of its tasks are
// in which state, and why those wait that do.
func queueLines(list []cluster.Job, queued []slurm.Queued) []string {
	var lines []string
	for _, j := range list {
		counts := map[string]int{}
		for _, q := range queued {
			if q.Job.ID != j.ID {
				continue
			}
			state := strings.ToLower(q.State)
			if q.Why != "" && q.Why != "None" {
				state += " (" + q.Why + ")"
			}
			counts[state]++
		}
		if len(counts) == 0 {
			continue
		}
		var states []string
		for state, n := range counts {
			states = append(states, fmt.Sprintf("%d %s", n, state))
		}
		slices.Sort(states)
		lines = append(lines, fmt.Sprintf("job %s, %s: %s", j.ID, describeJob(j), strings.Join(states, ", ")))
	}
	return lines
}

func submittedIDs(list []cluster.Job) []string {
	out := make([]string, len(list))
	for i, j := range list {
		out[i] = j.ID
	}
	return out
}
