package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/results/paper"
	"github.com/losscorr/losscorr/runner"
)

// Table holds the runs of one data set, network and preset that differ only
// in noise, loss and seed: one row a loss, one column a noise.
type Table struct {
	Dataset, Model, Preset string
	Epochs                 int
	Columns                []Column
	Rows                   []string  // losses in the paper's order, others after them
	Cells                  [][]*Cell // [row][column], nil where there is no run
}

// Column is a noise.
type Column struct {
	Noise string // none, symmetric, asymmetric or matrix
	Level float64
	File  string // of a noise by matrix
}

// String returns the noise in words: no noise, symmetric 0.2.
func (c Column) String() string {
	switch c.Noise {
	case "none":
		return "no noise"
	case "matrix":
		return "matrix " + c.File
	}
	return c.Noise + " " + strconv.FormatFloat(c.Level, 'g', -1, 64)
}

// Cell summarises the test accuracy, in per cent, over the seeds of one loss
// at one noise.
type Cell struct {
	Seeds    []uint64
	Diverged int // how many of the runs ended early in a loss that is no number

	Selected Sample // at the epoch of the lowest validation loss
	Last     Sample // at the last epoch

	// Bold marks by the rule of the paper's Table 2, for either epoch; see
	// bold.
	SelectedBold, LastBold bool

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
// tables. One loss under several settings of its own, say two estimators, has
// a row for each. Of several results of one run the latest counts.
func Tables(results []runner.Result) []*Table {
	groups := make(map[string][]runner.Result)
	for _, r := range results {
		key := tableKey(r.Config)
		groups[key] = append(groups[key], r)
	}
	var tables []*Table
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		tables = append(tables, newTable(groups[key]))
	}
	slices.SortStableFunc(tables, func(a, b *Table) int {
		return cmp.Or(cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Model, b.Model),
			cmp.Compare(a.Preset, b.Preset), cmp.Compare(a.Epochs, b.Epochs))
	})
	return tables
}

// tableKey is a configuration without what may differ inside a table.
func tableKey(c runner.Config) string {
	c.Loss, c.Noise, c.Seed = "", runner.Noise{}, 0
	c.Clip, c.Estimator, c.Transition, c.Trusted = 0, runner.Estimator{}, "", ""
	c.Data, c.Device, c.Workers = "", "", 0
	text, err := json.Marshal(c)
	if err != nil {
		// JSON has no NaN, so what was read from it can be written again; what
		// was not still gets a key of its own.
		return fmt.Sprintf("%+v", c)
	}
	return string(text)
}

func newTable(results []runner.Result) *Table {
	c := results[0].Config
	t := &Table{Dataset: c.Dataset, Model: c.Model, Preset: c.Preset, Epochs: c.Epochs}
	type place struct {
		row    string
		column Column
	}
	names := rowNames(results)
	cells := make(map[place][]runner.Result)
	order := make(map[string]int) // rank of each row
	for _, r := range results {
		p := place{names[variant(r.Config)], Column{r.Config.Noise.Kind, r.Config.Noise.Level, r.Config.Noise.File}}
		if p.column.Noise == "none" {
			p.column.Level = 0
		}
		if _, ok := order[p.row]; !ok {
			t.Rows = append(t.Rows, p.row)
			order[p.row] = lossRank(r.Config.Loss)
		}
		if !slices.Contains(t.Columns, p.column) {
			t.Columns = append(t.Columns, p.column)
		}
		cells[p] = append(cells[p], r)
	}
	slices.SortFunc(t.Rows, func(a, b string) int {
		return cmp.Or(cmp.Compare(order[a], order[b]), cmp.Compare(a, b))
	})
	slices.SortFunc(t.Columns, func(a, b Column) int {
		return cmp.Or(cmp.Compare(columnRank(a), columnRank(b)), cmp.Compare(a.Level, b.Level), cmp.Compare(a.File, b.File))
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

func newCell(runs []runner.Result) *Cell {
	latest := make(map[uint64]runner.Result)
	for _, r := range runs {
		if old, ok := latest[r.Config.Seed]; !ok || r.Finished > old.Finished {
			latest[r.Config.Seed] = r
		}
	}
	cell := &Cell{Seeds: slices.Sorted(maps.Keys(latest))}
	var selected, last []float64
	for _, seed := range cell.Seeds {
		r := latest[seed]
		selected = append(selected, r.Selected.TestAccuracy)
		last = append(last, r.Last.TestAccuracy)
		if r.State == "diverged" {
			cell.Diverged++
		}
		cell.Date = max(cell.Date, r.Finished[:min(len(r.Finished), len("2006-01-02"))])
	}
	cell.Selected, cell.Last = NewSample(selected), NewSample(last)
	c := runs[0].Config
	if p, ok := paper.Lookup(c.Dataset, c.Model, c.Noise.Kind, c.Noise.Level, c.Loss); ok {
		cell.Paper = &p
	}
	return cell
}

// lossVariant is a loss with the settings that belong to it alone.
type lossVariant struct {
	loss       string
	clip       float64
	estimator  runner.Estimator
	transition string
	trusted    string
}

func variant(c runner.Config) lossVariant {
	v := lossVariant{loss: c.Loss, clip: c.Clip}
	switch c.Loss {
	case "forward-estimated", "backward-estimated":
		v.estimator, v.trusted = c.Estimator, c.Trusted
	case "forward", "backward":
		v.transition = c.Transition
	case "cross-entropy":
		v.clip = 0
	}
	if !runner.Clips(c.Loss) {
		v.clip = 0
	}
	return v
}

// rowNames names each variant by its loss, and adds its settings where a loss
// comes in several. Trusted labels are always named: they are more than the
// other rows were given.
func rowNames(results []runner.Result) map[lossVariant]string {
	variants := make(map[string]map[lossVariant]bool)
	for _, r := range results {
		v := variant(r.Config)
		if variants[v.loss] == nil {
			variants[v.loss] = make(map[lossVariant]bool)
		}
		variants[v.loss][v] = true
	}
	names := make(map[lossVariant]string)
	for loss, set := range variants {
		for v := range set {
			names[v] = loss
			switch {
			case len(set) > 1:
				names[v] += " (" + v.settings() + ")"
			case v.trusted != "":
				names[v] += " (trusted " + v.trusted + ")"
			}
		}
	}
	return names
}

func (v lossVariant) settings() string {
	s := fmt.Sprintf("clip %g", v.clip)
	if v.transition != "" {
		s += ", T from " + v.transition
	}
	if e := v.estimator; e.Name != "" {
		s += fmt.Sprintf(", %s", e.Name)
		for _, setting := range []struct {
			name  string
			value float64
		}{{"quantile", e.Quantile}, {"kappa", e.Kappa}, {"average", float64(e.Average)}} {
			if setting.value != 0 {
				s += fmt.Sprintf(" %s %g", setting.name, setting.value)
			}
		}
	}
	if v.trusted != "" {
		s += ", trusted " + v.trusted
	}
	return s
}

// lossRank orders losses as the paper's Table 2 does, each with its other forms
// after it, such as sigmoid-symmetric after sigmoid; others come last.
func lossRank(loss string) int {
	losses := paper.Losses()
	if i := slices.Index(losses, loss); i >= 0 {
		return 2 * i
	}
	base, _, _ := strings.Cut(loss, "-")
	if i := slices.Index(losses, base); i >= 0 {
		return 2*i + 1
	}
	return 2 * len(losses)
}

func columnRank(c Column) int {
	kinds := []string{"none", "symmetric", "asymmetric", "matrix"}
	// The paper puts symmetric .2 between no noise and the asymmetric ones.
	if i := slices.Index(kinds, c.Noise); i >= 0 {
		return i
	}
	return len(kinds)
}
