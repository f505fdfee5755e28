package html

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/figure"

	"github.com/losscorr/losscorr/internal/config"
)

// block is a block on the page, with its figures and warnings.
type block struct {
	*report.Block
	ID     string
	Styles map[string]figure.Style
	Sweeps []picture
	Noises []noise
	Times  *report.Table
}

// picture is a figure with the text above it.
type picture struct {
	Title, About string
	Drawing      template.HTML
}

// noise holds the figures and warnings for one noise.
type noise struct {
	ID               string
	Column           report.Column
	Curves, Matrices []picture
	Warnings, Unread []string
	Open             bool // set for the last, which has the most noise
}

// Drawn reports whether the noise has a figure.
func (n noise) Drawn() bool { return len(n.Curves)+len(n.Matrices) > 0 }

// Drawn reports whether the block has a figure.
func (b *block) Drawn() bool { return len(b.Sweeps) > 0 || slices.ContainsFunc(b.Noises, noise.Drawn) }

func newBlock(id string, of *report.Block) *block {
	b := &block{Block: of, ID: id, Styles: figure.Styles(of.Rows), Times: times(of)}
	name := of.Dataset + ", " + of.Network()
	for _, kind := range []string{"asymmetric", "symmetric"} {
		if s := of.Sweep(kind); len(s.Levels()) > 1 {
			label := name + ", " + kind + " noise: test accuracy against the noise level N, one line per loss"
			b.Sweeps = append(b.Sweeps, picture{Title: "Accuracy against N, " + kind + " noise",
				Drawing: figure.Sweep(s, b.Styles).Element("chart", label)})
		}
	}
	for j, c := range of.Columns {
		n := noise{ID: fmt.Sprintf("%s-n%d", id, j+1), Column: c, Open: j == len(of.Columns)-1}
		var cells []*report.Cell
		var runs []*report.Run
		var curves []figure.Curve
		for i, row := range of.Rows {
			cell := of.Cells[i][j]
			if cell == nil {
				continue
			}
			cells, runs = append(cells, cell), append(runs, cell.Runs...)
			curve, err := figure.CurveOf(row, cell.Runs)
			if err != nil {
				n.Unread = append(n.Unread, err.Error())
			}
			curves = append(curves, curve)
		}
		where := name + ", " + c.String()
		for _, m := range figure.Measures {
			if f := figure.LearningCurves(m, curves, b.Styles); f != nil {
				label := fmt.Sprintf("%s by epoch, %s, one line per loss", m.Name, where)
				n.Curves = append(n.Curves, picture{Title: m.Name, Drawing: f.Element("chart", label)})
			}
		}
		slices.SortFunc(runs, func(a, b *report.Run) int {
			return cmp.Or(cmp.Compare(a.Config.Seed, b.Config.Seed), cmp.Compare(a.Dir, b.Dir))
		})
		n.Matrices, n.Warnings = matrices(where, cells), warnings(runs)
		b.Noises = append(b.Noises, n)
	}
	return b
}

// matrices draws T of a noise, if it is known, and beside it each estimator's T-hat
// for the first seed.
func matrices(where string, cells []*report.Cell) []picture {
	type source struct {
		estimator config.Estimator
		trusted   string
	}
	var truth, estimates []picture
	var drawn []source
	for _, c := range cells {
		for _, r := range c.Runs {
			t := r.Result.Transition
			if t == nil {
				continue
			}
			known := len(t.Nominal) > 0
			if known && truth == nil {
				truth = append(truth, heat("T", "the matrix that made the noise", "transition matrix T, "+where, t.Classes,
					t.Nominal))
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
			if e := c.EstimateError; e.N > 1 {
				about += fmt.Sprintf("; over %d seeds %.3f ± %.3f", e.N, e.Mean, e.Std)
			}
			if t.NamedBy != "" {
				about += "; rows named by " + t.NamedBy
			}
			if t.RowsPermuted {
				about += "; its rows may be named wrongly"
			}
			estimates = append(estimates, heat("T\u0302", about, "estimate of T by "+s.estimator.Name+", "+where, t.Classes,
				t.Estimated))
		}
	}
	return append(truth, estimates...)
}

func heat(title, about, label string, classes []string, rows [][]float64) picture {
	return picture{title, about, figure.Matrix(classes, rows).Element("chart heat", label)}
}

// warnings returns the distinct warnings of the runs, each with its seeds.
func warnings(runs []*report.Run) []string {
	seeds := make(map[string][]uint64)
	var order []string
	for _, r := range runs {
		for _, w := range r.Result.Warnings {
			if seeds[w] == nil {
				order = append(order, w)
			}
			seeds[w] = append(seeds[w], r.Config.Seed)
		}
	}
	for k, w := range order {
		slices.Sort(seeds[w])
		// Runs that share an estimate repeat its warnings.
		order[k] = fmt.Sprintf("seed %s: %s", humanize.Ranges(slices.Compact(seeds[w])), w)
	}
	return order
}
