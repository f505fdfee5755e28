package runner

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/losscorr/losscorr/training"
	"golang.org/x/term"
)

// Progress shows people what a Runner does. Its methods, and those of the
// tracks that it hands out, may be called from several goroutines.
type Progress interface {
	// Plan says how many runs there are and how many were finished before.
	Plan(total, finished int)
	// Begin shows a run that starts.
	Begin(run Planned) Track
	// Note shows a line of text.
	Note(text string)
	// Close shows what is left and ends the display.
	Close()
}

// Track shows one run.
type Track interface {
	Sink
	End(o Outcome)
}

// NewProgress chooses a display: bars where w is a terminal that can move its
// cursor, plain lines elsewhere, nothing if quiet but notes.
func NewProgress(w io.Writer, quiet bool) Progress {
	switch {
	case quiet:
		return Quiet{Out: w}
	case interactive(w, os.Getenv):
		return newBars(w)
	}
	return NewLines(w)
}

// NewBars shows a bar for each run under way, and one for the plan.
func NewBars(w io.Writer) Progress { return newBars(w) }

// interactive reports whether bars make sense: a dumb terminal cannot go back a
// line. Nothing here is coloured, so NO_COLOR is always kept.
func interactive(w io.Writer, getenv func(string) string) bool {
	f, ok := w.(*os.File)
	if !ok || getenv("TERM") == "dumb" || getenv("TERM") == "" {
		return false
	}
	return term.IsTerminal(int(f.Fd()))
}

// Quiet shows notes only, and nothing at all without Out.
type Quiet struct{ Out io.Writer }

// Plan implements Progress.
func (Quiet) Plan(int, int) {}

// Begin implements Progress.
func (Quiet) Begin(Planned) Track { return silent{} }

// Note implements Progress.
func (q Quiet) Note(text string) {
	if q.Out != nil {
		fmt.Fprintln(q.Out, text)
	}
}

// Close implements Progress.
func (Quiet) Close() {}

type silent struct{}

func (silent) Epoch(training.Epoch) {}
func (silent) Batch(int, int)       {}
func (silent) End(Outcome)          {}

// Count renders a number of things: 1 epoch, 2 epochs.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Runs renders a number of runs: 1 run, 2 runs.
func Runs(n int) string { return Count(n, "run") }

// duration renders a time for people: 42s, 3m07s, 2h05m.
func duration(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// summary says how a run ended in one line.
func summary(o Outcome) string {
	switch {
	case o.State == Waiting:
		return "given up: " + o.Err.Error()
	case o.State == Stopped:
		return o.Err.Error()
	case o.Err != nil:
		return "failed: " + o.Err.Error()
	}
	return fmt.Sprintf("%s, test %.2f %% selected (epoch %d), %.2f %% last, %s", o.State,
		o.Result.Selected.TestAccuracy, o.Result.Selected.Epoch, o.Result.Last.TestAccuracy,
		duration(time.Duration(o.Result.Seconds*float64(time.Second))))
}
