package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
)

// ErrNoTable says that a CSV file is not one of WriteCSV's.
var ErrNoTable = errors.New("not a table of results")

// ReadCSV reads tables that WriteCSV wrote, such as those of results/. The marks
// and the paper's numbers are computed again. The error is ErrNoTable where the
// first line does not begin as WriteCSV's does (older ones have more columns), and names the line where another does
// not fit.
func ReadCSV(r io.Reader) ([]*Table, error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	header, err := in.Read()
	if err != nil || len(header) < len(csvHeader) || !slices.Equal(header[:len(csvHeader)], csvHeader) {
		return nil, ErrNoTable
	}
	var tables []*Table
	for {
		record, err := in.Read()
		if err == io.EOF {
			break
		}
		line, _ := in.FieldPos(0)
		if err != nil {
			return nil, fmt.Errorf("report: %w", err) // names the line
		}
		if tables, err = addLine(tables, fields(record)); err != nil {
			return nil, fmt.Errorf("report: line %d: %w", line, err)
		}
	}
	for _, t := range tables {
		for i := range t.Cells { // lines of another order leave rows of unequal length
			t.Cells[i] = append(t.Cells[i], make([]*Cell, len(t.Columns)-len(t.Cells[i]))...)
		}
		t.mark()
	}
	return tables, nil
}

// fields are the columns of a line by name.
func fields(record []string) map[string]string {
	f := make(map[string]string, len(record))
	for i, name := range csvHeader {
		f[name] = record[i]
	}
	return f
}

// addLine puts the cell of a line into the table that it belongs to.
func addLine(tables []*Table, f map[string]string) ([]*Table, error) {
	cell, err := readCell(f)
	if err != nil {
		return nil, err
	}
	epochs, err := strconv.Atoi(f["epochs"])
	if err != nil {
		return nil, fmt.Errorf("epochs: %w", err)
	}
	column, err := readColumn(f["noise"], f["level"])
	if err != nil {
		return nil, err
	}
	k := slices.IndexFunc(tables, func(t *Table) bool {
		return t.Dataset == f["dataset"] && t.DataVariant == f["data_variant"] && t.Model == f["model"] &&
			t.Preset == f["preset"] && t.Settings == f["settings"] && t.Epochs == epochs && digit(t.Quick) == f["quick"]
	})
	if k < 0 {
		k, tables = len(tables), append(tables, &Table{
			Dataset: f["dataset"], DataVariant: f["data_variant"], Model: f["model"], Preset: f["preset"],
			Settings: f["settings"], Epochs: epochs, Quick: f["quick"] == "1", Examples: examplesOf(f["settings"]),
		})
	}
	t := tables[k]
	if preset, ok := presetOf(config.Config{Dataset: t.Dataset, Model: t.Model, Preset: t.Preset}); ok {
		t.usual = preset.Epochs
	}
	loss, settings, _ := strings.Cut(f["loss"], " ")
	known := losses.All.Named(loss).T == losses.KnownT && !strings.Contains(settings, matrixPart)
	row := Row{Name: f["loss"], Loss: loss, Oracle: known}
	i, j := slices.Index(t.Rows, row), slices.Index(t.Columns, column)
	if i < 0 {
		i, t.Rows, t.Cells = len(t.Rows), append(t.Rows, row), append(t.Cells, nil)
	}
	if j < 0 {
		j, t.Columns = len(t.Columns), append(t.Columns, column)
	}
	if missing := j + 1 - len(t.Cells[i]); missing > 0 {
		t.Cells[i] = append(t.Cells[i], make([]*Cell, missing)...)
	}
	if t.Cells[i][j] != nil {
		return nil, fmt.Errorf("%s with %v comes twice", row.Name, column)
	}
	cell.Paper = paperEntry(t.Dataset, t.Model, column, row)
	t.Cells[i][j] = cell
	return tables, nil
}

// examplesOf reads how much of the data was used from a list of settings.
func examplesOf(settings string) config.Examples {
	var e config.Examples
	for key, n := range map[string]*int{"train": &e.Train, "test": &e.Test, "validation": &e.Validation,
		"words": &e.Words} {
		for entry := range strings.SplitSeq(settings, ", ") {
			if text, ok := strings.CutPrefix(entry, examplesKey+key+" "); ok {
				*n, _ = strconv.Atoi(text) // 0, all, for what is no number
			}
		}
	}
	return e
}

func readColumn(noise, level string) (Column, error) {
	if kind, file, _ := strings.Cut(noise, " "); correction.Noises.Named(kind).File {
		return Column{Noise: kind, File: file}, nil
	}
	kind, groups, _ := strings.Cut(noise, " (")
	c := Column{Noise: kind, Groups: strings.TrimSuffix(groups, ")")}
	if level == "" {
		return c, nil
	}
	var err error
	if c.Level, err = strconv.ParseFloat(level, 64); err != nil {
		return c, fmt.Errorf("level: %w", err)
	}
	return c, nil
}

func readCell(f map[string]string) (*Cell, error) {
	c := &Cell{Date: f["date"], Provenance: Provenance{f["revision"], f["cpu"], f["libtorch"]}}
	for _, text := range strings.Fields(f["seeds"]) {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("seeds: %w", err)
		}
		c.Seeds = append(c.Seeds, seed)
	}
	var err error
	if c.Diverged, err = strconv.Atoi(f["diverged"]); err != nil {
		return nil, fmt.Errorf("diverged: %w", err)
	}
	number := func(name string) (v float64) {
		if text := f[name]; text != "" && err == nil {
			if v, err = strconv.ParseFloat(text, 64); err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
		}
		return v
	}
	n := len(c.Seeds)
	if f["selected_mean"] == "" { // the data has no test set
		n = 0
	}
	c.Selected.Sample = Sample{N: n, Mean: number("selected_mean"), Std: number("selected_std")}
	c.Last.Sample = Sample{N: n, Mean: number("last_mean"), Std: number("last_std")}
	if f["estimate_error"] != "" {
		c.EstimateError = Sample{N: len(c.Seeds), Mean: number("estimate_error")}
	}
	return c, err
}
