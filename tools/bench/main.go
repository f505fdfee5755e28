// Command bench times training steps beside PyTorch's, both in one run, turn by
// turn, and what an operation costs from Go beside C++.
//
//	make bench                              with the torch of python3, if it has one
//	make bench PYTHON=.venv/bin/python      with another
//	make bench ARGS='-only resnet32'        one measurement; see -help for their names
//	make bench ARGS='-cpu-time'             on a machine that does other work
//	make bench ARGS='-device cuda:0'        on a GPU
//
// Medians of rounds of whole steps; a step is batch, forward, backward and
// optimizer, 128 examples, on one thread. Beside some stand torch.compile and JAX
// where the Python has them.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/losscorr/losscorr/internal/bench"
	"github.com/losscorr/losscorr/internal/tool"
	"github.com/losscorr/losscorr/torch"
)

func main() { os.Exit(tool.Main("bench", os.Stdout, run)) }

func run(ctx context.Context, args []string, out io.Writer) error {
	names := bench.Names()
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	var o bench.Options
	flags.StringVar(&o.Python, "python", "python3", "interpreter whose torch is measured beside")
	flags.StringVar(&o.Data, "data", "data/mnist", "folder of MNIST")
	flags.Float64Var(&o.Rounds, "rounds", 1, "rounds of each measurement, as a multiple of what it has by itself")
	flags.BoolVar(&o.CPUTime, "cpu-time", false,
		"measure the processor's time of each side, not the clock's: for a machine that does other work")
	device := flags.String("device", "cpu", "where to measure: cpu, cuda or cuda:1")
	only := flags.String("only", "", "measure these, separated by commas: "+strings.Join(names, ", "))
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *only != "" {
		names = strings.Split(*only, ",")
	}
	if err := bench.CheckNames(names); err != nil {
		return err
	}
	var err error
	if o.Device, err = torch.ParseDevice(*device); err != nil {
		return err
	}
	if err := torch.CheckDevice(o.Device); err != nil {
		return err
	}
	if o.CPUTime && o.Device.IsCUDA() {
		return fmt.Errorf("-cpu-time is for the CPU, and -device is %v", o.Device)
	}
	if err := describe(ctx, &o, out); err != nil {
		return err
	}
	return bench.Run(ctx, o, names, out)
}

// describe names all that the figures depend on, and leaves PyTorch out where Python
// has no torch.
func describe(ctx context.Context, o *bench.Options, out io.Writer) error {
	if err := bench.Describe(out, o.Device); err != nil {
		return err
	}
	version, err := bench.PyTorch(ctx, o.Python, o.Device)
	if err != nil {
		fmt.Fprintf(out, "PyTorch is left out: %v\n", err)
		o.Python = ""
	} else {
		fmt.Fprintln(out, "beside it  ", version)
	}
	fmt.Fprintln(out)
	return nil
}
