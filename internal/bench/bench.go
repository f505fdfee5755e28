package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/losscorr/losscorr/torch"
)

// Options sets what is measured. The zero value measures some workloads on the CPU, without PyTorch.
type Options struct {
	Device torch.Device
	Names  []string // of workloads; nil means the ones that losscorr doctor times
	Python string   // interpreter whose torch is also measured; empty for none
	// Compiled also measures variants that the Python can compile, which takes a minute each.
	Compiled bool
	// Rounds is a factor for the number of rounds of each measurement; 0 means 1.
	// There is at least one round.
	Rounds float64
	// CPUTime measures processor time instead of wall time, for a machine that also
	// does other work. It works only on the CPU.
	CPUTime bool
	// Limit is how long PyTorch may run before it is killed; 0 means 10 minutes.
	Limit time.Duration
}

// Step is the time of one training step of a network.
type Step struct {
	Name      string  `json:"name"`              // a workload's
	Title     string  `json:"title"`             // for people
	BatchSize int     `json:"batch_size"`        // examples
	Ours      float64 `json:"seconds,omitempty"` // median; 0 if not measured, see Note
	// PyTorch is the median of PyTorch's fastest variant, 0 if it was not measured.
	// Variant names that variant.
	PyTorch  float64 `json:"pytorch_seconds,omitempty"`
	Variant  string  `json:"pytorch_variant,omitempty"`
	Compiled []Time  `json:"compiled,omitempty"`
	Note     string  `json:"note,omitempty"` // why something was not measured
}

// Time is the time of a compiled variant.
type Time struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// String is a line with the times and ratios.
func (s Step) String() string {
	if s.Ours == 0 {
		return s.Title + ": " + s.Note
	}
	line := fmt.Sprintf("%s, batch %d: losscorr %s", s.Title, s.BatchSize, milliseconds(s.Ours))
	for _, t := range append([]Time{{strings.TrimSpace("PyTorch " + s.Variant), s.PyTorch}}, s.Compiled...) {
		if t.Seconds > 0 {
			line += fmt.Sprintf(", %s %s, ratio %.3f", t.Name, milliseconds(t.Seconds), s.Ours/t.Seconds)
		}
	}
	if s.Note != "" {
		line += " (" + s.Note + ")"
	}
	return line
}

func milliseconds(seconds float64) string { return fmt.Sprintf("%.3f ms", 1e3*seconds) }

// Report is the result of Steps.
type Report struct {
	PyTorch   string `json:"pytorch,omitempty"`    // versions of PyTorch and its libraries
	NoPyTorch string `json:"no_pytorch,omitempty"` // why PyTorch was not measured completely
	Steps     []Step `json:"steps"`
}

// bench is the state of a measurement.
type bench struct {
	Options
	peer *peer // nil without PyTorch
}

// Steps measures one training step of each network, in Go and in one PyTorch process, and
// calls each, unless it is nil, after every network. A network that cannot be measured on
// this machine only gets a Note, and a Python that lacks torch, hangs or dies only sets
// NoPyTorch. Tensors are freed at the end; libtorch's number of threads stays at one.
//
// Steps fails if the device cannot be used, if ctx ends, or, after measuring the others,
// if a step in Go fails.
func Steps(ctx context.Context, o Options, each func(Step)) (Report, error) {
	var report Report
	if err := torch.CheckDevice(o.Device); err != nil {
		return report, err
	}
	torch.SetThreads(1)
	b := &bench{Options: o}
	if o.Python == "" {
		report.NoPyTorch = "no Python was given"
	} else if p, err := startPeer(ctx, o); err != nil {
		report.NoPyTorch = err.Error()
	} else {
		report.PyTorch, b.peer = p.version, p
		defer p.stop()
	}
	var failed []error
	for _, w := range workloads {
		if ctx.Err() != nil {
			break
		}
		if !slices.Contains(o.Names, w.name) && (len(o.Names) > 0 || !w.short) {
			continue
		}
		s := Step{Name: w.name, Title: w.title, BatchSize: batch}
		err := torch.Try(func() (err error) {
			torch.Scope(func() { err = b.step(ctx, w, &s) })
			return err
		})
		if err != nil {
			s.Note = err.Error()
			failed = append(failed, fmt.Errorf("%s: %w", w.name, err))
		}
		report.Steps = append(report.Steps, s)
		if each != nil {
			each(s)
		}
		if b.peer != nil && b.peer.ended != nil {
			report.NoPyTorch, b.peer = b.peer.ended.Error(), nil
		}
	}
	return report, errors.Join(append(failed, context.Cause(ctx))...)
}

// errLeftOut marks a measurement that this machine cannot make.
var errLeftOut = errors.New("left out")

// step measures one workload in the current scope.
func (b *bench) step(ctx context.Context, w workload, s *Step) error {
	net, err := b.network(w)
	if errors.Is(err, errLeftOut) {
		s.Note = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	sides := []side{{run: func(steps int) (float64, error) { return net.run(steps).Seconds(), nil }}}
	for _, v := range w.variants {
		if b.peer == nil || v.name != "" && !b.Compiled {
			continue
		}
		run, err := b.peer.load(v.script, v.arguments...)
		if err == nil {
			sides = append(sides, side{variant: v, run: run})
		} else {
			s.Note = strings.TrimSpace(v.name + " " + err.Error())
		}
	}
	if err := b.measure(ctx, w, sides); err != nil {
		s.Note = err.Error()
	}
	s.Ours = median(sides[0].seconds)
	for _, side := range sides[1:] {
		seconds := median(side.seconds)
		switch {
		case seconds == 0:
		case side.name != "":
			s.Compiled = append(s.Compiled, Time{side.name, seconds})
		case s.PyTorch == 0 || seconds < s.PyTorch:
			s.PyTorch, s.Variant = seconds, strings.Join(side.arguments, " ")
		}
	}
	return ctx.Err()
}

// side is what is measured in turn: Go's step, which comes first, and PyTorch's.
type side struct {
	variant
	run     func(steps int) (float64, error)
	seconds []float64 // of a step in each round but the first; empty if one failed
}

// measure fills in the times of the sides. An error of one ends its measurement.
func (b *bench) measure(ctx context.Context, w workload, sides []side) (failed error) {
	steps, rounds := w.steps, w.rounds
	if b.Device.IsCUDA() {
		steps *= 10
	}
	if b.Rounds > 0 {
		rounds = max(1, int(b.Rounds*float64(rounds)))
	}
	for round := range 1 + rounds {
		for i := range sides {
			s := &sides[i]
			if ctx.Err() != nil || round > 1 && len(s.seconds) == 0 {
				continue
			}
			seconds, err := s.run(steps)
			if err != nil {
				failed, s.seconds = err, nil
			} else if round > 0 {
				s.seconds = append(s.seconds, seconds/float64(steps))
			}
		}
	}
	return failed
}

// median returns 0 of no numbers.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// Operation prints the time that Go adds to the cheapest operation, a sum of 4 by 4,
// including creating and freeing its handle. On a GPU it is the cost of queueing.
func Operation(device torch.Device, out io.Writer) {
	const n, rounds = 1000, 150
	var goTime, cpp []float64
	torch.Scope(func() {
		a := torch.Ones(torch.Options{Device: device}, 4, 4)
		for range rounds {
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
	fmt.Fprintf(out, "sum of 4 by 4: from Go %.0f ns, in C++ %.0f ns, Go adds %.0f ns\n", median(goTime), median(cpp),
		median(goTime)-median(cpp))
}
