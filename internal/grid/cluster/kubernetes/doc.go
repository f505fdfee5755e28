// Package kubernetes is the [cluster.Scheduler] of Kubernetes: it submits the tasks of
// a plan as one Indexed Job, by kubectl.
//
// One index is one task of the plan:
//
//	losscorr grid exec --plan /runs/mnist/plan.json --pack K --offset O
//
// reads its index from JOB_COMPLETION_INDEX. All phases are one Job, since a Job cannot wait for another. Indices start
// in order, runs that others need are at the head of the plan, and a task that needs an unfinished run waits for it or
// executes it. A pod that loses its node is replaced without being counted, and resumes from the checkpoint on the
// volume. Exit codes that no retry can fix end their index at once.
//
// job.yaml.tmpl is the template of the manifest, and testdata holds two manifests made from it. The module in validate
// reads these strictly into the API's own types and runs the API server's validation on them.
package kubernetes
