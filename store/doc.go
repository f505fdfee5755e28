// Package store reads and writes what lies on disk: the folder of a run, and the
// plan in the folder that holds many. Each file has one Go type, one writer and one
// reader, all here.
//
//	config.yaml                     config.Config, every setting of the run
//	env.json                        Environment: program, machine, GPU, hashes of the data
//	status.json                     Status: how far the run is
//	metrics.jsonl                   an Epoch per line; the same for TensorBoard in events.out.tfevents.*
//	noisy_labels.csv T.csv T_hat.csv
//	checkpoints/ log.txt
//	result.json                     Result, written last and as a whole
//
// Where result.json is, the run is finished and is not done again. Any other run is
// unfinished and resumes from its checkpoint.
//
// Files are written under another name first and then renamed, so that a crash or a
// full disk leaves the old text or the new one. One process at a time holds the
// folder of a run, by a lease that others take over when its owner is dead.
//
// A Plan is an ordered list of runs, with the cross-entropy runs that estimated
// losses need; Freeze makes a file of it, plan.json, in which an index stands for a
// run for good, so that many processes can share it. Survey says in which state each
// run is, from its folder alone. A Job is what a program that does runs is given for
// one.
package store
