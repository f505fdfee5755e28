// Figures draws the paper's figures (a) to (f), which plot accuracy against the level of asymmetric noise for
// cross-entropy and its corrections, and the paper's example of T and an estimate as two heat maps.
//
//	go run ./experiments/figures                    MNIST's runs, then all panels that have runs
//	go run ./experiments/figures imdb-lstm          another block's runs
//	go run ./experiments/figures quick              every block whose data is available, scaled down
//	go run ./experiments/figures draw               no runs, only panels
//
// Other arguments go to the blocks' experiments. Runs are in runs/figures/BLOCK; finished runs in runs/BLOCK are
// reused.
package main

import (
	"fmt"
	"github.com/losscorr/losscorr"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/command"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/results/paper"
)

const runs = "runs" // folder of all runs

func main() { os.Exit(run(os.Args[1:], train, os.Stdout, os.Stderr)) }

// train executes the runs of a configuration in this folder and returns the exit code.
func train(config, out string, rest []string) int {
	return command.Experiment("figures", losscorr.Experiments(), append([]string{"figures", config, "--out", out},
		rest...))
}

func run(args []string, train func(config, out string, rest []string) int, stdout, stderr io.Writer) int {
	o, err := parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "figures: %v\n", err)
		return app.ExitUsage
	}
	for _, block := range o.blocks {
		config := block
		if o.quick {
			config += "-quick"
		}
		root := filepath.Join(runs, "figures", block)
		if err := adopt(root, filepath.Join(runs, block)); err != nil {
			fmt.Fprintf(stderr, "figures: %v\n", err)
			return app.ExitFailed
		}
		switch code := train(config, root, o.rest); {
		case code == app.ExitDone:
		case (code == app.ExitData || code == app.ExitUnavailable) && len(o.blocks) > 1:
			fmt.Fprintf(stderr, "figures: %s is left out, for the reason above\n", block)
		default:
			return code
		}
	}
	for _, asks := range []string{"--dry-run", "--help", "-h", "--version"} {
		if slices.Contains(o.rest, asks) {
			return app.ExitDone
		}
	}
	if err := draw(stdout, runs, o.quick); err != nil {
		fmt.Fprintf(stderr, "figures: %v\n", err)
		return app.Exit(err)
	}
	return app.ExitDone
}

// options are the parsed arguments.
type options struct {
	blocks []string // blocks to run
	quick  bool
	rest   []string // for the experiments
}

func parse(args []string) (o options, err error) {
	var known []string
	for _, b := range paper.Blocks() {
		known = append(known, b.Name())
	}
	draw := false
	for k, arg := range args {
		switch {
		case slices.Contains(known, arg):
			o.blocks = append(o.blocks, arg)
			continue
		case arg == "quick":
			o.quick = true
			continue
		case arg == "draw":
			draw = true
			continue
		case !strings.HasPrefix(arg, "-") && !strings.Contains(arg, "="):
			return o, fmt.Errorf("unknown block %q: use %s, quick or draw", arg, strings.Join(known, ", "))
		}
		o.rest = args[k:] // a flag's value looks like a block
		break
	}
	switch {
	case draw:
		o.blocks = nil
	case len(o.blocks) == 0 && o.quick:
		o.blocks = known
	case len(o.blocks) == 0:
		o.blocks = known[:1]
	}
	return o, nil
}

// adopt links the finished runs of a block of Table 2 into the folder of its panel, so that they are reused.
func adopt(root, block string) error {
	finished := files.Glob(block, "*/"+store.ResultFile)
	if len(finished) == 0 {
		return nil
	}
	if err := os.MkdirAll(root, 0o777); err != nil {
		return fmt.Errorf("adopt finished runs: %w", err)
	}
	for _, result := range finished {
		folder, err := filepath.Abs(filepath.Dir(result))
		if err != nil {
			return fmt.Errorf("adopt finished runs: %w", err)
		}
		link := filepath.Join(root, filepath.Base(folder))
		if _, err := os.Lstat(link); err == nil {
			continue
		}
		if err := os.Symlink(folder, link); err != nil {
			return fmt.Errorf("adopt finished runs: %w", err)
		}
	}
	return nil
}
