package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/losscorr/losscorr/torch"
)

// Options says what to prove.
type Options struct {
	Device torch.Device
	// OnResult is called after each check, if it is not nil.
	OnResult func(Result)
}

// Verdict is what became of a check.
type Verdict string

// The verdicts.
const (
	Passed  Verdict = "ok"
	Failed  Verdict = "failed"
	Skipped Verdict = "skipped"
)

// Result is one check's.
type Result struct {
	Group     string  `json:"group"`
	Name      string  `json:"name"`
	Verdict   Verdict `json:"verdict"`
	Deviation float64 `json:"deviation,omitempty"` // measured, where a check measures one
	Allowed   float64 `json:"allowed,omitempty"`   // the largest that passes
	Detail    string  `json:"detail,omitempty"`    // why it failed or was skipped
	Seconds   float64 `json:"seconds"`
}

// Report is all of them, in order.
type Report struct {
	Results                 []Result `json:"results"`
	Passed, Failed, Skipped int      `json:"-"`
}

// check is an entry of a table. Run returns the deviation, which must be at most
// allowed; an error fails the check whatever the deviation.
type check struct {
	name    string
	allowed float64
	run     func(m *machine) (float64, error)
}

type group struct {
	name   string
	checks []check
}

// groups are in the order in which they run: what fails first is what later ones
// build on.
func groups() []group {
	return []group{
		{"operations", operations()},
		{"losses", lossChecks()},
		{"networks", networks()},
		{"recording", recording()},
	}
}

// machine is what is being proved.
type machine struct {
	Options
	ctx context.Context
}

// errSkip is wrapped by what cannot be checked here.
var errSkip = errors.New("skipped")

func skip(why string) error { return fmt.Errorf("%w: %s", errSkip, why) }

// Run makes every check. It ends early only when ctx does or the device cannot be
// used, and then returns an error; a check that fails is a Result.
func Run(ctx context.Context, o Options) (Report, error) {
	var report Report
	if err := torch.CheckDevice(o.Device); err != nil {
		return report, err
	}
	threads := torch.Threads()
	torch.SetThreads(1)
	defer torch.SetThreads(threads)
	torch.AllowTF32(false, false)
	defer torch.AllowTF32(false, true) // as libtorch starts
	m := &machine{Options: o, ctx: ctx}
	for _, g := range groups() {
		for _, c := range g.checks {
			if err := ctx.Err(); err != nil {
				return report, context.Cause(ctx)
			}
			r := m.do(g.name, c)
			report.Add(r)
			if o.OnResult != nil {
				o.OnResult(r)
			}
		}
	}
	return report, nil
}

// Add appends a result and counts it.
func (r *Report) Add(result Result) {
	r.Results = append(r.Results, result)
	switch result.Verdict {
	case Passed:
		r.Passed++
	case Failed:
		r.Failed++
	case Skipped:
		r.Skipped++
	}
}

func (m *machine) do(group string, c check) Result {
	begun := time.Now()
	r := Result{Group: group, Name: c.name, Verdict: Passed, Allowed: c.allowed}
	err := torch.Try(func() (err error) {
		torch.Scope(func() { r.Deviation, err = c.run(m) })
		return err
	})
	switch {
	case errors.Is(err, errSkip):
		r.Verdict, r.Detail, r.Allowed = Skipped, err.Error()[len(errSkip.Error())+2:], 0
	case err != nil:
		r.Verdict, r.Detail = Failed, err.Error()
	case !(r.Deviation <= c.allowed):
		r.Verdict, r.Detail = Failed, fmt.Sprintf("deviation %.2g is above %.2g", r.Deviation, c.allowed)
		if r.Deviation != r.Deviation {
			r.Deviation = 0 // JSON has no NaN; the detail tells it
		}
	}
	r.Seconds = time.Since(begun).Seconds()
	return r
}
