// Package kubernetes is the [cluster.Scheduler] of Kubernetes: it submits the tasks of
// a plan as one Indexed Job, by kubectl.
//
// One index is one task of the plan:
//
//	losscorr grid exec --plan /runs/mnist/plan.json --pack K --offset O
//
// reads its index in JOB_COMPLETION_INDEX. It is one Job and not one a phase,
// since a Job cannot wait for another: indices start in order, the runs that others
// need stand at the head of the plan, and a task whose run needs one that is not
// finished waits for it or does it. A pod that loses its node is replaced without
// being counted, and resumes from the checkpoint on the volume; exit codes that
// another try cannot repair end their index at once.
//
// job.yaml.tmpl is the template of the manifest, testdata holds two that it makes. The
// module in validate reads these strictly into the API's own types and has the API
// server's validation check them.
package kubernetes
