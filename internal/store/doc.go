// Package store reads and writes the project's files: the folder of a run, and the plan in the folder of many runs.
// Each file has one Go type, one writer and one reader, all in this package.
//
//	folder, err := store.Open("runs/mnist", "0a1b2c3d4e5f")
//	if err != nil {
//		return err
//	}
//	result, err := folder.Result() // ErrUnfinished if it has no result yet
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
// A run with a result.json is finished and never repeated. Any other run resumes from its checkpoint.
//
// Files are written under a temporary name and then renamed, so after a crash or on a full disk a file holds either the
// old content or the new. A lease lets one process at a time write into a run's folder. If the owner of the lease dies,
// another process takes the run over.
//
// A [Plan] is an ordered list of runs, including the cross-entropy runs that the -estimated losses need. [Freeze] turns
// it into a file, plan.json, which fixes the index of each run so that many processes can share it. [Survey] reports
// the state of each run from its folder. A [Job] is the input of a function that executes one run.
package store
