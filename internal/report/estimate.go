package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
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

// EstimateTable shows the first T-hat among runs of one noise, or is nil without a T-hat. For many classes it shows
// only the rows with the fewest right labels, and their largest entries.
func EstimateTable(runs []*Run) *Table {
	first := Estimated(runs)
	c, info := first.Config, first.Transition
	own := c.DataEntry().Own && info != nil && info.Nominal == nil
	if info == nil || c.Noise.Kind == correction.NoNoise && !own {
		return nil
	}
	noise, distance := "given labels", ""
	if !own {
		noise, distance = ColumnOf(c).String()+" noise", fmt.Sprintf("; mean L1 distance of a row from T: %.3f",
			info.EstimateError)
	}
	t := &Table{Title: fmt.Sprintf("T-hat by %s, %s, seed %d%s", c.Estimator.Name, noise, c.Seed, distance)}
	if len(info.Classes) > wholeMatrix {
		t.addNoisiest(info)
	} else {
		t.addMatrix(info)
	}
	if info.NamedBy != "" {
		t.Notes = append(t.Notes, "rows named by "+info.NamedBy)
	}
	return t
}

// wholeMatrix is the largest number of classes for which T-hat is shown whole; more columns do not fit a
// terminal.
const wholeMatrix = 20

func (t *Table) addMatrix(info *store.TransitionInfo) {
	t.Headings = Headings("true class>")
	for i, row := range info.Estimated {
		t.Headings = append(t.Headings, Heading{Name: fmt.Sprintf("%.6s", info.Classes[i]), Right: true})
		texts := []string{info.Classes[i]}
		for _, v := range row {
			text := "."
			if v >= .005 {
				text = fmt.Sprintf("%.2f", v)
			}
			texts = append(texts, text)
		}
		t.Add(texts...)
	}
}

func (t *Table) addNoisiest(info *store.TransitionInfo) {
	const entries = 4
	t.Headings = Headings("true class>", "right>", "given as")
	rows := info.Estimated
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[a][a], rows[b][b]) })
	for _, i := range order[:wholeMatrix] {
		var given []string
		others := slices.Clone(order)
		slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(rows[i][b], rows[i][a]) })
		for _, j := range others[:entries] {
			if v := rows[i][j]; j != i && v >= .005 {
				given = append(given, fmt.Sprintf("%s %.2f", info.Classes[j], v))
			}
		}
		t.Add(info.Classes[i], fmt.Sprintf("%.2f", rows[i][i]), strings.Join(given, ", "))
	}
	t.Notes = append(t.Notes, fmt.Sprintf("all %d rows are in T_hat.csv in the folder of the run", len(rows)))
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
