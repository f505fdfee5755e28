package scaling

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"gonum.org/v1/plot/plotter"

	"github.com/losscorr/losscorr/internal/table"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/tools/bench"
	"github.com/losscorr/losscorr/torch"
)

// Options says what to measure.
type Options struct {
	Subjects []string // names of Subjects; empty means all
	Quick    bool     // small ranges and single measurements, to see that it works
	Out      string   // folder of scaling.csv and the plots; "" writes neither
}

// subject is something whose cost is measured.
type subject struct {
	name    string
	about   string
	measure func(*run) error
}

// String returns the subject's name.
func (s subject) String() string { return s.name }

// subjects is the table to extend: a line here and a function that adds points.
var subjects = table.Of[subject]{
	{"batch", "training step against batch size", (*run).batch},
	{"width", "training step against width of the hidden layers", (*run).width},
	{"classes", "training step and memory against classes", (*run).classes},
	{"estimator-examples", "estimators of T against examples", (*run).estimatorExamples},
	{"estimator-classes", "estimators of T against classes", (*run).estimatorClasses},
	{"ranking", "ranking of an audit's labels against examples", (*run).ranking},
	{"planning", "plan of a grid against runs", (*run).planning},
	{"reporting", "report against runs", (*run).reporting},
	{"images", "decoded images per second against workers", (*run).images},
}

// Subjects lists what Options.Subjects can name, in the order of measurement.
func Subjects() []string { return subjects.Names() }

// axes are those of a plot. Lines with the same axes stand in one plot.
type axes struct {
	name  string // of the plot's files
	title string
	x, y  string // what they show, with the unit
}

// line is what one plot shows of one thing.
type line struct {
	axes
	name     string
	expected float64 // exponent by the mathematics
	points   []plotter.XY
}

// run is a measurement that is being made.
type run struct {
	Options
	ctx   context.Context
	log   io.Writer
	lines []*line
}

// Run measures the subjects, describes the machine and prints a table in Markdown, and
// writes scaling.csv and a plot as SVG, PNG and PDF for each pair of axes into
// Options.Out. It sets libtorch's number of threads to one. If a subject fails, the
// others are measured nevertheless, and the errors are joined. It fails if a name is
// unknown.
func Run(ctx context.Context, o Options, out io.Writer) error {
	if len(o.Subjects) == 0 {
		o.Subjects = Subjects()
	}
	for _, name := range o.Subjects {
		if !subjects.Has(name) {
			return fmt.Errorf("no subject is named %q: choose from %q", name, Subjects())
		}
	}
	if err := bench.Describe(out, torch.CPU); err != nil {
		return err
	}
	fmt.Fprintln(out)
	torch.SetThreads(1)
	r := &run{Options: o, ctx: ctx, log: os.Stderr}
	var failed []error
	for _, s := range subjects {
		if !slices.Contains(o.Subjects, s.name) || ctx.Err() != nil {
			continue
		}
		begun := time.Now()
		if err := torch.Try(func() error { return s.measure(r) }); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.name, err))
		}
		fmt.Fprintf(r.log, "%s: %.1f s, resident at most %d MiB so far\n", s.about, time.Since(begun).Seconds(), store.PeakMiB())
		failed = append(failed, r.save())
	}
	return errors.Join(append(failed, r.table(out), context.Cause(ctx))...)
}

// add adds a point to a line, which it makes if it is new.
func (r *run) add(a axes, name string, expected, x, y float64) {
	k := slices.IndexFunc(r.lines, func(l *line) bool { return l.axes == a && l.name == name })
	if k < 0 {
		k = len(r.lines)
		r.lines = append(r.lines, &line{axes: a, name: name, expected: expected})
	}
	r.lines[k].points = append(r.lines[k].points, plotter.XY{X: x, Y: y})
	fmt.Fprintf(r.log, "%s, %s: %g at %g\n", a.title, name, y, x)
}

// each calls do with each value, until one fails or the context ends.
func (r *run) each(values []int, do func(int) error) error {
	for _, v := range values {
		if r.ctx.Err() != nil {
			return context.Cause(r.ctx)
		}
		if err := do(v); err != nil {
			return fmt.Errorf("at %d: %w", v, err)
		}
	}
	return nil
}

// values returns the values of a quick run or all of them.
func (r *run) values(quick, all []int) []int {
	if r.Quick {
		return quick
	}
	return all
}

// seconds returns how long do takes: the median of repeats that take half a second
// together, five at least, after one that warms up; of what takes longer than two
// seconds, the one. A quick run does it once.
func (r *run) seconds(do func() error) (float64, error) {
	const enough, least, long = .5, 5, 2.
	var times []float64
	total := 0.
	for {
		begun := time.Now()
		if err := do(); err != nil {
			return 0, err
		}
		s := time.Since(begun).Seconds()
		switch {
		case r.Quick || s > long:
			return s, nil
		case times == nil:
			times = []float64{}
			continue
		}
		if times, total = append(times, s), total+s; total > enough && len(times) >= least {
			slices.Sort(times)
			return times[len(times)/2], nil
		}
	}
}

// folder makes a temporary folder and returns what removes it.
func folder() (string, func(), error) {
	dir, err := os.MkdirTemp("", "losscorr-scaling")
	if err != nil {
		return "", nil, fmt.Errorf("make a temporary folder (TMPDIR says where): %w", err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}
