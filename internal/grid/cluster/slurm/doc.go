// Package slurm is the [cluster.Scheduler] of Slurm: it writes the job scripts,
// submits arrays of tasks below the cluster's MaxArraySize, finds what is still
// queued, and queues a task again that is about to lose its machine.
//
// One element of an array is one task, and runs
//
//	exec losscorr grid exec --plan P --pack K --index $SLURM_ARRAY_TASK_ID --offset O
//
// Slurm sends it USR1 two minutes before a time limit, or when a job of a higher
// partition takes the machine; the task writes a checkpoint and calls Requeue. A
// process that ends by itself at that signal would be a failed job, and Slurm
// queues failed jobs no second time. TERM (scancel) ends a task with exit code 75
// and does not queue it again.
//
// Nothing here needs Slurm's accounting (sacct), which many sites do not run.
package slurm
