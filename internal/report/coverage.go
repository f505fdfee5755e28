package report

import (
	"fmt"
	"github.com/losscorr/losscorr"
	"slices"
	"strings"
	"sync"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/results/paper"
)

// coverage says how much of a block of the paper's Table 2 has been run.
type coverage struct {
	Block paper.Block
	Of    int // cells in the paper

	What    string       // the data and settings of the table counted here, the fullest one
	Cells   int          // with at least one run in the block's settings
	Whole   int          // of them, with as many seeds as the paper has runs
	Missing []paper.Cell // without such a run
	Quick   int          // cells with quick runs
	Apart   []string     // what there is in other settings
}

// covered counts the cells of a block for which there are runs in its settings.
func covered(block paper.Block, tables []*Table) coverage {
	cells := block.Cells()
	c := coverage{Block: block, Of: len(cells), Missing: cells}
	for _, t := range tables {
		if t.Dataset != block.Dataset || t.Model != block.Model {
			continue
		}
		seeds := t.published()
		for _, row := range t.Rows {
			if row.Name != row.Loss && !t.Quick {
				c.Apart = append(c.Apart, row.Name)
			}
		}
		switch {
		case t.Quick:
			c.Quick = max(c.Quick, len(seeds))
		case !t.of(block):
			if len(seeds) > 0 {
				c.Apart = append(c.Apart, fmt.Sprintf("%d with %s", len(seeds), strings.Join(t.what(), ", ")))
			}
		case len(seeds) > c.Cells:
			c.Cells, c.Whole, c.What, c.Missing = len(seeds), 0, strings.Join(t.what()[:1], ""), nil
			if t.DataVariant != "" {
				c.What = t.DataVariant + ", " + c.What
			}
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

// of reports whether the runs have the settings of a block of Table 2, as its
// configuration has them.
func (t *Table) of(block paper.Block) bool {
	b := blocks()[block]
	return t.Dataset == b.Dataset && t.Model == b.Model && !t.Quick &&
		t.Preset == b.Preset && t.Epochs == b.Epochs && t.Settings == b.Settings
}

// blocks are those of Table 2 as tables without cells.
var blocks = sync.OnceValue(func() map[paper.Block]*Table {
	all := make(map[paper.Block]*Table)
	for _, block := range paper.Blocks() {
		doc, err := config.ReadFS(losscorr.Experiments(), block.Name()+"/"+block.Name()+".yaml")
		if err != nil {
			panic(fmt.Sprintf("experiments/%s: %v", block.Name(), err))
		}
		runs, err := doc.Expand()
		if err != nil {
			panic(fmt.Sprintf("experiments/%s: %v", block.Name(), err))
		}
		all[block] = emptyTable(runs[0]) // of settings that all runs of the block share
	}
	return all
})

// published returns the paper's cells for which the table has runs with the preset's
// settings of a loss, and the number of seeds of each.
func (t *Table) published() map[paper.Cell]int {
	seeds := make(map[paper.Cell]int)
	for i, row := range t.Rows {
		if row.Name != row.Loss {
			continue
		}
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
			notes = append(notes, c.What)
		}
		if fewer := c.Cells - c.Whole; fewer > 0 {
			notes = append(notes, fmt.Sprintf("%d with fewer seeds than the paper's", fewer))
		}
		if c.Quick > 0 {
			notes = append(notes, fmt.Sprintf("%d quick: do not quote", c.Quick))
		}
		command := "make " + c.Block.Name()
		if c.Whole == c.Of {
			command = ""
		}
		sheet.Add(c.Block.Name(), fmt.Sprintf("%d of %d", c.Cells, c.Of), strings.Join(notes, ", "), command)
		if c.Cells > 0 {
			sheet.Notes = append(sheet.Notes, c.lacks()...)
		}
		for _, other := range c.Apart {
			sheet.Notes = append(sheet.Notes, fmt.Sprintf("not counted, in other settings, of %s: %s", c.Block.Name(), other))
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
