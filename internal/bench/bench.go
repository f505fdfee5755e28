package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/losscorr/losscorr/torch"
)

// Options says where to measure, and whether to measure PyTorch, too. The zero value
// measures on the CPU, without PyTorch.
type Options struct {
	Device torch.Device
	Python string // interpreter whose torch is measured, too; empty to leave it out
	Data   string // folder of MNIST; the program's own copy if MNIST is not there
	// Rounds is a factor for the number of rounds of each measurement; 0 means 1.
	// There is at least one round.
	Rounds float64
	// CPUTime measures the processor's time of each side in place of the clock's, for a
	// machine that does other work. It is for the CPU.
	CPUTime bool
	// PythonTime is the total time that PyTorch may take, from its start to its last
	// answer, before it is killed; 0 means 90 s in Steps and an hour in Run.
	PythonTime time.Duration
}

// bench is a measurement that is being made.
type bench struct {
	Options
	ctx   context.Context
	out   io.Writer
	one   bool    // one process of PyTorch's for all workloads
	peers []*peer // that were started
	temp  []string
}

// measurement is one line, or two, of what Run prints.
type measurement struct {
	name string
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

// Names lists the measurements of Run.
func Names() []string {
	var names []string
	for _, m := range measurements() {
		names = append(names, m.name)
	}
	return names
}

// CheckNames returns an error if one of names is not the name of a measurement.
func CheckNames(names []string) error {
	for _, name := range names {
		if all := Names(); !slices.Contains(all, name) {
			return fmt.Errorf("no measurement is named %q: choose from %s", name, strings.Join(all, ", "))
		}
	}
	return nil
}

// Run makes the named measurements, in the order of Names, and prints a line for each.
// Every workload has its own PyTorch processes, one for each variant. Run sets libtorch's
// number of threads to one. It fails if a name is unknown. If a measurement fails, the
// others are made nevertheless, and the errors are joined.
func Run(ctx context.Context, o Options, names []string, out io.Writer) error {
	if err := CheckNames(names); err != nil {
		return err
	}
	if err := torch.Open(); err != nil {
		return err
	}
	if err := torch.CheckDevice(o.Device); err != nil {
		return err
	}
	if o.PythonTime == 0 {
		o.PythonTime = time.Hour
	}
	torch.SetThreads(1)
	var failed []error
	for _, m := range measurements() {
		if !slices.Contains(names, m.name) || ctx.Err() != nil {
			continue
		}
		b := &bench{Options: o, ctx: ctx, out: out}
		failed = append(failed, torch.Try(func() error { return m.run(b) }))
		b.close()
	}
	return errors.Join(append(failed, context.Cause(ctx))...)
}

// close ends PyTorch's processes and removes temporary folders.
func (b *bench) close() {
	for _, p := range b.peers {
		p.stop()
	}
	for _, dir := range b.temp {
		_ = os.RemoveAll(dir)
	}
}

// folder makes a temporary folder that close removes.
func (b *bench) folder() (string, error) {
	dir, err := os.MkdirTemp("", "losscorr-bench")
	if err == nil {
		b.temp = append(b.temp, dir)
	}
	return dir, err
}

// times returns the number of rounds to measure, from n and Options.Rounds.
func (b *bench) times(n int) int {
	if b.Rounds == 0 {
		return n
	}
	return max(1, int(b.Rounds*float64(n)))
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
