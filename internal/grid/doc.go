// Package grid executes many runs: it starts the runs of a plan, several at a time, in
// an order in which each run finds the run that it needs finished, and resumes
// unfinished runs of earlier processes. The function that computes one run is an
// argument.
//
//	r := grid.Runner{
//		Root: "runs/mnist", Workers: 2, Execute: new(run.Pipeline).Execute,
//		Progress: progress.New(os.Stderr, false),
//	}
//	outcomes, err := r.Run(ctx, store.NewPlan(configs))
//
// Several processes, on several machines, may work on the same plan: each run is
// executed by the process that holds the lease of its folder. A run that fails does not
// stop the others. [Runner.Run] returns an [Outcome] for each run of the plan.
//
// [Estimate] predicts the cost of runs from the results of runs of the same kind.
package grid
