// Package experiments holds the paper's experiments, one folder each, with a main of a few lines. The main
// executes the runs of the YAML file with the folder's name, or of the file that its first argument names. The
// folder figures has a grid for each panel of the paper's figures and draws them. The folder theory measures the
// theorems and has no configuration.
//
// A program of your own that adds a loss registers it with losses.Register and ends with the exit code of [Main]:
// docs/own-loss.md has one.
package experiments

import (
	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/command"
)

// Main runs the program losscorr with the arguments of a process and returns its exit code.
func Main(args []string) int { return command.Main(args) }

// Run executes the experiment of a folder with the arguments of a process and returns its exit code.
func Run(name string, args []string) int {
	return command.Experiment(name, losscorr.Experiments(), args)
}
