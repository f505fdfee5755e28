package report

import (
	"fmt"
	"io"

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

// EstimateTable shows the first T-hat among runs of one noise. It is nil without a T-hat, and for so many classes that
// a terminal is too narrow; T_hat.csv in the run's folder has all.
func EstimateTable(runs []*Run) *Table {
	first := Estimated(runs)
	c, info := first.Config, first.Transition
	own := c.DataEntry().Own && info != nil && info.Nominal == nil
	if info == nil || len(info.Classes) > mostClasses || c.Noise.Kind == correction.NoNoise && !own {
		return nil
	}
	noise, distance := "given labels", ""
	if !own {
		noise, distance = ColumnOf(c).String()+" noise", fmt.Sprintf("; mean L1 distance of a row from T: %.3f",
			info.EstimateError)
	}
	t := &Table{Title: fmt.Sprintf("T-hat by %s, %s, seed %d%s", c.Estimator.Name, noise, c.Seed, distance)}
	t.addMatrix(info)
	if info.NamedBy != "" {
		t.Notes = append(t.Notes, "rows named by "+info.NamedBy)
	}
	return t
}

// mostClasses is the largest number of classes for which T-hat fits a terminal.
const mostClasses = 20

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
