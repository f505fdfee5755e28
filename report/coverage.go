package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/results/paper"
)

// coverage says how much of a block of the paper's Table 2 has been run.
type coverage struct {
	Block paper.Block
	Of    int // cells in the paper

	Preset  string       // of the table counted here, the fullest one
	Cells   int          // with at least one full run
	Whole   int          // of them, with as many seeds as the paper has runs
	Missing []paper.Cell // without a full run
	Quick   int          // cells with quick runs
}

// covered counts the cells of a block for which there are runs.
func covered(block paper.Block, tables []*Table) coverage {
	cells := block.Cells()
	c := coverage{Block: block, Of: len(cells), Missing: cells}
	for _, t := range tables {
		if t.Dataset != block.Dataset || t.Model != block.Model {
			continue
		}
		seeds := t.published()
		switch {
		case t.Quick:
			c.Quick = max(c.Quick, len(seeds))
		case len(seeds) > c.Cells:
			c.Cells, c.Whole, c.Preset, c.Missing = len(seeds), 0, t.Preset, nil
			for _, p := range cells {
				n, ok := seeds[p]
				switch {
				case !ok:
					c.Missing = append(c.Missing, p)
				case n >= p.Runs:
					c.Whole++
				}
			}
		}
	}
	return c
}

// published returns the paper's cells for which the table has runs, and the
// largest number of seeds of each.
func (t *Table) published() map[paper.Cell]int {
	seeds := make(map[paper.Cell]int)
	for i, row := range t.Rows {
		for j, column := range t.Columns {
			p, ok := paper.Lookup(t.Dataset, t.Model, column.Noise, column.Level, row.Loss)
			if c := t.Cells[i][j]; ok && c != nil {
				seeds[p] = max(seeds[p], len(c.Seeds))
			}
		}
	}
	return seeds
}

// HasPaper reports whether the paper has some of the table's cells.
func (t *Table) HasPaper() bool { return len(t.published()) > 0 }

// CoverageSheet says which of the paper's cells there are, and for each block
// that lacks some the command that makes them.
func CoverageSheet(tables []*Table) *Sheet {
	sheet := &Sheet{Columns: TextColumns("block", "cells>", "", "make the rest with")}
	cells, of := 0, 0
	for _, block := range paper.Blocks() {
		c := covered(block, tables)
		cells, of = cells+c.Cells, of+c.Of
		var notes []string
		if c.Cells > 0 {
			notes = append(notes, "preset "+c.Preset)
		}
		if fewer := c.Cells - c.Whole; fewer > 0 {
			notes = append(notes, fmt.Sprintf("%d with fewer seeds than the paper's", fewer))
		}
		if c.Quick > 0 {
			notes = append(notes, fmt.Sprintf("%d quick, which are no figures", c.Quick))
		}
		command := "make " + c.Block.Name()
		if c.Whole == c.Of {
			command = ""
		}
		sheet.Add(c.Block.Name(), fmt.Sprintf("%d of %d", c.Cells, c.Of), strings.Join(notes, ", "), command)
		if c.Cells > 0 {
			sheet.Notes = append(sheet.Notes, c.lacks()...)
		}
	}
	sheet.Title = fmt.Sprintf("Table 2 of the paper: %d of %d cells", cells, of)
	return sheet
}

// lacks names the missing cells, one line per noise.
func (c coverage) lacks() []string {
	var columns []string
	losses := make(map[string][]string)
	for _, p := range c.Missing {
		column := Column{Noise: p.Noise, Level: p.Level}.String()
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
		losses[column] = append(losses[column], p.Loss)
	}
	for k, column := range columns {
		columns[k] = fmt.Sprintf("missing from %s, column %q: %s", c.Block.Name(), column, strings.Join(losses[column], ", "))
		if len(losses[column]) == len(paper.Losses()) {
			columns[k] = fmt.Sprintf("missing from %s: column %q", c.Block.Name(), column)
		}
	}
	return columns
}
