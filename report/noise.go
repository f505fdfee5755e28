package report

import (
	"fmt"
	"io"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/store"
)

// Under returns the runs of a column, row by row.
func (t *Table) Under(column int) []*Run {
	var runs []*Run
	for _, line := range t.Cells {
		if c := line[column]; c != nil {
			runs = append(runs, c.Runs...)
		}
	}
	return runs
}

// Estimated is the first result that holds a T-hat, or an empty one.
func Estimated(runs []*Run) store.Result {
	for _, r := range runs {
		if t := r.Result.Transition; t != nil && t.Estimated != nil {
			return *r.Result
		}
	}
	return store.Result{}
}

// WriteEstimate writes the first T-hat among runs of one noise as numbers, nothing where
// there is none.
func WriteEstimate(w io.Writer, runs []*Run) {
	first := Estimated(runs)
	c, t := first.Config, first.Transition
	own := c.DataEntry().Own && t != nil && t.Nominal == nil
	if t == nil || c.Noise.Kind == correction.NoNoise && !own {
		return
	}
	noise, distance := "given labels", ""
	if !own {
		noise, distance = ColumnOf(c).String()+" noise", fmt.Sprintf("; mean L1 distance of a row from T: %.3f", t.EstimateError)
	}
	fmt.Fprintf(w, "\nT-hat by %s, %s, seed %d (rows: true class)%s\n", c.Estimator.Name, noise, c.Seed, distance)
	for i, row := range t.Estimated {
		fmt.Fprintf(w, "%12s ", t.Classes[i])
		for _, v := range row {
			if v < .005 {
				fmt.Fprint(w, "    . ")
			} else {
				fmt.Fprintf(w, "  %.2f", v)
			}
		}
		fmt.Fprintln(w)
	}
	if t.NamedBy != "" {
		fmt.Fprintf(w, "rows named by %s\n", t.NamedBy)
	}
}

// WriteCleanAccuracy writes what the networks are worth on data without a test set.
func WriteCleanAccuracy(w io.Writer, runs []*Run) {
	for _, r := range runs {
		if a := r.Result.CleanAccuracy; a != nil {
			fmt.Fprintf(w, "%s (seed %d): right on about %.1f %% of new examples, %.1f to %.1f by the noisy labels of its validation set and T (90 %% interval)\n",
				r.Config.Trains(), r.Config.Seed, a.Estimate, a.Low, a.High)
		}
	}
}

// WriteWarnings writes the warnings of the runs of one noise: rows of T-hat that cannot be
// trusted, images that were left out.
func WriteWarnings(w io.Writer, runs []*Run) {
	said := map[string]bool{} // runs that share an estimate share its warnings
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
