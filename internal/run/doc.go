// Package run executes one run of Algorithm 1 of the paper: it reads the data, draws noisy labels by T, trains the
// network with the configured loss and, after cross-entropy, estimates T from the network.
//
//	config.Config -> dataset.Dataset -> noisy labels, T -> train.Run -> T-hat -> store.Result
//
// Algorithm 1 trains twice. The first network, with cross-entropy, is trained by a separate run that several corrected
// runs share. [Pipeline.Execute] gets its folder in store.Job, estimates T-hat from its network, and trains the second
// network with the corrected loss:
//
//	var p run.Pipeline
//	if err := p.Preflight(ctx, configs, dataset.Options{}); err != nil {
//		return err
//	}
//	r := grid.Runner{Root: "runs/mnist", Execute: p.Execute}
//	outcomes, err := r.Run(ctx, store.NewPlan(configs))
//
// [Pipeline.Preflight] reads the data and matrices before any training, so that a damaged file gives one error, not one
// for each run. Every random draw has its own stream, derived from
// the run's seed and a name (config.Stream), so runs that differ in one setting share all other draws.
package run
