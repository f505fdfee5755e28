package report

import (
	"cmp"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/results/paper"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/store"
)

// Table holds the runs of one data set, network and preset that differ only
// in noise, loss and seed: one row per loss, one column per noise.
type Table struct {
	Dataset, Model, Preset string
	// DataVariant says which copy of the data the runs saw where it is not the
	// official one, such as "JPEG copy".
	DataVariant string
	Epochs      int
	// Quick runs are scaled down and not to be quoted. Examples says by how
	// much; 0 is all.
	Quick    bool
	Examples config.Examples
	// Settings are those that differ from the preset's, such as "batch_size 64,
	// optimizer.learning_rate 0.1", and those that distinguish tables which are alike
	// otherwise.
	Settings string

	Columns []Column
	Rows    []Row     // losses in the paper's order, others after them
	Cells   [][]*Cell // [row][column], nil where there is no run

	usual  int            // epochs of the preset, 0 where it is not known
	config *config.Config // what the runs share; nil of a kept table
	data   string         // ownData of the runs
}

// Row is a loss.
type Row struct {
	Name   string // the loss, with its own settings where it comes in several
	Loss   string
	Oracle bool // a correction by the very T that made the noise
}

func (r Row) candidate(s Sample) candidate {
	return candidate{Sample: s, oracle: r.Oracle, estimated: (losses.All.Named(r.Loss).T == losses.EstimatedT)}
}

// Column is a noise.
type Column struct {
	Noise  string  `json:"noise"` // none, symmetric, asymmetric or matrix
	Level  float64 `json:"level"`
	File   string  `json:"file,omitempty"`   // of a noise by matrix
	Groups string  `json:"groups,omitempty"` // within which asymmetric noise stays, of data whose classes come in groups
}

// ColumnOf returns the column in which a run stands.
func ColumnOf(c config.Config) Column {
	n := c.Noise
	if !correction.Noises.Named(n.Kind).Flips {
		n.Groups = ""
	}
	return Column{Noise: n.Kind, Level: n.Level, File: n.File, Groups: n.Groups}
}

// fromHere is a file's path from the working directory where it lies below that, so that a
// table that is passed on names no folder of one machine.
func fromHere(path string) string {
	dir, err := os.Getwd()
	if err != nil {
		return path
	}
	if short, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(short) {
		return short
	}
	return path
}

// String returns the noise in words: no noise, symmetric 0.2.
func (c Column) String() string {
	kind := correction.Noises.Named(c.Noise)
	switch {
	case kind.File:
		return c.Noise + " " + fromHere(c.File)
	case !kind.Level:
		return cmp.Or(kind.Title, c.Noise)
	}
	s := c.Noise + " " + strconv.FormatFloat(c.Level, 'g', -1, 64)
	if c.Groups != "" {
		s += " (" + c.Groups + ")"
	}
	return s
}

// Cell summarises the test accuracy, in per cent, over the seeds of one loss
// at one noise.
type Cell struct {
	Seeds    []uint64
	Runs     []*Run // of each seed the latest; none of a table that was read from CSV
	Diverged int    // how many of the runs ended early in a loss that is not a number

	Selected Entry // at the epoch of the lowest validation loss
	Last     Entry // at the last epoch

	// EstimateError summarises the error of T-hat, the mean L1 distance of a row
	// from its true row, over the runs that estimate a T that is known; N is 0 for others.
	EstimateError Sample

	Paper *Entry // nil where the paper has no such cell
	Date  string // of the latest run, YYYY-MM-DD
	Provenance
}

// Entry is a number of a table with its marks.
type Entry struct {
	Sample
	Marks
}

// paperEntry is a cell of the paper as an entry, or nil. Its corrections by a known T had the
// true one, not one from a file.
func paperEntry(dataset, model string, column Column, row Row) *Entry {
	p, ok := paper.Lookup(dataset, model, column.Noise, column.Level, row.Loss)
	if !ok || losses.All.Named(row.Loss).T == losses.KnownT && !row.Oracle {
		return nil
	}
	return &Entry{Sample{N: p.Runs, Mean: p.Accuracy, Std: p.Std}, Marks{Bold: p.Bold, Star: p.Star, Dagger: p.Dagger}}
}

// Difference returns ours minus the paper's at the selected epoch, which is the one that
// the paper's text and code report, and whether the paper has the cell.
func (c *Cell) Difference() (float64, bool) {
	if c.Paper == nil || c.Selected.N == 0 {
		return 0, false
	}
	return c.Selected.Mean - c.Paper.Mean, true
}

// Tables sorts finished runs into tables. Runs that differ in anything but noise,
// loss, seed, the loss's own settings and where they ran stand in different
// tables: full runs and quick ones never meet. One loss under several settings
// of its own, say two estimators, has a row for each. Of several results of one
// run the latest counts.
func Tables(runs []*Run) []*Table {
	groups := make(map[string][]*Run)
	for _, r := range runs {
		key := groupKey(r)
		groups[key] = append(groups[key], r)
	}
	var tables []*Table
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		tables = append(tables, newTable(groups[key]))
	}
	sortTables(tables)
	tellApart(tables)
	return tables
}

func sortTables(tables []*Table) {
	slices.SortStableFunc(tables, func(a, b *Table) int {
		return cmp.Or(cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Model, b.Model),
			cmp.Compare(rank(a.Quick), rank(b.Quick)), cmp.Compare(a.DataVariant, b.DataVariant),
			cmp.Compare(a.Preset, b.Preset), cmp.Compare(a.Epochs, b.Epochs), cmp.Compare(a.Settings, b.Settings))
	})
}

func rank(later bool) int {
	if later {
		return 1
	}
	return 0
}

// emptyTable is the table of runs with what they share with c, without them.
func emptyTable(c config.Config) *Table {
	of := shared(c)
	t := &Table{
		Dataset: c.Dataset, Model: c.Network(), Preset: c.Preset, Epochs: c.Epochs, Quick: c.Quick, Examples: c.Examples,
		Settings: strings.Join(apart(c), ", "), config: &of,
	}
	if preset, ok := presetOf(c); ok {
		t.usual = preset.Epochs
	}
	return t
}

func newTable(runs []*Run) *Table {
	c := runs[0].Result.Config
	t := emptyTable(c)
	t.DataVariant, t.data = runs[0].Result.DataVariant, ownData(runs[0])
	type place struct {
		row    Row
		column Column
	}
	files := nameFiles(runs)
	names := files.rowNames(runs)
	cells := make(map[place][]*Run)
	for _, r := range runs {
		c := r.Result.Config
		p := place{Row{Name: names[files.variant(r)], Loss: c.Loss, Oracle: knowsTruth(c)}, files.column(r)}
		if !slices.Contains(t.Rows, p.row) {
			t.Rows = append(t.Rows, p.row)
		}
		if !slices.Contains(t.Columns, p.column) {
			t.Columns = append(t.Columns, p.column)
		}
		cells[p] = append(cells[p], r)
	}
	slices.SortFunc(t.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(lossRank(a.Loss), lossRank(b.Loss)), cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(t.Columns, func(a, b Column) int {
		return cmp.Or(cmp.Compare(columnRank(a), columnRank(b)), cmp.Compare(a.Level, b.Level), cmp.Compare(a.File, b.File),
			cmp.Compare(a.Groups, b.Groups))
	})
	for _, row := range t.Rows {
		line := make([]*Cell, len(t.Columns))
		for j, column := range t.Columns {
			if runs := cells[place{row, column}]; len(runs) > 0 {
				line[j] = newCell(runs)
				line[j].Paper = paperEntry(c.Dataset, c.Model, column, row)
			}
		}
		t.Cells = append(t.Cells, line)
	}
	t.mark()
	return t
}

func newCell(runs []*Run) *Cell {
	latest := make(map[uint64]*Run)
	for _, r := range runs {
		if old, ok := latest[r.Result.Config.Seed]; !ok || r.Result.Finished > old.Result.Finished {
			latest[r.Result.Config.Seed] = r
		}
	}
	cell := &Cell{Seeds: slices.Sorted(maps.Keys(latest))}
	var selected, last, errors []float64
	for _, seed := range cell.Seeds {
		cell.Runs = append(cell.Runs, latest[seed])
		r := latest[seed].Result
		if !math.IsNaN(r.Selected.TestAccuracy) { // as it is where the data has no test set
			selected = append(selected, r.Selected.TestAccuracy)
			last = append(last, r.Last.TestAccuracy)
		}
		if r.State == store.Diverged {
			cell.Diverged++
		}
		if t := r.Transition; t != nil && t.Estimated != nil && losses.All.Named(r.Config.Loss).T == losses.EstimatedT {
			if e := float64(t.EstimateError); !math.IsNaN(e) {
				errors = append(errors, e)
			}
		}
		cell.Date = max(cell.Date, r.Finished[:min(len(r.Finished), len("2006-01-02"))])
	}
	cell.Provenance = provenance(cell.Runs)
	cell.Selected.Sample, cell.Last.Sample, cell.EstimateError = NewSample(selected), NewSample(last), NewSample(errors)
	return cell
}

// Published reports whether the paper has a cell of a column that has runs.
func (t *Table) Published(column int) bool {
	return slices.ContainsFunc(t.Cells, func(line []*Cell) bool {
		return line[column] != nil && line[column].Paper != nil
	})
}

// Filled returns the cells that have runs, row by row.
func (t *Table) Filled() []*Cell {
	var cells []*Cell
	for _, line := range t.Cells {
		for _, c := range line {
			if c != nil {
				cells = append(cells, c)
			}
		}
	}
	return cells
}

// lossRank orders losses as the paper's Table 2 does, each with its other forms
// after it, such as sigmoid-symmetric after sigmoid; then those of the table of losses.
func lossRank(loss string) int {
	published := paper.Losses()
	if i := slices.Index(published, loss); i >= 0 {
		return 2 * i
	}
	if i := slices.Index(published, losses.All.Named(loss).FormOf); i >= 0 {
		return 2*i + 1
	}
	names := losses.All.Names()
	if i := slices.Index(names, loss); i >= 0 {
		return 2*len(published) + i
	}
	return 2*len(published) + len(names)
}

func columnRank(c Column) int {
	kinds := correction.Noises.Names()
	// The paper puts symmetric .2 between no noise and the asymmetric ones.
	if i := slices.Index(kinds, c.Noise); i >= 0 {
		return i
	}
	return len(kinds)
}
