// Package slurm is the [cluster.Scheduler] of Slurm: it writes the job scripts, submits arrays of tasks below the
// cluster's MaxArraySize, finds queued tasks, and requeues a task that is about to lose its machine.
//
// One element of an array is one task, and runs
//
//	exec losscorr grid exec --plan P --pack K --index $SLURM_ARRAY_TASK_ID --offset O
//
// Slurm sends it USR1 two minutes before a time limit, or when a job of a higher partition takes the machine. The task
// then writes a checkpoint and calls Requeue. If it simply ended at that signal, it would be a failed job, which Slurm
// does not requeue. TERM (scancel) ends a task with exit code 75 and does not requeue it.
//
// Nothing here needs Slurm's accounting (sacct), which many sites do not run.
package slurm
