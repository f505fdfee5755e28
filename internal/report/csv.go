package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/correction"
)

var csvHeader = []string{
	"dataset", "data_variant", "model", "preset", "settings", "epochs", "quick", "noise", "level", "loss", "seeds",
	"diverged",
	"selected_mean", "selected_std", "last_mean", "last_std", "bold", "star", "dagger", "estimate_error",
	"paper", "paper_std", "difference", "date", "version",
	"revision", "cpu", "libtorch",
}

// WriteCSV writes the cells of tables one a line with where they come from.
// Accuracies are in per cent; standard deviations are over seeds (ddof 1) and
// empty for a single one; seeds are separated by spaces. The marks are those of
// the selected epoch. estimate_error is the mean over seeds of TransitionInfo's,
// difference ours minus the paper's at the selected epoch; date is that of the latest run,
// version that of the program that writes the table; revision, cpu and libtorch say what
// computed the runs, with a + after a revision with uncommitted changes. quick is 1 for runs that
// are scaled down and not to be quoted.
func WriteCSV(w io.Writer, tables []*Table, version string) error {
	lines := [][]string{csvHeader}
	for _, t := range tables {
		for j, column := range t.Columns {
			for i, row := range t.Rows {
				if c := t.Cells[i][j]; c != nil {
					lines = append(lines, t.record(column, row, c, version))
				}
			}
		}
	}
	return writeCSV(w, lines)
}

func (t *Table) record(column Column, row Row, c *Cell, version string) []string {
	noise, level := column.Noise, ""
	switch kind := correction.Noises.Named(noise); {
	case kind.File:
		noise = column.String()
	case noise != correction.NoNoise:
		level = strconv.FormatFloat(column.Level, 'g', -1, 64)
		if column.Groups != "" {
			noise += " (" + column.Groups + ")"
		}
	}
	seeds := make([]string, len(c.Seeds))
	for k, s := range c.Seeds {
		seeds[k] = strconv.FormatUint(s, 10)
	}
	var published, publishedStd, difference, estimateError string
	if c.Paper != nil {
		published = fmt.Sprintf("%.1f", c.Paper.Mean)
		if c.Paper.N > 1 {
			publishedStd = fmt.Sprintf("%.1f", c.Paper.Std)
		}
		if d, ok := c.Difference(); ok {
			difference = fmt.Sprintf("%.3f", d)
		}
	}
	if c.EstimateError.N > 0 {
		estimateError = fmt.Sprintf("%.4f", c.EstimateError.Mean)
	}
	m := c.Selected.Marks
	return []string{
		t.Dataset, t.DataVariant, t.Model, t.Preset, t.Settings, strconv.Itoa(t.Epochs), digit(t.Quick), noise, level,
		row.Name,
		strings.Join(seeds, " "), strconv.Itoa(c.Diverged),
		c.Selected.meanText(), c.Selected.stdText(), c.Last.meanText(), c.Last.stdText(),
		digit(m.Bold), digit(m.Star), digit(m.Dagger), estimateError,
		published, publishedStd, difference, c.Date, version,
		c.Revision, c.CPU, c.Libtorch,
	}
}

func digit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

func (s Sample) meanText() string {
	if s.N == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", s.Mean)
}

func (s Sample) stdText() string {
	if s.N < 2 {
		return ""
	}
	return fmt.Sprintf("%.3f", s.Std)
}
