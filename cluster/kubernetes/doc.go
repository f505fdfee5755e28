// Package kubernetes hands a plan to Kubernetes as one Indexed Job, whose
// manifest it writes.
//
// One index is one task of the plan:
//
//	losscorr grid exec --plan /runs/mnist/plan.json --pack K --offset O
//
// reads its index in JOB_COMPLETION_INDEX. It is one Job and not one a phase,
// since a Job cannot wait for another: indices start in order, the runs that others
// need stand at the head of the plan, and a task whose run needs one that is not
// finished waits for it or does it. A pod that loses its node is replaced without
// being counted, and goes on from the checkpoint on the volume; exit codes that
// another try cannot mend end their index at once.
//
// The types here are the part of the API that the manifest needs, under the API's
// names, so that the module does not depend on Kubernetes. The module in validate
// reads manifests strictly into the API's own types and has the API server's
// validation check them.
package kubernetes
