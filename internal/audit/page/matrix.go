package page

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/internal/report/figure"
)

// wide is the largest number of classes for which the matrix is a table.
const wide = 12

// matrix is T-hat on the page: a table, or a drawing with its largest entries.
type matrix struct {
	Classes []string
	Rows    [][]cell
	Drawing template.HTML
	Largest []cell // off the diagonal, largest first
}

// cell is an entry of T-hat.
type cell struct {
	True, Given string
	Value       string
	Style       template.CSS
	Class       string // CSS class of the ink
}

func shaded(v float64) cell {
	share, class := figure.Shade(v)
	return cell{Value: percent(v), Class: class, Style: template.CSS("--share:" + strconv.Itoa(share) +
		"%")} //nolint:gosec // a number
}

func newMatrix(r Report) *matrix {
	if r.T == nil {
		return nil
	}
	m := &matrix{Classes: r.Summary.ClassNames()}
	t := r.T.Rows()
	type entry struct {
		cell
		value float64
	}
	var off []entry
	for i, row := range t {
		var cells []cell
		for j, v := range row {
			c := shaded(v)
			c.True, c.Given = m.Classes[i], m.Classes[j]
			cells = append(cells, c)
			if i != j && v > .005 {
				off = append(off, entry{c, v})
			}
		}
		m.Rows = append(m.Rows, cells)
	}
	if len(m.Classes) <= wide {
		return m
	}
	m.Rows = nil
	label := fmt.Sprintf("how often each of %d true classes is labelled as each class", len(m.Classes))
	m.Drawing = figure.Matrix(m.Classes, t).Element("chart heat", label)
	slices.SortStableFunc(off, func(a, b entry) int { return cmp.Compare(b.value, a.value) })
	for _, e := range off[:min(len(off), 20)] {
		m.Largest = append(m.Largest, e.cell)
	}
	return m
}
