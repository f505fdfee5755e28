package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/losscorr/losscorr/torch"
)

// Step is the time of one training step of a network.
type Step struct {
	Name      string  `json:"name"`              // one of stepNames
	Title     string  `json:"title"`             // for people
	BatchSize int     `json:"batch_size"`        // examples
	Ours      float64 `json:"seconds,omitempty"` // median; 0 if not measured, see Note
	// PyTorch is the median of PyTorch's fastest variant, 0 if it was not measured.
	// Variant names that variant if there are several.
	PyTorch float64 `json:"pytorch_seconds,omitempty"`
	Variant string  `json:"pytorch_variant,omitempty"`
	Note    string  `json:"note,omitempty"` // why something was not measured
}

// Ratio returns Ours / PyTorch, or 0 if either was not measured.
func (s Step) Ratio() float64 {
	if s.PyTorch == 0 {
		return 0
	}
	return s.Ours / s.PyTorch
}

// Report is the result of Steps.
type Report struct {
	PyTorch   string `json:"pytorch,omitempty"`    // versions of PyTorch and its libraries
	NoPyTorch string `json:"no_pytorch,omitempty"` // why PyTorch was not measured completely
	Steps     []Step `json:"steps"`
}

// stepNames lists the networks that Steps measures, in that order.
func stepNames() []string {
	var names []string
	for _, w := range workloads {
		if w.inSteps {
			names = append(names, w.name)
		}
	}
	return names
}

// Steps measures one training step of each network, in Go and in one PyTorch process, and
// calls each, unless it is nil, after every network. A network that cannot be measured on
// this machine only gets a Note, and a Python that lacks torch, hangs or dies only sets
// NoPyTorch. Tensors are freed at the end; libtorch's number of threads stays at one.
//
// Steps fails if the device cannot be used, if ctx ends, or, after measuring the others,
// if a step in Go fails.
func Steps(ctx context.Context, o Options, each func(Step)) (Report, error) {
	return steps(ctx, o, stepNames(), each)
}

func steps(ctx context.Context, o Options, names []string, each func(Step)) (Report, error) {
	var report Report
	if err := torch.Open(); err != nil {
		return report, err
	}
	if err := torch.CheckDevice(o.Device); err != nil {
		return report, err
	}
	if o.PythonTime == 0 {
		o.PythonTime = 90 * time.Second
	}
	torch.SetThreads(1)
	b := &bench{Options: o, ctx: ctx, one: true}
	defer b.close()
	if o.Python == "" {
		report.NoPyTorch = "no Python was given"
	} else if p, err := b.peer(); err != nil {
		report.NoPyTorch, b.Python = err.Error(), ""
	} else {
		report.PyTorch = p.version
	}
	var failed []error
	for _, name := range names {
		if ctx.Err() != nil {
			break
		}
		s, err := b.step(workloadOf(name))
		if err != nil {
			s.Note = err.Error()
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
		}
		report.Steps = append(report.Steps, s)
		if each != nil {
			each(s)
		}
		if b.Python != "" && b.peers[0].ended != nil {
			report.NoPyTorch, b.Python = b.peers[0].ended.Error(), ""
		}
	}
	return report, errors.Join(append(failed, context.Cause(ctx))...)
}

// step measures one workload and frees its tensors.
func (b *bench) step(w workload) (Step, error) {
	s := Step{Name: w.name, Title: w.title, BatchSize: batch}
	err := torch.Try(func() (err error) {
		torch.Scope(func() { err = b.stepInScope(w, &s) })
		return err
	})
	return s, err
}

func (b *bench) stepInScope(w workload, s *Step) error {
	net, err := w.make(b)
	if errors.Is(err, errLeftOut) {
		s.Note = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	beside, err := b.beside(w)
	if err != nil {
		s.Note = err.Error()
	}
	ours, theirs, err := b.measure(w, net, beside)
	if err != nil {
		s.Note, theirs = err.Error(), nil
	}
	s.Ours = ours
	for i, seconds := range theirs {
		if s.PyTorch == 0 || seconds < s.PyTorch {
			s.PyTorch = seconds
			if len(theirs) > 1 {
				s.Variant = w.variants[i][0]
			}
		}
	}
	return nil
}
