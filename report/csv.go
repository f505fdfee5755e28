package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

var csvHeader = []string{
	"dataset", "model", "preset", "epochs", "noise", "level", "loss", "seeds", "diverged",
	"selected_mean", "selected_std", "last_mean", "last_std", "paper", "paper_std", "date", "version",
}

// WriteCSV writes the cells of tables one a line with where they come from.
// Accuracies are in per cent; standard deviations are over seeds (ddof 1) and
// empty for a single one; seeds are separated by spaces; version is the
// program's, date that of the latest run.
func WriteCSV(w io.Writer, tables []*Table, version string) error {
	out := csv.NewWriter(w)
	// An error of Write stays until Flush and comes out of Error.
	_ = out.Write(csvHeader)
	for _, t := range tables {
		for j, column := range t.Columns {
			for i, loss := range t.Rows {
				if c := t.Cells[i][j]; c != nil {
					_ = out.Write(t.record(column, loss, c, version))
				}
			}
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("report: write csv: %w", err)
	}
	return nil
}

func (t *Table) record(column Column, loss string, c *Cell, version string) []string {
	noise, level := column.Noise, ""
	switch noise {
	case "none":
	case "matrix":
		noise = column.String()
	default:
		level = strconv.FormatFloat(column.Level, 'g', -1, 64)
	}
	seeds := make([]string, len(c.Seeds))
	for k, s := range c.Seeds {
		seeds[k] = strconv.FormatUint(s, 10)
	}
	var published, publishedStd string
	if c.Paper != nil {
		published = fmt.Sprintf("%.1f", c.Paper.Accuracy)
		if c.Paper.Runs > 1 {
			publishedStd = fmt.Sprintf("%.1f", c.Paper.Std)
		}
	}
	return []string{
		t.Dataset, t.Model, t.Preset, strconv.Itoa(t.Epochs), noise, level, loss, strings.Join(seeds, " "), strconv.Itoa(c.Diverged),
		fmt.Sprintf("%.3f", c.Selected.Mean), c.Selected.stdText(), fmt.Sprintf("%.3f", c.Last.Mean), c.Last.stdText(),
		published, publishedStd, c.Date, version,
	}
}

func (s Sample) stdText() string {
	if s.N < 2 {
		return ""
	}
	return fmt.Sprintf("%.3f", s.Std)
}
