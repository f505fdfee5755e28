// Package progress holds the display of a [grid.Runner].
//
//	r := grid.Runner{Root: "runs/mnist", Execute: execute, Progress: progress.New(os.Stderr, false)}
//
// [NewReading] shows the progress of reading data before the runs start.
package progress

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/losscorr/losscorr/internal/grid"
)

// New returns a display that writes lines, or only notes if quiet.
func New(w io.Writer, quiet bool) grid.Progress {
	if quiet {
		return grid.Quiet{Out: w}
	}
	return newLines(w)
}

// interactive reports whether a line on w can be overwritten, which a dumb terminal cannot do. There are no colours, so
// NO_COLOR is always respected.
func interactive(w io.Writer, getenv func(string) string) bool {
	f, ok := w.(*os.File)
	if !ok || getenv("TERM") == "dumb" || getenv("TERM") == "" {
		return false
	}
	return term.IsTerminal(int(f.Fd()))
}
