// Command bench times training steps in Go and PyTorch, alternately in one run, and
// the cost of an operation in Go and C++.
//
//	make bench                              with the torch of python3, if it has one
//	make bench PYTHON=.venv/bin/python      with another
//	make bench ARGS='-only resnet32'        some measurements; see -help for their names
//	make bench ARGS='-cpu-time'             on a machine that does other work
//	make bench ARGS='-device cuda:0'        on a GPU
//
// It prints medians over rounds of steps; a step is batch, forward, backward and
// optimizer, 128 examples, on one thread. It also times torch.compile and JAX for some
// networks if the Python has them.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/losscorr/losscorr/internal/bench"
	"github.com/losscorr/losscorr/internal/tool"
	"github.com/losscorr/losscorr/torch"
)

func main() { os.Exit(tool.Main("bench", os.Stdout, run)) }

func run(ctx context.Context, args []string, out io.Writer) error {
	o := bench.Options{Names: bench.Names(), Compiled: true, Limit: 2 * time.Hour}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&o.Python, "python", "python3", "interpreter whose torch is also measured")
	flags.Float64Var(&o.Rounds, "rounds", 1, "factor of each measurement's number of rounds")
	flags.BoolVar(&o.CPUTime, "cpu-time", false,
		"measure processor time instead of wall time, for a machine that does other work; only on the CPU")
	device := flags.String("device", "cpu", "device: cpu, cuda or cuda:1")
	only := flags.String("only", "", "measure only these, separated by commas: "+strings.Join(o.Names, ", "))
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *only != "" {
		o.Names = strings.Split(*only, ",")
	}
	for _, name := range o.Names {
		if !slices.Contains(bench.Names(), name) {
			return fmt.Errorf("unknown measurement %q: choose from %s", name, strings.Join(bench.Names(), ", "))
		}
	}
	var err error
	if o.Device, err = torch.ParseDevice(*device); err != nil {
		return err
	}
	if err := torch.CheckDevice(o.Device); err != nil {
		return err
	}
	if o.CPUTime && o.Device.IsCUDA() {
		return fmt.Errorf("-cpu-time works only on the CPU, not on -device %v", o.Device)
	}
	if err := bench.Describe(out, o.Device); err != nil {
		return err
	}
	report, err := bench.Steps(ctx, o, func(s bench.Step) { fmt.Fprintln(out, s) })
	bench.Operation(o.Device, out)
	fmt.Fprintln(out, "PyTorch     "+report.PyTorch+report.NoPyTorch)
	return err
}
