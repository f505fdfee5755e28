package report

import (
	"fmt"
	"io"

	"github.com/losscorr/losscorr/internal/store"
)

// Estimated returns the first result with a T-hat, or an empty one.
func Estimated(runs []*Run) store.Result {
	for _, r := range runs {
		if t := r.Result.Transition; t != nil && t.Estimated != nil {
			return *r.Result
		}
	}
	return store.Result{}
}

// WriteWarnings writes the warnings of the runs of one noise, such as unreliable rows of T-hat or images that
// were left out.
func WriteWarnings(w io.Writer, runs []*Run) {
	said := map[string]bool{} // runs that share an estimate repeat its warnings
	for _, r := range runs {
		for _, warning := range r.Result.Warnings {
			line := fmt.Sprintf("warning (seed %d): %s", r.Result.Config.Seed, warning)
			if !said[line] {
				fmt.Fprintln(w, line)
			}
			said[line] = true
		}
	}
}
