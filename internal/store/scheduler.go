package store

import (
	"slices"
	"strconv"
)

// scheduler lists the environment variables that a cluster's scheduler sets in a job.
type scheduler struct {
	ids      [][]string // jobs that agree in all variables of one set are the same
	restarts string     // variable that counts restarts of the job; empty: none
	others   []string   // recorded for readers
}

var schedulers = []scheduler{
	{ // Slurm
		ids:      [][]string{{"SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID"}, {"SLURM_JOB_ID"}},
		restarts: "SLURM_RESTART_COUNT",
		others:   []string{"SLURM_CLUSTER_NAME", "SLURM_NODELIST"},
	},
	{others: []string{"JOB_COMPLETION_INDEX", "KUBERNETES_SERVICE_HOST"}},
	{others: []string{"PBS_JOBID"}},
	{others: []string{"LSB_JOBID"}},
}

// jobVars are the variables of all schedulers.
func jobVars() []string {
	var out []string
	for _, s := range schedulers {
		out = slices.Concat(out, slices.Concat(s.ids...), s.others)
		if s.restarts != "" {
			out = append(out, s.restarts)
		}
	}
	return out
}

// startedAgain reports whether later is a restart of the job earlier.
func (s scheduler) startedAgain(earlier, later map[string]string) bool {
	if s.restarts == "" {
		return false
	}
	count := func(job map[string]string) int {
		n, _ := strconv.Atoi(job[s.restarts]) // 0 at the first start
		return n
	}
	return count(earlier) < count(later) && slices.ContainsFunc(s.ids, func(ids []string) bool {
		return !slices.ContainsFunc(ids, func(id string) bool { return earlier[id] == "" || earlier[id] != later[id] })
	})
}
