package page

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/report/figure"
)

// wide is the most classes for a matrix shown as a table.
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

// cellsOf returns the entries of T, by true class.
func cellsOf(t *correction.Matrix) (rows [][]cell) {
	classes := t.Classes()
	for i, row := range t.Rows() {
		var cells []cell
		for j, v := range row {
			c := shaded(v)
			c.True, c.Given = classes[i], classes[j]
			cells = append(cells, c)
		}
		rows = append(rows, cells)
	}
	return rows
}

// Matrix returns T-hat, or nil if the page does not show it.
func (r Report) Matrix() *matrix {
	if r.T == nil {
		return nil
	}
	m, t := &matrix{Classes: r.Summary.ClassNames(), Rows: cellsOf(r.T)}, r.T.Rows()
	if len(m.Classes) <= wide {
		return m
	}
	var off [][2]int
	for i, row := range t {
		for j, v := range row {
			if i != j && v > .005 {
				off = append(off, [2]int{i, j})
			}
		}
	}
	slices.SortStableFunc(off, func(a, b [2]int) int { return cmp.Compare(t[b[0]][b[1]], t[a[0]][a[1]]) })
	for _, at := range off[:min(len(off), 20)] {
		m.Largest = append(m.Largest, m.Rows[at[0]][at[1]])
	}
	m.Rows = nil
	label := fmt.Sprintf("how often each of %d true classes is labelled as each class", len(m.Classes))
	m.Drawing = figure.Matrix(m.Classes, t).Element("chart heat", label)
	return m
}
