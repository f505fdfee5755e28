package grid

import (
	"fmt"
	"io"

	"github.com/losscorr/losscorr/store"
)

// Progress shows people what a Runner does. Its methods, and those of the
// tracks that it hands out, may be called from several goroutines.
type Progress interface {
	// Plan says how many runs there are and how many were finished before.
	Plan(total, finished int)
	// Begin shows a run that starts.
	Begin(run store.Planned) Track
	// Note shows a line of text.
	Note(text string)
	// Close shows what is left and ends the display.
	Close()
}

// Track shows one run.
type Track interface {
	store.Sink
	End(o Outcome)
}

// Quiet shows notes only, and nothing at all without Out.
type Quiet struct{ Out io.Writer }

// Plan implements Progress.
func (Quiet) Plan(int, int) {}

// Begin implements Progress.
func (Quiet) Begin(store.Planned) Track { return silent{} }

// Note implements Progress.
func (q Quiet) Note(text string) {
	if q.Out != nil {
		fmt.Fprintln(q.Out, text)
	}
}

// Close implements Progress.
func (Quiet) Close() {}

type silent struct{}

func (silent) Epoch(store.Epoch) {}
func (silent) Batch(int, int)    {}
func (silent) End(Outcome)       {}
