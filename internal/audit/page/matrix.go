package page

import (
	"fmt"
	"html/template"
	"strconv"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/report/figure"
)

// wide is the most classes for a matrix shown as a table.
const wide = 12

// matrix is T-hat on the page: a table, or a drawing.
type matrix struct {
	Classes []string
	Rows    [][]cell
	Drawing template.HTML
}

// cell is an entry of T-hat.
type cell struct {
	True  string
	Value string
	Style template.CSS
	Class string // CSS class of the ink
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
		for _, v := range row {
			c := shaded(v)
			c.True = classes[i]
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
	m := &matrix{Classes: r.Summary.ClassNames()}
	if len(m.Classes) <= wide {
		m.Rows = cellsOf(r.T)
		return m
	}
	label := fmt.Sprintf("how often each of %d true classes is labelled as each class", len(m.Classes))
	m.Drawing = figure.Matrix(m.Classes, r.T.Rows()).Element("chart heat", label)
	return m
}
