package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/losscorr/losscorr/internal/bench"
	"github.com/losscorr/losscorr/torch"
)

// Options sets the device to check and how.
type Options struct {
	Device  torch.Device
	NoTimes bool   // leave out the times of training steps
	Python  string // interpreter whose torch is also timed; "" for none
	// OnResult is called after each check, if it is not nil.
	OnResult func(Result)
	// OnStep is called after timing each network's training step, if it is not nil.
	OnStep func(bench.Step)
}

// Verdict is the outcome of a check.
type Verdict string

// The verdicts.
const (
	Passed Verdict = "ok"
	Failed Verdict = "failed"
)

// Result is the result of one check.
type Result struct {
	Group     string  `json:"group"`
	Name      string  `json:"name"`
	Verdict   Verdict `json:"verdict"`
	Deviation float64 `json:"deviation,omitempty"` // measured, if the check measures one
	Allowed   float64 `json:"allowed,omitempty"`   // the largest that passes
	Detail    string  `json:"detail,omitempty"`    // why it failed
	Seconds   float64 `json:"seconds"`
}

// Report holds the results of all checks, in order.
type Report struct {
	Device   string            `json:"device"`
	Machine  map[string]string `json:"machine"` // libtorch, GPU
	Passed   int               `json:"passed"`
	Failed   int               `json:"failed"`
	Seconds  float64           `json:"seconds"`
	Results  []Result          `json:"results"`
	Steps    bench.Report      `json:"steps"`    // the time of one training step of each network
	Finished string            `json:"finished"` // RFC 3339, UTC
}

// check is an entry of a table. It passes if run returns no error and a deviation of at
// most allowed.
type check struct {
	name    string
	allowed float64
	run     func(device torch.Device) (float64, error)
}

type group struct {
	name   string
	checks []check
}

// groups returns the groups in the order of the checks. Later groups build on earlier
// ones.
func groups() []group {
	return []group{{"operations", operations()}, {"losses", lossChecks()}, {"networks", networks()}}
}

// exactly calls f with one thread and without TF32.
func exactly(f func()) {
	threads := torch.Threads()
	torch.SetThreads(1)
	defer torch.SetThreads(threads)
	torch.AllowTF32(false, false)
	defer torch.AllowTF32(false, true) // libtorch's default
	f()
}

// Run makes every check and then times training steps. It returns an error only if ctx ends or the device cannot be
// used; a failed check, or a step that cannot be timed, is a Result.
func Run(ctx context.Context, o Options) (Report, error) {
	report, begun := Report{Device: o.Device.String()}, time.Now()
	err := torch.CheckDevice(o.Device)
	if err != nil {
		return report, err
	}
	exactly(func() { err = report.check(ctx, o) })
	if err != nil {
		return report, err
	}
	if !o.NoTimes {
		if err := report.time(ctx, o); err != nil {
			return report, err
		}
	}
	report.Seconds, report.Finished = time.Since(begun).Seconds(), time.Now().UTC().Format(time.RFC3339)
	return report, nil
}

func (r *Report) check(ctx context.Context, o Options) error {
	for _, g := range groups() {
		for _, c := range g.checks {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			result := c.on(o.Device, g.name)
			r.add(result)
			if o.OnResult != nil {
				o.OnResult(result)
			}
		}
	}
	return nil
}

func (r *Report) time(ctx context.Context, o Options) (err error) {
	r.Steps, err = bench.Steps(ctx, bench.Options{Device: o.Device, Python: o.Python, Rounds: .2}, o.OnStep)
	if ctx.Err() == nil && err != nil {
		r.add(Result{Group: "steps", Name: "time of a training step", Verdict: Failed, Detail: err.Error()})
	}
	return ctx.Err()
}

// add appends a result and counts it.
func (r *Report) add(result Result) {
	r.Results = append(r.Results, result)
	if result.Verdict == Passed {
		r.Passed++
	} else {
		r.Failed++
	}
}

// on makes the check, one of a group, on a device.
func (c check) on(device torch.Device, group string) Result {
	begun := time.Now()
	r := Result{Group: group, Name: c.name, Verdict: Passed, Allowed: c.allowed}
	err := torch.Try(func() (err error) {
		torch.Scope(func() { r.Deviation, err = c.run(device) })
		return err
	})
	switch {
	case err != nil:
		r.Verdict, r.Detail = Failed, err.Error()
	case !(r.Deviation <= c.allowed):
		r.Verdict, r.Detail = Failed, fmt.Sprintf("deviation %.2g is above %.2g", r.Deviation, c.allowed)
		if r.Deviation != r.Deviation {
			r.Deviation = 0 // JSON has no NaN; Detail has it
		}
	}
	r.Seconds = time.Since(begun).Seconds()
	return r
}
