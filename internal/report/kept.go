package report

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/rows"
)

// cellSettings are the settings of a cell.
var cellSettings = slices.DeleteFunc(slices.Clone(config.Settings), func(s config.Setting) bool {
	return s.Key == "seed" || s.Scope == config.OfPlace || s.Scope == config.Shown
})

// figures are the columns of a cell besides its settings.
var figures = []string{
	"data_variant", "own_data", "seeds", "diverged", "selected_mean", "selected_std", "last_mean", "last_std",
	"bold", "star", "dagger", "estimate_error", "paper", "paper_std", "difference", "date", "revision", "cpu", "libtorch",
}

// CellsTable has a row for each cell of blocks: the names of its block and row, all settings, and the results.
// Accuracies are in per cent; standard deviations are over seeds (ddof 1) and empty for a single one; seeds are
// separated by spaces. The marks are for the selected epoch. estimate_error is the mean over seeds of
// TransitionInfo's, difference is ours minus the paper's at the selected epoch, date is the date of the latest run,
// and a + follows a revision with uncommitted changes. ReadCells reads the table back from WriteCSV's file.
func CellsTable(blocks []*Block) *Table {
	t := &Table{Headings: Headings("table", "row")}
	for _, s := range cellSettings {
		t.Headings = append(t.Headings, Heading{Name: s.Key})
	}
	t.Headings = append(t.Headings, Headings(figures...)...)
	for _, b := range blocks {
		for j := range b.Columns {
			for i, row := range b.Rows {
				c := b.Cells[i][j]
				if c == nil {
					continue
				}
				texts := []string{b.name(), row.Name}
				for _, s := range cellSettings {
					texts = append(texts, valueText(s, c.Config))
				}
				t.Add(append(texts, c.figures()...)...)
			}
		}
	}
	return t
}

func (c *Cell) figures() []string {
	seeds := make([]string, len(c.Seeds))
	for k, s := range c.Seeds {
		seeds[k] = strconv.FormatUint(s, 10)
	}
	var published, publishedStd, difference, estimateError string
	if c.Paper != nil {
		published, publishedStd = c.Paper.text("%.1f")
		if d, ok := c.Difference(); ok {
			difference = fmt.Sprintf("%.3f", d)
		}
	}
	if c.EstimateError.N > 0 {
		estimateError = fmt.Sprintf("%.4f", c.EstimateError.Mean)
	}
	selected, selectedStd := c.Selected.text("%.3f")
	last, lastStd := c.Last.text("%.3f")
	return []string{
		c.DataVariant, c.OwnData, strings.Join(seeds, " "), strconv.Itoa(c.Diverged), selected, selectedStd, last, lastStd,
		strconv.FormatBool(c.Selected.Bold), strconv.FormatBool(c.Selected.Star), strconv.FormatBool(c.Selected.Dagger),
		estimateError, published, publishedStd, difference, c.Date, c.Revision, c.CPU, c.Libtorch,
	}
}

// ErrNoCells is the error for a CSV file without cells.
var ErrNoCells = errors.New("not a table of results")

// ReadCells reads cells written as CSV, such as those in results/. It computes the marks
// and the paper's numbers again. Settings without a column are the preset's. The error is
// ErrNoCells if the columns do not match, and names the line of a bad entry.
func ReadCells(r io.Reader) ([]*Cell, error) {
	in := csv.NewReader(r)
	header, err := in.Read()
	if err != nil || !slices.Equal(header[:min(2, len(header))], []string{"table", "row"}) ||
		len(header) < len(figures) || !slices.Equal(header[len(header)-len(figures):], figures) {
		return nil, ErrNoCells
	}
	var cells []*Cell
	for {
		record, err := in.Read()
		if err == io.EOF {
			return cells, nil
		}
		line, _ := in.FieldPos(0)
		if err != nil {
			return nil, fmt.Errorf("report: %w", err) // names the line
		}
		fields := make(map[string]string, len(record))
		for k, name := range header {
			fields[name] = rows.Original(record[k])
		}
		cell, err := readCell(fields)
		if err != nil {
			return nil, fmt.Errorf("report: line %d: %w", line, err)
		}
		if slices.ContainsFunc(cells, func(c *Cell) bool {
			return reflect.DeepEqual(c.Config, cell.Config) && c.DataVariant == cell.DataVariant && c.OwnData == cell.OwnData
		}) {
			return nil, fmt.Errorf("report: line %d: %s with %v appears twice", line, cell.Config.Loss, ColumnOf(cell.Config))
		}
		cells = append(cells, cell)
	}
}

func readCell(fields map[string]string) (*Cell, error) {
	c := &Cell{DataVariant: fields["data_variant"], OwnData: fields["own_data"], Date: fields["date"],
		Revision: fields["revision"], CPU: fields["cpu"], Libtorch: fields["libtorch"]}
	var problems []error
	read := func(name string, to any) {
		if text := fields[name]; text != "" {
			if err := json.Unmarshal([]byte(text), to); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", name, err))
			}
		}
	}
	c.Config, _ = presetOf(config.Config{Dataset: fields["dataset"], Model: fields["model"], Preset: fields["preset"]})
	for _, s := range cellSettings {
		v := s.Of(&c.Config)
		switch text, ok := fields[s.Key]; {
		case !ok:
		case v.Kind() == reflect.String:
			v.SetString(text)
		default:
			v.SetZero()
			read(s.Key, v.Addr().Interface())
		}
	}
	c.Config = cellConfig(c.Config)
	for _, text := range strings.Fields(fields["seeds"]) {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("seeds: %w", err)
		}
		c.Seeds = append(c.Seeds, seed)
	}
	if fields["selected_mean"] != "" { // the data has a test set
		c.Selected.N, c.Last.N = len(c.Seeds), len(c.Seeds)
	}
	if fields["estimate_error"] != "" {
		c.EstimateError.N = len(c.Seeds)
	}
	read("diverged", &c.Diverged)
	read("selected_mean", &c.Selected.Mean)
	read("selected_std", &c.Selected.Std)
	read("last_mean", &c.Last.Mean)
	read("last_std", &c.Last.Std)
	read("estimate_error", &c.EstimateError.Mean)
	c.Paper = paperEntry(c.Config)
	return c, errors.Join(problems...)
}
