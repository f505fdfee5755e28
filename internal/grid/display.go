package grid

import (
	"fmt"
	"io"

	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// Progress displays the work of a Runner. Several goroutines may call its methods and those of its tracks.
type Progress interface {
	// Plan reports how many runs the plan has and how many were finished already.
	Plan(total, finished int)
	// Begin shows the start of a run.
	Begin(run store.Planned) Track
	// Note shows a line of text.
	Note(text string)
	// Close writes pending output and ends the display.
	Close()
}

// Track displays one run.
type Track interface {
	store.Sink
	End(o Outcome)
}

// Quiet writes only notes, to Out; without Out it writes nothing.
type Quiet struct{ Out io.Writer }

func (Quiet) Plan(int, int)             {}
func (Quiet) Begin(store.Planned) Track { return silent{} }
func (Quiet) Close()                    {}

func (q Quiet) Note(text string) {
	if q.Out != nil {
		fmt.Fprintln(q.Out, text)
	}
}

type silent struct{}

func (silent) Resumed(int)         {}
func (silent) Epoch(metrics.Epoch) {}
func (silent) Batch(int, int)      {}
func (silent) End(Outcome)         {}
