package report

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/results/paper"
	"github.com/losscorr/losscorr/store"
)

// Table holds the runs of one data set, network and preset that differ only
// in noise, loss and seed: one row a loss, one column a noise.
type Table struct {
	Dataset, Model, Preset string
	// DataVariant says which copy of the data the runs saw where it is not the
	// official one, such as "JPEG copy".
	DataVariant string
	Epochs      int
	// Quick runs are scaled down: no figure comes of them. Examples says by how
	// much; 0 is all.
	Quick    bool
	Examples config.Examples
	// Settings tells tables apart that are alike in all of the above, such as
	// "dropout_of channels".
	Settings string

	Columns []Column
	Rows    []Row     // losses in the paper's order, others after them
	Cells   [][]*Cell // [row][column], nil where there is no run

	config   map[string]string // every setting that the runs share
	key      string            // of the runs, by groupKey
	variants map[lossVariant]string
}

// Row is a loss.
type Row struct {
	Name   string // the loss, with its own settings where it comes in several
	Loss   string
	Oracle bool // a correction by the very T that made the noise
}

func (r Row) entry(s Sample) entry {
	return entry{Sample: s, oracle: r.Oracle, estimated: correction.Losses.Named(r.Loss).T == correction.EstimatedT}
}

// Column is a noise.
type Column struct {
	Noise  string // none, symmetric, asymmetric or matrix
	Level  float64
	File   string // of a noise by matrix
	Groups string // within which asymmetric noise stays, of data whose classes come in groups
}

// ColumnOf returns the column in which a run stands.
func ColumnOf(c config.Config) Column {
	n := c.Noise
	if !correction.Noises.Named(n.Kind).Flips {
		n.Groups = ""
	}
	return Column{Noise: n.Kind, Level: n.Level, File: n.File, Groups: n.Groups}
}

// String returns the noise in words: no noise, symmetric 0.2.
func (c Column) String() string {
	kind := correction.Noises.Named(c.Noise)
	switch {
	case kind.File:
		return c.Noise + " " + c.File
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
	Diverged int // how many of the runs ended early in a loss that is no number

	Selected Sample // at the epoch of the lowest validation loss
	Last     Sample // at the last epoch

	SelectedMarks, LastMarks Marks

	// EstimateError summarises the error of T-hat, the mean L1 distance of a row
	// from its true row, over the runs that estimate one of a T that is known; N is 0 for others.
	EstimateError Sample

	Paper *paper.Cell // nil where the paper has no such cell
	Date  string      // of the latest run, YYYY-MM-DD
}

// Difference returns ours minus the paper's, of the selected and the last
// epoch the nearer, and whether the paper has the cell.
func (c *Cell) Difference() (float64, bool) {
	if c.Paper == nil {
		return 0, false
	}
	selected, last := c.Selected.Mean-c.Paper.Accuracy, c.Last.Mean-c.Paper.Accuracy
	if math.Abs(last) < math.Abs(selected) {
		return last, true
	}
	return selected, true
}

// Tables sorts results into tables. Runs that differ in anything but noise,
// loss, seed, the loss's own settings and where they ran stand in different
// tables: full runs and quick ones never meet. One loss under several settings
// of its own, say two estimators, has a row for each. Of several results of one
// run the latest counts.
func Tables(results []store.Result) []*Table {
	groups := make(map[string][]store.Result)
	for _, r := range results {
		key := groupKey(r)
		groups[key] = append(groups[key], r)
	}
	var tables []*Table
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		t := newTable(groups[key])
		t.key = key
		tables = append(tables, t)
	}
	sortTables(tables)
	tellApart(tables)
	return tables
}

func sortTables(tables []*Table) {
	slices.SortStableFunc(tables, func(a, b *Table) int {
		return cmp.Or(cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Model, b.Model),
			cmp.Compare(rank(a.Quick), rank(b.Quick)), cmp.Compare(a.DataVariant, b.DataVariant),
			cmp.Compare(a.Preset, b.Preset), cmp.Compare(a.Epochs, b.Epochs))
	})
}

func rank(later bool) int {
	if later {
		return 1
	}
	return 0
}

func newTable(results []store.Result) *Table {
	c := results[0].Config
	t := &Table{
		Dataset: c.Dataset, Model: c.Network(), Preset: c.Preset, DataVariant: results[0].DataVariant,
		Epochs: c.Epochs, Quick: c.Quick, Examples: c.Examples, config: flat(shared(c)),
	}
	type place struct {
		row    Row
		column Column
	}
	names := rowNames(results)
	t.variants = names
	cells := make(map[place][]store.Result)
	for _, r := range results {
		loss := r.Config.Loss
		p := place{Row{Name: names[variant(r.Config)], Loss: loss, Oracle: knowsTruth(r.Config)}, ColumnOf(r.Config)}
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
		return cmp.Or(cmp.Compare(columnRank(a), columnRank(b)), cmp.Compare(a.Level, b.Level), cmp.Compare(a.File, b.File), cmp.Compare(a.Groups, b.Groups))
	})
	for _, row := range t.Rows {
		line := make([]*Cell, len(t.Columns))
		for j, column := range t.Columns {
			if runs := cells[place{row, column}]; len(runs) > 0 {
				line[j] = newCell(runs)
			}
		}
		t.Cells = append(t.Cells, line)
	}
	t.mark()
	return t
}

func newCell(runs []store.Result) *Cell {
	latest := make(map[uint64]store.Result)
	for _, r := range runs {
		if old, ok := latest[r.Config.Seed]; !ok || r.Finished > old.Finished {
			latest[r.Config.Seed] = r
		}
	}
	cell := &Cell{Seeds: slices.Sorted(maps.Keys(latest))}
	var selected, last, errors []float64
	for _, seed := range cell.Seeds {
		r := latest[seed]
		selected = append(selected, r.Selected.TestAccuracy)
		last = append(last, r.Last.TestAccuracy)
		if r.State == "diverged" {
			cell.Diverged++
		}
		if t := r.Transition; t != nil && t.Estimated != nil && correction.Losses.Named(r.Config.Loss).T == correction.EstimatedT && !math.IsNaN(t.EstimateError) {
			errors = append(errors, t.EstimateError)
		}
		cell.Date = max(cell.Date, r.Finished[:min(len(r.Finished), len("2006-01-02"))])
	}
	cell.Selected, cell.Last, cell.EstimateError = NewSample(selected), NewSample(last), NewSample(errors)
	c := runs[0].Config
	if p, ok := paper.Lookup(c.Dataset, c.Model, c.Noise.Kind, c.Noise.Level, c.Loss); ok {
		cell.Paper = &p
	}
	return cell
}

// lossRank orders losses as the paper's Table 2 does, each with its other forms
// after it, such as sigmoid-symmetric after sigmoid; others come last.
func lossRank(loss string) int {
	losses := paper.Losses()
	if i := slices.Index(losses, loss); i >= 0 {
		return 2 * i
	}
	if i := slices.Index(losses, correction.Losses.Named(loss).FormOf); i >= 0 {
		return 2*i + 1
	}
	return 2 * len(losses)
}

func columnRank(c Column) int {
	kinds := correction.Noises.Names()
	// The paper puts symmetric .2 between no noise and the asymmetric ones.
	if i := slices.Index(kinds, c.Noise); i >= 0 {
		return i
	}
	return len(kinds)
}
