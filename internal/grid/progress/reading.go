// Package progress shows the progress of reading data, before the runs of a [grid.Runner] start.
package progress

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/losscorr/losscorr/internal/humanize"
)

// NewReading returns a function that shows the progress of reading data, and the time left. On a terminal it overwrites
// one line. Elsewhere it writes a line after a second, then every 10 seconds, and one at the end. Without a terminal,
// work of less than a second is not shown unless it reports done = 0 first, which is shown at once. NewReading returns
// nil if quiet. The function must not be called concurrently.
func NewReading(w io.Writer, quiet bool) func(what string, done, total int) {
	if quiet {
		return nil
	}
	return (&reading{w: w, clock: time.Now, over: interactive(w, os.Getenv)}).show
}

// interactive reports whether a line on w can be overwritten, which a dumb terminal cannot do.
func interactive(w io.Writer, getenv func(string) string) bool {
	f, ok := w.(*os.File)
	if !ok || getenv("TERM") == "dumb" || getenv("TERM") == "" {
		return false
	}
	return term.IsTerminal(int(f.Fd()))
}

type reading struct {
	w     io.Writer
	clock func() time.Time
	over  bool // overwrite the line

	what        string
	from, last  int // done at the first and at the last call
	begun, next time.Time
	shown       bool
}

func (r *reading) show(what string, done, total int) {
	now := r.clock()
	if what != r.what || done < r.last {
		r.what, r.from, r.begun, r.next, r.shown = what, done, now, now, false
		if !r.over && done > 0 {
			r.next = now.Add(time.Second)
		}
	}
	r.last = done
	ended, due := done == total, !now.Before(r.next)
	if ended {
		due = r.over || r.shown
	}
	if !due {
		return
	}
	elapsed := now.Sub(r.begun)
	text := fmt.Sprintf("%s: %d of %d%s", what, done, total, r.left(elapsed, done, total))
	if ended {
		text = fmt.Sprintf("%s: %d in %s", what, total, humanize.Duration(elapsed))
	}
	r.shown, r.next = true, now.Add(10*time.Second)
	switch {
	case !r.over:
		fmt.Fprintf(r.w, "%s\n", text)
	case ended:
		fmt.Fprintf(r.w, "\r%s\033[K\n", text)
	default:
		fmt.Fprintf(r.w, "\r%s\033[K", text)
		r.next = now.Add(100 * time.Millisecond)
	}
}

// left returns ", 12s left" at the pace so far, or "" in the first second.
func (r *reading) left(elapsed time.Duration, done, total int) string {
	if elapsed < time.Second || done <= r.from {
		return ""
	}
	left := float64(elapsed) / float64(done-r.from) * float64(total-done)
	return fmt.Sprintf(", %s left", humanize.Duration(time.Duration(left)))
}
