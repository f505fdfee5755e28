// Package pipeline does one run of Algorithm 1 of the paper: it reads the data, draws
// noisy labels by T, trains the network with the loss of the configuration and, after
// cross-entropy, estimates T off the network.
//
//	config.Config -> dataset.Dataset -> noisy labels, T -> training.Run -> T-hat -> store.Result
//
// Algorithm 1 trains twice. The first network, trained with cross-entropy, is a run
// of its own, which several corrected runs share: Execute is given its folder, reads
// T-hat off its network and trains the second with the corrected loss.
//
// Preflight reads the data and the matrices before any training, so that a damaged
// file is one error and not one per run. Every random draw has a stream of its own,
// derived from the run's seed and a name, so that runs which differ in one setting
// share all other draws.
package pipeline
