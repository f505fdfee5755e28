// Command bench times training steps beside PyTorch's, both in one run, turn by
// turn, and what an operation costs from Go beside C++.
//
//	make bench                              with the torch of python3, if it has one
//	make bench PYTHON=.venv/bin/python      with another
//	make bench ARGS='-only resnet32'        one measurement; see -help for their names
//
// Medians of rounds of whole steps; a step is batch, forward, backward and
// optimizer, 128 examples, on one thread.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/runner"
	"github.com/losscorr/losscorr/torch"
)

// measurement is one line, or two, of what bench prints.
type measurement struct {
	name string // for -only
	run  func(b *bench) error
}

func measurements() []measurement {
	var all []measurement
	for _, w := range workloads {
		all = append(all, measurement{w.name, func(b *bench) error { return b.compare(w) }})
	}
	return append(all,
		measurement{"pair", (*bench).twoAtATime},
		measurement{"operation", (*bench).perOperation})
}

// bench is where to measure and where to tell it.
type bench struct {
	out    io.Writer
	python string // "" once it is known to have no torch
	data   string // folder of MNIST
	rounds float64
}

func main() {
	var names []string
	for _, m := range measurements() {
		names = append(names, m.name)
	}
	b := &bench{out: os.Stdout}
	flag.StringVar(&b.python, "python", "python3", "interpreter whose torch is measured beside")
	flag.StringVar(&b.data, "data", "data/mnist", "folder of MNIST")
	flag.Float64Var(&b.rounds, "rounds", 1, "rounds of each measurement, as a multiple of what it has by itself")
	only := flag.String("only", "", "measure these, separated by commas: "+strings.Join(names, ", "))
	flag.Parse()
	if err := b.run(*only, names); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) run(only string, names []string) error {
	chosen := names
	if only != "" {
		chosen = strings.Split(only, ",")
	}
	for _, name := range chosen {
		if !slices.Contains(names, name) {
			return fmt.Errorf("no measurement is named %q: choose from %s", name, strings.Join(names, ", "))
		}
	}
	info, err := torch.Describe()
	if err != nil {
		return err
	}
	torch.SetThreads(1)
	b.describe(info)
	var failed []error
	for _, m := range measurements() {
		if slices.Contains(chosen, m.name) {
			failed = append(failed, m.run(b))
		}
	}
	return errors.Join(failed...)
}

// describe names all that the figures depend on, and gives up on PyTorch where
// there is none.
func (b *bench) describe(info torch.Info) {
	e := runner.NewEnvironment(losscorr.Version, nil)
	fmt.Fprintf(b.out, "processor   %s, %d cores, %s\n", e.CPU.Model, e.CPU.Cores, info.CPUCapability)
	fmt.Fprintf(b.out, "losscorr    %s, %s, libtorch %s, 1 thread\n", e.Program, e.Go, info.Version)
	if len(e.Vars) == 0 {
		fmt.Fprintln(b.out, "variables   none of OMP_*, MKL_*, OPENBLAS_*, ATEN_CPU_CAPABILITY is set")
	}
	for name, value := range e.Vars {
		fmt.Fprintf(b.out, "variable    %s=%s\n", name, value)
	}
	version, err := peerVersion(b.python)
	if err != nil {
		fmt.Fprintf(b.out, "PyTorch is left out: %v\n", err)
		b.python = ""
	} else {
		fmt.Fprintln(b.out, "beside it  ", version)
	}
	fmt.Fprintln(b.out)
}

// times is the number of rounds to measure, n where none were asked for.
func (b *bench) times(n int) int { return max(1, int(b.rounds*float64(n))) }

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
