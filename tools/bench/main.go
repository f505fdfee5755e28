// Command bench times training steps in Go and PyTorch, alternately in one run, and
// the cost of an operation in Go and C++.
//
//	make bench                              with the torch of python3, if it has one
//	make bench PYTHON=.venv/bin/python      with another
//	make bench ARGS='-only resnet32'        one measurement; see -help for their names
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
	flags.StringVar(&o.Python, "python", "python3", "interpreter whose torch is also measured")
	flags.StringVar(&o.Data, "data", "data/mnist", "folder of MNIST")
	flags.Float64Var(&o.Rounds, "rounds", 1, "factor of each measurement's number of rounds")
	flags.BoolVar(&o.CPUTime, "cpu-time", false,
		"measure processor time instead of wall time, for a machine that does other work")
	device := flags.String("device", "cpu", "device: cpu, cuda or cuda:1")
	only := flags.String("only", "", "measure only these, separated by commas: "+strings.Join(names, ", "))
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
		return fmt.Errorf("-cpu-time works only on the CPU, not on -device %v", o.Device)
	}
	if err := describe(ctx, &o, out); err != nil {
		return err
	}
	return bench.Run(ctx, o, names, out)
}

// describe prints the conditions of the measurements, and leaves out PyTorch if Python has
// no torch.
func describe(ctx context.Context, o *bench.Options, out io.Writer) error {
	if err := bench.Describe(out, o.Device); err != nil {
		return err
	}
	version, err := bench.PyTorch(ctx, o.Python, o.Device)
	if err != nil {
		fmt.Fprintf(out, "PyTorch is left out: %v\n", err)
		o.Python = ""
	} else {
		fmt.Fprintln(out, "compared to", version)
	}
	fmt.Fprintln(out)
	return nil
}
