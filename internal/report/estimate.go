package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/store"
)

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
		noise, distance = ColumnOf(c).String()+" noise", fmt.Sprintf("; mean L1 distance of a row from T: %.3f",
			t.EstimateError)
	}
	fmt.Fprintf(w, "\nT-hat by %s, %s, seed %d (rows: true class)%s\n", c.Estimator.Name, noise, c.Seed, distance)
	if len(t.Classes) > wholeMatrix {
		writeNoisiest(w, t.Classes, t.Estimated)
	} else {
		writeMatrix(w, t.Classes, t.Estimated)
	}
	if t.NamedBy != "" {
		fmt.Fprintf(w, "rows named by %s\n", t.NamedBy)
	}
}

// wholeMatrix is up to how many classes T-hat is written whole: more columns do not fit into a
// terminal.
const wholeMatrix = 20

func writeMatrix(w io.Writer, classes []string, rows [][]float64) {
	for i, row := range rows {
		fmt.Fprintf(w, "%12s ", classes[i])
		for _, v := range row {
			if v < .005 {
				fmt.Fprint(w, "    . ")
			} else {
				fmt.Fprintf(w, "  %.2f", v)
			}
		}
		fmt.Fprintln(w)
	}
}

// writeNoisiest writes the rows with the fewest right labels, of each the largest entries.
func writeNoisiest(w io.Writer, classes []string, rows [][]float64) {
	const entries = 4
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[a][a], rows[b][b]) })
	for _, i := range order[:wholeMatrix] {
		fmt.Fprintf(w, "%12s   right %.2f", classes[i], rows[i][i])
		others := slices.Clone(order)
		slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(rows[i][b], rows[i][a]) })
		for _, j := range others[:entries] {
			if v := rows[i][j]; j != i && v >= .005 {
				fmt.Fprintf(w, "  %s %.2f", classes[j], v)
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "these have the fewest right labels; T_hat.csv in the folder of the run has all %d rows\n", len(rows))
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
