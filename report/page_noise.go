package report

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/config"
)

// noiseView is what there is on the runs of one noise.
type noiseView struct {
	ID, Name  string
	Curves    []panel
	Matrices  []matrixView
	Warnings  []string
	Unread    []string
	HasFigure bool
	Open      bool // the last one, of the most noise
}

type matrixView struct {
	Title, About string
	Drawing      template.HTML
}

// latest returns the records of a column, of each row and seed the one that
// finished last, in the order of their seeds.
func latest(records []*Record, column Column) []*Record {
	type place struct {
		variant lossVariant
		seed    uint64
	}
	last := make(map[place]*Record)
	for _, r := range records {
		if ColumnOf(r.Config) != column {
			continue
		}
		p := place{variant(r.Config), r.Config.Seed}
		if old := last[p]; old == nil || r.Result.Finished > old.Result.Finished {
			last[p] = r
		}
	}
	list := slices.Collect(maps.Values(last))
	slices.SortFunc(list, func(a, b *Record) int {
		if a.Config.Seed != b.Config.Seed {
			if a.Config.Seed < b.Config.Seed {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Dir, b.Dir)
	})
	return list
}

func newNoiseView(id, where string, t *Table, column Column, records []*Record) noiseView {
	v := noiseView{ID: id, Name: column.String()}
	var rows []rowRuns
	for _, row := range t.Rows {
		c := rowRuns{row: row}
		for _, r := range records {
			if t.variants[variant(r.Config)] != row.Name {
				continue
			}
			epochs, err := r.Epochs()
			if err != nil {
				v.Unread = append(v.Unread, err.Error())
			}
			if len(epochs) > 0 {
				c.runs = append(c.runs, epochs)
			}
		}
		if len(c.runs) > 0 {
			rows = append(rows, c)
		}
	}
	for k, drawing := range learningCurves(t, where+", "+column.String(), rows) {
		v.Curves = append(v.Curves, panel{measures[k].name, drawing})
	}
	v.Matrices = matrices(where+", "+column.String(), records)
	v.Warnings = warnings(records)
	v.HasFigure = len(v.Curves)+len(v.Matrices) > 0
	return v
}

// matrices draws T, where it is known, and beside it each estimator's T-hat of the
// first seed.
func matrices(where string, records []*Record) []matrixView {
	var views []matrixView
	type source struct {
		estimator config.Estimator
		trusted   string
	}
	var drawn []source
	errs := make(map[source]map[uint64]float64)
	for _, r := range records {
		if t := r.Result.Transition; t != nil && t.Estimated != nil {
			s := source{r.Config.Estimator, r.Config.Trusted}
			if errs[s] == nil {
				errs[s] = make(map[uint64]float64)
			}
			if len(t.Nominal) > 0 {
				errs[s][r.Config.Seed] = t.EstimateError
			}
		}
	}
	for _, r := range records {
		t := r.Result.Transition
		if t == nil {
			continue
		}
		known := len(t.Nominal) > 0
		if known && len(views) == 0 {
			views = append(views, matrixView{"T", "the matrix that made the noise", heat("transition matrix T, "+where, t.Classes, t.Nominal)})
		}
		s := source{r.Config.Estimator, r.Config.Trusted}
		if t.Estimated == nil || slices.Contains(drawn, s) {
			continue
		}
		drawn = append(drawn, s)
		about := fmt.Sprintf("%s, seed %d", s.estimator.Name, r.Config.Seed)
		if known {
			about += fmt.Sprintf(": mean L1 distance of a row from T %.3f", t.EstimateError)
		}
		if of := slices.Collect(maps.Values(errs[s])); len(of) > 1 {
			slices.Sort(of)
			sample := NewSample(of)
			about += fmt.Sprintf("; over %d seeds %.3f ± %.3f", sample.N, sample.Mean, sample.Std)
		}
		if t.NamedBy != "" {
			about += "; rows named by " + t.NamedBy
		}
		if t.RowsPermuted {
			about += "; other names for its rows would fit better"
		}
		views = append(views, matrixView{"T\u0302", about, heat("estimate of T by "+s.estimator.Name+", "+where, t.Classes, t.Estimated)})
	}
	return views
}

// warnings are those of the runs, each once, with the seeds that it concerns.
func warnings(records []*Record) []string {
	seeds := make(map[string][]uint64)
	var order []string
	for _, r := range records {
		for _, w := range r.Result.Warnings {
			if seeds[w] == nil {
				order = append(order, w)
			}
			seeds[w] = append(seeds[w], r.Config.Seed)
		}
	}
	for k, w := range order {
		slices.Sort(seeds[w])
		// Runs that share an estimate share its warnings.
		order[k] = fmt.Sprintf("seed %s: %s", ranges(slices.Compact(seeds[w])), w)
	}
	return order
}
