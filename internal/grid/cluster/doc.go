// Package cluster submits the unfinished runs of a plan to a cluster's scheduler. Packages slurm and kubernetes
// implement [Scheduler]; [Submit] and [WriteStatus] work with any.
//
// A task is one element of an array of jobs: it executes pack runs of the plan, from place pack*n on. Runs that others
// need are at the head of the plan, so the tasks form two phases, First and Rest.
//
//	left := cluster.Left(plan, "runs/mnist")
//	phases := cluster.Phases(plan, left, 4)
//	fmt.Println(humanize.Ranges(phases.First), humanize.Ranges(phases.Rest)) // 0-1 2-9,12
package cluster
