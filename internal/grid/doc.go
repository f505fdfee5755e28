// Package grid executes the runs of a plan, several at a time, in an order in which each run finds the run that it
// needs finished. It resumes unfinished runs of earlier processes. A function passed to it computes one run.
//
//	r := grid.Runner{
//		Root: "runs/mnist", Workers: 2, Execute: new(run.Pipeline).Execute,
//		Progress: &grid.Display{Out: os.Stderr},
//	}
//	outcomes, err := r.Run(ctx, store.NewPlan(configs))
//
// Several processes, on several machines, may work on the same plan: the process that holds the lease of a run's folder
// executes the run. A failed run does not stop the others. [Runner.Run] returns an [Outcome] for each run of the plan.
//
// [Estimate] predicts the cost of runs from the results of runs of the same kind.
package grid
