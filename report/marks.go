package report

import "strings"

const (
	significance = 0.05 // of Welch's test
	singleRange  = 0.5  // points, where there is one run a cell
)

// mark sets the bold marks of both epochs, column by column.
func (t *Table) mark() {
	for j, column := range t.Columns {
		if column.Noise == "none" {
			continue // the paper marks no best loss on clean labels
		}
		var entries []entry
		for i, row := range t.Rows {
			if cell := t.Cells[i][j]; cell != nil {
				entries = append(entries, entry{cell: cell, oracle: knowsTruth(row)})
			}
		}
		for i, b := range bold(entries, func(c *Cell) Sample { return c.Selected }) {
			entries[i].cell.SelectedBold = b
		}
		for i, b := range bold(entries, func(c *Cell) Sample { return c.Last }) {
			entries[i].cell.LastBold = b
		}
	}
}

// entry is a cell of one column; oracle says that its loss knows the true T.
type entry struct {
	cell   *Cell
	oracle bool
}

// knowsTruth reports whether a row is a correction by the true T.
func knowsTruth(row string) bool {
	loss, _, _ := strings.Cut(row, " ")
	return loss == "forward" || loss == "backward"
}

// bold returns which entries of a column are printed bold, by the caption of
// the paper's Table 2: the highest mean, with all that Welch's test does not
// tell from it at 5 % (single runs: within 0.5 points). As long as the highest
// knows the true T, it is bold and the next highest is looked at as well. If
// that makes every entry bold, none stands out and none is.
func bold(entries []entry, of func(*Cell) Sample) []bool {
	marks := make([]bool, len(entries))
	count := 0
	for count < len(entries) {
		best := -1
		for i, e := range entries {
			if !marks[i] && (best < 0 || of(e.cell).Mean > of(entries[best].cell).Mean) {
				best = i
			}
		}
		marks[best] = true
		count++
		if entries[best].oracle {
			continue
		}
		for i, e := range entries {
			if !marks[i] && alike(of(e.cell), of(entries[best].cell)) {
				marks[i] = true
				count++
			}
		}
		break
	}
	if count == len(entries) {
		clear(marks)
	}
	return marks
}

func alike(a, b Sample) bool {
	if a.N < 2 || b.N < 2 {
		d := a.Mean - b.Mean
		return -singleRange <= d && d <= singleRange
	}
	_, _, p := welch(a, b)
	return p >= significance
}
