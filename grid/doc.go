// Package grid does many runs: it starts those of a plan, several at a time, in an
// order in which a run finds what it needs, and resumes what an earlier process has
// left. What one run computes is a function that it is given.
//
//	r := grid.Runner{
//		Root: "runs/mnist", Workers: 2, Execute: new(pipeline.Pipeline).Execute,
//		Progress: progress.New(os.Stderr, false),
//	}
//	outcomes, err := r.Run(ctx, store.NewPlan(configs))
//
// Several processes, on several machines, may do the same plan: each run is done by
// the one that holds its folder. A run that fails does not stop the others.
//
// Estimate says what runs will cost, by the results of runs of the same kind.
package grid
