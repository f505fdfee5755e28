// Package progress shows people and programs what a [grid.Runner] does: as bars, as
// lines, or as JSON.
package progress

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/losscorr/losscorr/grid"
)

// New chooses a display: bars where w is a terminal that can move its
// cursor, plain lines elsewhere, nothing if quiet but notes.
func New(w io.Writer, quiet bool) grid.Progress {
	switch {
	case quiet:
		return grid.Quiet{Out: w}
	case interactive(w, os.Getenv):
		return newBars(w)
	}
	return NewLines(w)
}

// NewBars shows a bar for each run under way, and one for the plan.
func NewBars(w io.Writer) grid.Progress { return newBars(w) }

// interactive reports whether bars make sense: a dumb terminal cannot go back a
// line. Nothing here is coloured, so NO_COLOR is always kept.
func interactive(w io.Writer, getenv func(string) string) bool {
	f, ok := w.(*os.File)
	if !ok || getenv("TERM") == "dumb" || getenv("TERM") == "" {
		return false
	}
	return term.IsTerminal(int(f.Fd()))
}
