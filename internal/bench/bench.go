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

// Options sets the device, and whether PyTorch is also measured. The zero value
// measures on the CPU, without PyTorch.
type Options struct {
	Device torch.Device
	Python string // interpreter whose torch is also measured; empty for none
	Data   string // folder of MNIST; the program's own copy if it has none
	// Rounds is a factor for the number of rounds of each measurement; 0 means 1.
	// There is at least one round.
	Rounds float64
	// CPUTime measures processor time instead of wall time, for a machine that also
	// does other work. It works only on the CPU.
	CPUTime bool
	// PythonTime is how long PyTorch may take in total, start included, before it is
	// killed; 0 means 90 s in Steps and an hour in Run.
	PythonTime time.Duration
}

// bench is the state of a measurement.
type bench struct {
	Options
	ctx   context.Context
	out   io.Writer
	one   bool    // one PyTorch process for all workloads
	peers []*peer // running
	temp  []string
}

// measurement prints a line or two of Run's output.
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

// CheckNames returns an error if a name is unknown.
func CheckNames(names []string) error {
	for _, name := range names {
		if all := Names(); !slices.Contains(all, name) {
			return fmt.Errorf("unknown measurement %q: choose from %s", name, strings.Join(all, ", "))
		}
	}
	return nil
}

// Run makes the named measurements, in the order of Names, and prints a line for each.
// Every workload has its own PyTorch processes, one for each variant. Run sets libtorch's
// number of threads to one. It fails if a name is unknown. If a measurement fails, Run
// continues with the others and joins the errors.
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
