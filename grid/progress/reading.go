package progress

import (
	"fmt"
	"io"
	"os"
	"time"
)

// NewReading returns a function that shows how far a long reading of data has come:
// on a terminal one line that is overwritten, elsewhere a line at the start and every
// ten seconds. It returns nil, which shows nothing, if quiet. The function may be
// called from one goroutine at a time.
func NewReading(w io.Writer, quiet bool) func(what string, done, total int) {
	if quiet {
		return nil
	}
	const often, seldom = 100 * time.Millisecond, 10 * time.Second
	over := interactive(w, os.Getenv)
	every := seldom
	if over {
		every = often
	}
	var shown time.Time
	return func(what string, done, total int) {
		ended := done == total
		if time.Since(shown) < every && !(over && ended) {
			return
		}
		shown = time.Now()
		switch {
		case !over:
			fmt.Fprintf(w, "%s: %d of %d\n", what, done, total)
		case ended:
			fmt.Fprintf(w, "\r%s: %d\033[K\n", what, total)
		default:
			fmt.Fprintf(w, "\r%s: %d of %d\033[K", what, done, total)
		}
	}
}
