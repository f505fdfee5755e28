// Package runner makes runs out of configuration files and does them: it reads
// YAML, expands grids, keeps one folder a run, shares what runs have in common
// and shows progress. What a run computes is the executor's business.
//
// A configuration is built in layers, lowest first: the preset for the data
// set and model (presets.yaml), the files named by extends, the file itself,
// and key=value overrides. Maps merge, lists replace. A grid makes one run of
// each combination of its values; an axis sets its key afresh in every run:
//
//	extends: base.yaml
//	dataset: mnist
//	grid:
//	  noise: [{kind: none}, {kind: asymmetric, level: .6}]
//	  loss: [cross-entropy, forward]
//	  seed: [1, 2, 3]
//	  exclude: [{noise: {kind: none}, loss: forward}]
//	  include: [{loss: backward, noise: {kind: symmetric, level: .2}}] # at every seed
//
// A run is named by its ID, 12 hex digits of the sha256 of everything that
// decides its result, and lives in a folder of that name. The file result.json
// is written last and as a whole: where it is, the run is finished and is not
// done again. Anything else is unfinished, and goes on from its checkpoint.
//
//	configs, err := runner.Load("mnist.yaml", "epochs=2")
//	if err != nil {
//		return err // a *ConfigError lists every problem with file:line:column
//	}
//	r := runner.Runner{
//		Root: "runs/mnist", Workers: 2, Execute: execute,
//		Progress: runner.NewProgress(os.Stderr, false),
//	}
//	outcomes, err := r.Run(ctx, runner.NewPlan(configs))
//
// Algorithm 1 of the paper trains twice: a network with cross-entropy, off
// which T is read, then one with the corrected loss. The first is a run like any
// other, shared by the forward and the backward correction of one column; a
// plan adds it where it is missing.
//
// Freeze makes a file of a plan, in which an index stands for a run for good, so
// that many processes can share it. Each run's folder is held by one process at a
// time, by a lease that others take over when its owner is dead.
package runner
