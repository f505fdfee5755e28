// Command bench times training steps beside PyTorch's, both in one run, turn by
// turn, and what an operation costs from Go beside C++.
//
//	make bench                              with the torch of python3, if it has one
//	make bench PYTHON=.venv/bin/python      with another
//
// Medians of rounds of whole steps; a step is batch, forward, backward and
// AdaGrad on the MNIST network with dropout, 128 examples, one thread.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/runner"
	"github.com/losscorr/losscorr/torch"
)

func main() {
	python := flag.String("python", "python3", "interpreter whose torch is measured beside")
	data := flag.String("data", "data/mnist", "folder of MNIST")
	rounds := flag.Int("rounds", 15, "rounds of each measurement")
	flag.Parse()
	if err := bench(os.Stdout, *python, *data, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// steps of a round: a tenth of a second or more.
const steps = 100

func bench(w io.Writer, python, data string, rounds int) error {
	info, err := torch.Describe()
	if err != nil {
		return err
	}
	torch.SetThreads(1)
	describe(w, info)
	net, err := newNetwork(data)
	if err != nil {
		return err
	}
	first, err := startPeer(python, data)
	if err != nil {
		fmt.Fprintf(w, "PyTorch is left out: %v\n", err)
	} else {
		defer first.stop()
		fmt.Fprintln(w, "beside it  ", first.version)
	}
	return errors.Join(oneAtATime(w, net, first, rounds), twoAtATime(w, net, first, python, data, rounds), perOperation(w, rounds))
}

func describe(w io.Writer, info torch.Info) {
	e := runner.NewEnvironment(losscorr.Version, nil)
	fmt.Fprintf(w, "processor   %s, %d cores, %s\n", e.CPU.Model, e.CPU.Cores, info.CPUCapability)
	fmt.Fprintf(w, "losscorr    %s, %s, libtorch %s, 1 thread\n", e.Program, e.Go, info.Version)
	if len(e.Vars) == 0 {
		fmt.Fprintln(w, "variables   none of OMP_*, MKL_*, OPENBLAS_*, ATEN_CPU_CAPABILITY is set")
	}
	for name, value := range e.Vars {
		fmt.Fprintf(w, "variable    %s=%s\n", name, value)
	}
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// oneAtATime is the time of a step, ours and theirs in turn.
func oneAtATime(w io.Writer, net *network, other *peer, rounds int) error {
	var ours, theirs []float64
	for range rounds + 2 { // two to warm up
		ours = append(ours, net.run(steps).Seconds()/steps)
		if other != nil {
			seconds, err := other.run(steps)
			if err != nil {
				return err
			}
			theirs = append(theirs, seconds/steps)
		}
	}
	us := 1e6 * median(ours[2:])
	if other == nil {
		fmt.Fprintf(w, "\nMNIST step, batch 128: %.0f us (median of %d rounds of %d steps)\n", us, rounds, steps)
		return nil
	}
	ptus := 1e6 * median(theirs[2:])
	fmt.Fprintf(w, "\nMNIST step, batch 128: losscorr %.0f us, PyTorch %.0f us, ratio %.3f (medians of %d rounds of %d steps)\n", us, ptus, us/ptus, rounds, steps)
	return nil
}

// twoAtATime is the throughput of two runs side by side over that of one: two
// threads of this process, two processes of PyTorch's.
func twoAtATime(w io.Writer, net *network, first *peer, python, data string, rounds int) error {
	other := net.another()
	// As the runner does: a spare P or two keeps Go's monitor from taking them
	// away from threads inside libtorch each time it looks.
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), 2+2))
	var ours, theirs []float64
	var second *peer
	if first != nil {
		var err error
		if second, err = startPeer(python, data); err != nil {
			return err
		}
		defer second.stop()
	}
	for range rounds {
		alone := net.run(steps).Seconds()
		ours = append(ours, 2*alone/together(
			func() error { net.run(steps); return nil },
			func() error { other.run(steps); return nil }))
		if first == nil {
			continue
		}
		alone, err := first.run(steps)
		if err != nil {
			return err
		}
		theirs = append(theirs, 2*alone/together(
			func() error { _, err := first.run(steps); return err },
			func() error { _, err := second.run(steps); return err }))
	}
	fmt.Fprintf(w, "two at a time, throughput over one: losscorr %.2f (one process)", median(ours))
	if first != nil {
		fmt.Fprintf(w, ", PyTorch %.2f (two processes)", median(theirs))
	}
	fmt.Fprintln(w)
	return nil
}

// together is the time until both are done.
func together(jobs ...func() error) float64 {
	begun := time.Now()
	var wg sync.WaitGroup
	for _, job := range jobs {
		wg.Go(func() {
			if err := job(); err != nil {
				fmt.Fprintln(os.Stderr, "bench:", err)
			}
		})
	}
	wg.Wait()
	return time.Since(begun).Seconds()
}

// perOperation is what Go adds to the cheapest operation, a sum of 4 by 4, its
// handle and its end included.
func perOperation(w io.Writer, rounds int) error {
	const n = 1000
	var goTime, cpp []float64
	torch.Scope(func() {
		a := torch.Ones(torch.Options{}, 4, 4)
		for range rounds * 10 {
			begun := time.Now()
			torch.Scope(func() {
				for range n {
					a.Add(a)
				}
			})
			goTime = append(goTime, float64(time.Since(begun).Nanoseconds())/n)
			cpp = append(cpp, torch.CppAdd(a, a, n))
		}
	})
	fmt.Fprintf(w, "sum of 4 by 4: from Go %.0f ns, in C++ %.0f ns, Go adds %.0f ns\n", median(goTime), median(cpp), median(goTime)-median(cpp))
	return nil
}
