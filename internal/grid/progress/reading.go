package progress

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/losscorr/losscorr/internal/humanize"
)

// NewReading returns a function that shows the progress of reading data, and the time left. On a terminal it overwrites
// one line. Elsewhere it writes lines after 1, 3 and 10 seconds, then every 10 seconds, after a minute every 30, and
// one at the end. Without a terminal, work of less than a second is not shown unless it reports done = 0 first, which
// is shown at once. NewReading returns nil if quiet. The function must not be called concurrently.
func NewReading(w io.Writer, quiet bool) func(what string, done, total int) {
	if quiet {
		return nil
	}
	return (&reading{w: w, clock: time.Now, over: interactive(w, os.Getenv)}).show
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
			r.next = now.Add(steps[0].every)
		}
	}
	r.last = done
	elapsed := now.Sub(r.begun)
	ended, due := done == total, !now.Before(r.next)
	if ended {
		due = r.over || r.shown
	}
	if !due {
		return
	}
	r.shown, r.next = true, r.after(elapsed)
	text := fmt.Sprintf("%s: %d of %d%s", what, done, total, r.left(elapsed, done, total))
	if ended {
		text = fmt.Sprintf("%s: %d in %s", what, total, humanize.Duration(elapsed))
	}
	switch {
	case !r.over:
		fmt.Fprintf(r.w, "%s\n", text)
	case ended:
		fmt.Fprintf(r.w, "\r%s\033[K\n", text)
	default:
		fmt.Fprintf(r.w, "\r%s\033[K", text)
	}
}

// steps are the intervals between lines without a terminal, and how long each applies.
var steps = []struct{ until, every time.Duration }{
	{time.Second, time.Second}, {3 * time.Second, 2 * time.Second}, {10 * time.Second, 7 * time.Second},
	{time.Minute, 10 * time.Second}, {1 << 62, 30 * time.Second},
}

// after returns when the line after the one shown at elapsed is due.
func (r *reading) after(elapsed time.Duration) time.Time {
	if r.over {
		return r.begun.Add(elapsed + 100*time.Millisecond)
	}
	var due time.Duration
	for _, step := range steps {
		for due < step.until {
			if due += step.every; due > elapsed {
				return r.begun.Add(due)
			}
		}
	}
	return r.begun
}

// left returns ", 12s left" at the pace so far, or "" in the first second.
func (r *reading) left(elapsed time.Duration, done, total int) string {
	if elapsed < time.Second || done <= r.from {
		return ""
	}
	left := float64(elapsed) / float64(done-r.from) * float64(total-done)
	return fmt.Sprintf(", %s left", humanize.Duration(time.Duration(left)))
}
