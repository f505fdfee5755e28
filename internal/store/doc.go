// Package store reads and writes the project's files: the folder of a run, and the
// plan in the folder that holds many runs. Each file has one Go type, one writer and
// one reader, all in this package.
//
//	folder, err := store.Open("runs/mnist", "0a1b2c3d4e5f")
//	if err != nil {
//		return err
//	}
//	result, err := folder.Result() // ErrUnfinished while there is none
//
// The files of a run's folder:
//
//	config.yaml                     config.Config, every setting of the run
//	env.json                        Environment: program, machine, GPU, hashes of the data
//	status.json                     Status: how far the run has come
//	metrics.jsonl                   one Epoch per line
//	noisy_labels.csv T.csv T_hat.csv
//	checkpoints/ log.txt
//	result.json                     Result, written last and atomically
//
// A run with a result.json is finished and is not done again. Any other run is
// unfinished and resumes from its checkpoint.
//
// Files are written under a temporary name and then renamed, so that a crash or a
// full disk leaves either the old content or the new one. One process at a time holds
// the folder of a run, by a lease. When the owner of the lease is dead, another
// process takes the run over.
//
// A [Plan] is an ordered list of runs, including the cross-entropy runs that estimated
// losses need. [Freeze] turns it into a file, plan.json, in which an index means the
// same run for ever, so that many processes can share it. [Survey] reports the state
// of each run, from its folder alone. A [Job] is the input of a function that executes
// one run.
package store
