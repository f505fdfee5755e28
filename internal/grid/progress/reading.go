// Package progress shows the progress of reading data, before the runs of a [grid.Runner] start.
package progress

import (
	"fmt"
	"io"
	"time"

	"github.com/losscorr/losscorr/internal/humanize"
)

// NewReading returns a function that shows the progress of reading data, and the time left: a line after a second, then
// every 10 seconds, and one at the end. Work of less than a second is not shown unless it reports done = 0 first, which
// is shown at once. NewReading returns nil if quiet. The function must not be called concurrently.
func NewReading(w io.Writer, quiet bool) func(what string, done, total int) {
	if quiet {
		return nil
	}
	return (&reading{w: w, clock: time.Now}).show
}

type reading struct {
	w     io.Writer
	clock func() time.Time

	what        string
	from, last  int // done at the first and at the last call
	begun, next time.Time
	shown       bool
}

func (r *reading) show(what string, done, total int) {
	now := r.clock()
	if what != r.what || done < r.last {
		r.what, r.from, r.begun, r.next, r.shown = what, done, now, now, false
		if done > 0 {
			r.next = now.Add(time.Second)
		}
	}
	r.last = done
	ended := done == total
	if ended && !r.shown || !ended && now.Before(r.next) {
		return
	}
	elapsed := now.Sub(r.begun)
	text := fmt.Sprintf("%s: %d of %d%s", what, done, total, r.left(elapsed, done, total))
	if ended {
		text = fmt.Sprintf("%s: %d in %s", what, total, humanize.Duration(elapsed))
	}
	r.shown, r.next = true, now.Add(10*time.Second)
	fmt.Fprintln(r.w, text)
}

// left returns ", 12s left" at the pace so far, or "" in the first second.
func (r *reading) left(elapsed time.Duration, done, total int) string {
	if elapsed < time.Second || done <= r.from {
		return ""
	}
	left := float64(elapsed) / float64(done-r.from) * float64(total-done)
	return fmt.Sprintf(", %s left", humanize.Duration(time.Duration(left)))
}
