// Package progress holds the display of a [grid.Runner].
//
//	r := grid.Runner{Root: "runs/mnist", Execute: execute, Progress: progress.New(os.Stderr, false)}
//
// [NewReading] shows how far a long reading of data has come, before the runs start.
package progress

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/losscorr/losscorr/internal/grid"
)

// New returns a display: notes only if quiet, else lines.
func New(w io.Writer, quiet bool) grid.Progress {
	if quiet {
		return grid.Quiet{Out: w}
	}
	return newLines(w)
}

// interactive reports whether w can show a line again and again: a dumb terminal cannot move
// its cursor. There are no colours, so NO_COLOR is always respected.
func interactive(w io.Writer, getenv func(string) string) bool {
	f, ok := w.(*os.File)
	if !ok || getenv("TERM") == "dumb" || getenv("TERM") == "" {
		return false
	}
	return term.IsTerminal(int(f.Fd()))
}
