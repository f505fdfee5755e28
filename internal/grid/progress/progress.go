// Package progress holds the displays of a [grid.Runner]: bars and lines for people,
// JSON for programs.
//
//	r := grid.Runner{Root: "runs/mnist", Execute: execute, Progress: progress.New(os.Stderr, false)}
//
// [New] chooses bars for a terminal and lines for anything else. [NewReading] shows how
// far a long reading of data has come, before the runs start.
package progress

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/losscorr/losscorr/internal/grid"
)

// New chooses a display: notes only if quiet, else bars if w is a terminal that can
// move its cursor, else plain lines.
func New(w io.Writer, quiet bool) grid.Progress {
	switch {
	case quiet:
		return grid.Quiet{Out: w}
	case interactive(w, os.Getenv):
		return NewBars(w)
	}
	return NewLines(w)
}

// interactive reports whether w can show bars: a dumb terminal cannot move its cursor
// up. There are no colours, so NO_COLOR is always respected.
func interactive(w io.Writer, getenv func(string) string) bool {
	f, ok := w.(*os.File)
	if !ok || getenv("TERM") == "dumb" || getenv("TERM") == "" {
		return false
	}
	return term.IsTerminal(int(f.Fd()))
}
