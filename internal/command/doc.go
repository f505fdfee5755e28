// Package command is the command line shared by losscorr and the experiments of
// the paper. A main is one line that exits with the result of [Main]
// (cmd/losscorr), or of [Experiment] for a folder of configurations
// (experiments/mnist).
//
// Flags may stand before and after arguments; arguments of the form key=value
// override the configuration. Flags about the machine or a
// cluster task have an environment variable LOSSCORR_*. Data goes to standard output, messages for people to
// standard error. [app.Exit] turns an error into the exit code:
//
//	0   done
//	1   a run or the command failed
//	2   wrong usage
//	3   a grid ended with failed runs
//	65  bad or missing data
//	69  no such device or libtorch, or a GPU lost to an error
//	75  stopped after a checkpoint: run the same command again
//	78  bad or missing configuration or plan
//	130 interrupted before a checkpoint existed (143 for SIGTERM)
package command
