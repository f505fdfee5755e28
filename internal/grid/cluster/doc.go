// Package cluster hands the runs of a plan that are not finished to the scheduler of a
// cluster. [Scheduler] is what a scheduler has to do; packages slurm and kubernetes
// implement it, and [Submit] and [WriteStatus] work with any.
//
// A task is what one element of an array of jobs does: the runs of the plan from
// place pack*n on, pack of them. Runs that others need stand at the head of a
// plan, so the tasks come in two phases, First and Rest.
//
//	left := cluster.Left(plan, "runs/mnist")
//	phases := cluster.Phases(plan, left, 4)
//	fmt.Println(humanize.Ranges(phases.First), humanize.Ranges(phases.Rest)) // 0-1 2-9,12
package cluster
