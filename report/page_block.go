package report

import (
	"fmt"
	"html/template"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/results/paper"
	"github.com/losscorr/losscorr/runner"
)

// blockView is a table on the page with all that belongs to it.
type blockView struct {
	ID, Name, About string
	Quick           bool
	Legend          []legendEntry
	Columns         []string
	Rows            []rowView
	Marks           []markNote
	Notes           []string
	Command         string
	Sweeps          []panel
	Noises          []noiseView
	Times           []timeView
}

type legendEntry struct {
	Class, Name string
	Swatch      template.HTML
}

type rowView struct {
	Name  string
	Cells []cellView
}

// cellView is a loss at a noise: ours at both epochs, the paper's, the
// difference.
type cellView struct {
	Missing        bool
	Selected, Last numberView
	Paper          *numberView
	Difference     string
	Far            bool // more than a point from the paper's
	Seeds          string
}

type numberView struct {
	Text         string
	Bold         bool
	Star, Dagger bool
}

type markNote struct{ Sign, Text string }

type panel struct {
	Title   string
	Drawing template.HTML
}

// noiseView is what there is on the runs of one noise.
type noiseView struct {
	ID, Name  string
	Curves    []panel
	Matrices  []matrixView
	Warnings  []string
	Unread    []string
	HasFigure bool
	Open      bool // the last one, of the most noise
}

type matrixView struct {
	Title, About string
	Drawing      template.HTML
}

type timeView struct {
	Loss            string
	Runs            int
	Run, Epoch, Sum string
	Total           bool
}

func newBlockView(k int, t *Table, records []*Record) *blockView {
	b := &blockView{
		ID: fmt.Sprintf("b%d", k), Name: t.Dataset + ", " + t.Model, About: t.about(), Quick: t.Quick,
		Notes: t.diverged(), Command: t.command(records), Times: times(t, records),
	}
	for _, row := range t.Rows {
		class := lossClass(t.Rows, row.Name)
		b.Legend = append(b.Legend, legendEntry{class, row.Name, swatch(class)})
	}
	for _, c := range t.Columns {
		b.Columns = append(b.Columns, c.String())
	}
	for i, row := range t.Rows {
		v := rowView{Name: row.Name}
		for j := range t.Columns {
			v.Cells = append(v.Cells, t.Cells[i][j].view())
		}
		b.Rows = append(b.Rows, v)
	}
	for _, n := range markNotes {
		if t.marked(n.of) {
			b.Marks = append(b.Marks, markNote{strings.Trim(n.markdown, "*"), strings.ReplaceAll(n.text, "\n", " ")})
		}
	}
	for _, kind := range []string{"asymmetric", "symmetric"} {
		if s := t.sweep(kind); len(s.levels()) > 1 {
			b.Sweeps = append(b.Sweeps, panel{"Accuracy against N, " + kind + " noise", sweepChart(t, s, b.Name+", "+kind+" noise")})
		}
	}
	for j, c := range t.Columns {
		b.Noises = append(b.Noises, newNoiseView(fmt.Sprintf("%s-n%d", b.ID, j+1), b.Name, t, c, latest(records, c)))
	}
	b.Noises[len(b.Noises)-1].Open = true
	return b
}

// about is the title without what the heading says.
func (t *Table) about() string {
	var parts []string
	if t.DataVariant != "" {
		parts = append(parts, t.DataVariant)
	}
	parts = append(parts, "preset "+t.Preset, fmt.Sprintf("%d epochs", t.Epochs), t.seeds())
	if t.Settings != "" {
		parts = append(parts, t.Settings)
	}
	if t.Quick {
		parts = append(parts, t.scale()+": shows an effect, not a figure")
	}
	return strings.Join(parts, ", ")
}

func (c *Cell) view() cellView {
	if c == nil {
		return cellView{Missing: true}
	}
	v := cellView{Selected: number(c.Selected.String(), c.SelectedMarks), Last: number(c.Last.String(), c.LastMarks)}
	v.Seeds = fmt.Sprintf("%d seeds", len(c.Seeds))
	if len(c.Seeds) == 1 {
		v.Seeds = "1 seed"
	}
	if p := c.Paper; p != nil {
		text := fmt.Sprintf("%.1f", p.Accuracy)
		if p.Runs > 1 {
			text += fmt.Sprintf(" ± %.1f", p.Std)
		}
		published := number(text, Marks{Bold: p.Bold, Star: p.Star, Dagger: p.Dagger})
		d, _ := c.Difference()
		v.Paper, v.Difference, v.Far = &published, strings.Replace(signed("%+.1f", d), "-", "−", 1), math.Round(10*math.Abs(d)) > 10
	}
	return v
}

func number(text string, m Marks) numberView {
	return numberView{Text: text, Bold: m.Bold, Star: m.Star, Dagger: m.Dagger}
}

// latest returns the records of a column, of each row and seed the one that
// finished last, in the order of their seeds.
func latest(records []*Record, column Column) []*Record {
	type place struct {
		variant lossVariant
		seed    uint64
	}
	last := make(map[place]*Record)
	for _, r := range records {
		if ColumnOf(r.Config) != column {
			continue
		}
		p := place{variant(r.Config), r.Config.Seed}
		if old := last[p]; old == nil || r.Result.Finished > old.Result.Finished {
			last[p] = r
		}
	}
	list := slices.Collect(maps.Values(last))
	slices.SortFunc(list, func(a, b *Record) int {
		if a.Config.Seed != b.Config.Seed {
			if a.Config.Seed < b.Config.Seed {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Dir, b.Dir)
	})
	return list
}

func newNoiseView(id, where string, t *Table, column Column, records []*Record) noiseView {
	v := noiseView{ID: id, Name: column.String()}
	var rows []rowRuns
	for _, row := range t.Rows {
		c := rowRuns{row: row}
		for _, r := range records {
			if t.variants[variant(r.Config)] != row.Name {
				continue
			}
			epochs, err := r.Epochs()
			if err != nil {
				v.Unread = append(v.Unread, err.Error())
			}
			if len(epochs) > 0 {
				c.runs = append(c.runs, epochs)
			}
		}
		if len(c.runs) > 0 {
			rows = append(rows, c)
		}
	}
	for k, drawing := range learningCurves(t, where+", "+column.String(), rows) {
		v.Curves = append(v.Curves, panel{measures[k].name, drawing})
	}
	v.Matrices = matrices(where+", "+column.String(), records)
	v.Warnings = warnings(records)
	v.HasFigure = len(v.Curves)+len(v.Matrices) > 0
	return v
}

// matrices draws T, and beside it each estimator's T-hat of the first seed.
func matrices(where string, records []*Record) []matrixView {
	var views []matrixView
	type source struct {
		estimator runner.Estimator
		trusted   string
	}
	var drawn []source
	errs := make(map[source]map[uint64]float64)
	for _, r := range records {
		if t := r.Result.Transition; t != nil && t.Estimated != nil {
			s := source{r.Config.Estimator, r.Config.Trusted}
			if errs[s] == nil {
				errs[s] = make(map[uint64]float64)
			}
			errs[s][r.Config.Seed] = t.EstimateError
		}
	}
	for _, r := range records {
		t := r.Result.Transition
		if t == nil || len(t.Nominal) == 0 {
			continue
		}
		if len(views) == 0 {
			views = append(views, matrixView{"T", "the matrix that made the noise", heat("transition matrix T, "+where, t.Classes, t.Nominal)})
		}
		s := source{r.Config.Estimator, r.Config.Trusted}
		if t.Estimated == nil || slices.Contains(drawn, s) {
			continue
		}
		drawn = append(drawn, s)
		about := fmt.Sprintf("%s, seed %d: mean L1 distance of a row from T %.3f", s.estimator.Name, r.Config.Seed, t.EstimateError)
		if of := slices.Collect(maps.Values(errs[s])); len(of) > 1 {
			slices.Sort(of)
			sample := NewSample(of)
			about += fmt.Sprintf("; over %d seeds %.3f ± %.3f", sample.N, sample.Mean, sample.Std)
		}
		if t.NamedBy != "" {
			about += "; rows named by " + t.NamedBy
		}
		if t.RowsPermuted {
			about += "; other names for its rows would fit better"
		}
		views = append(views, matrixView{"T\u0302", about, heat("estimate of T by "+s.estimator.Name+", "+where, t.Classes, t.Estimated)})
	}
	return views
}

// warnings are those of the runs, each once, with the seeds that it concerns.
func warnings(records []*Record) []string {
	seeds := make(map[string][]string)
	var order []string
	for _, r := range records {
		for _, w := range r.Result.Warnings {
			seed := strconv.FormatUint(r.Config.Seed, 10)
			if seeds[w] == nil {
				order = append(order, w)
			}
			if !slices.Contains(seeds[w], seed) { // runs that share an estimate share its warnings
				seeds[w] = append(seeds[w], seed)
			}
		}
	}
	for k, w := range order {
		order[k] = fmt.Sprintf("seed %s: %s", strings.Join(seeds[w], ", "), w)
	}
	return order
}

// times adds up what the runs of each row took.
func times(t *Table, records []*Record) []timeView {
	var views []timeView
	var sum float64
	var all int
	for _, row := range t.Rows {
		var runs, epochs []float64
		for _, r := range records {
			if t.variants[variant(r.Config)] != row.Name {
				continue
			}
			runs = append(runs, r.Result.Seconds)
			if n := r.Result.Last.Epoch; n > 0 {
				epochs = append(epochs, r.Result.Seconds/float64(n))
			}
		}
		if len(runs) == 0 {
			continue
		}
		s := NewSample(runs)
		total := s.Mean * float64(s.N)
		v := timeView{Loss: row.Name, Runs: s.N, Run: duration(s.Mean), Sum: hours(total)}
		if len(epochs) > 0 {
			v.Epoch = fmt.Sprintf("%.2f s", NewSample(epochs).Mean)
		}
		views = append(views, v)
		sum, all = sum+total, all+s.N
	}
	if all == 0 {
		return nil
	}
	return append(views, timeView{Loss: "all", Runs: all, Run: duration(sum / float64(all)), Sum: hours(sum), Total: true})
}

func duration(seconds float64) string {
	switch {
	case seconds < 90:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 5400:
		return fmt.Sprintf("%.1f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

// command reproduces the runs of a table: the make target of the paper's block,
// narrowed to what there is, or for other data each run's own configuration.
func (t *Table) command(records []*Record) string {
	block := paper.Block{Dataset: t.Dataset, Model: t.Model}
	if !slices.Contains(paper.Blocks(), block) {
		if len(records) == 0 {
			return ""
		}
		folder := filepath.ToSlash(records[0].Dir)
		text := "losscorr train " + folder + "/" + runner.ConfigFile
		if len(records) > 1 {
			text += fmt.Sprintf("  # and %d more: each run's folder has its %s", len(records)-1, runner.ConfigFile)
		}
		return text
	}
	words := []string{"make", block.Name()}
	if t.Quick {
		words = append(words, "QUICK=1")
	}
	var losses, noises []string
	seeds := make(map[uint64]bool)
	given := make(map[string]bool)
	for _, row := range t.Rows {
		if !slices.Contains(losses, row.Loss) {
			losses = append(losses, row.Loss)
		}
	}
	for _, c := range t.Columns {
		text := c.Noise
		switch {
		case c.Noise == "matrix":
			text += ":" + c.File
		case c.Level != 0:
			text += ":" + shortest(c.Level)
		}
		noises = append(noises, text)
	}
	for _, r := range records {
		seeds[r.Config.Seed] = true
		for _, o := range r.Overrides {
			key, _, _ := strings.Cut(o, "=")
			if !slices.Contains([]string{"data", "device", "workers", "seed", "preset", "loss", "noise"}, key) {
				given[o] = true
			}
		}
	}
	words = append(words, "PRESET="+t.Preset, "SEEDS="+ranges(slices.Sorted(maps.Keys(seeds))), "NOISE="+strings.Join(noises, ","))
	if len(losses) < len(paper.Losses()) {
		words = append(words, "LOSS="+strings.Join(losses, ","))
	}
	if len(given) > 0 {
		words = append(words, `ARGS='`+strings.Join(slices.Sorted(maps.Keys(given)), " ")+`'`)
	}
	return strings.Join(words, " ")
}

// ranges writes sorted seeds in short: 1-5,8.
func ranges(seeds []uint64) string {
	var parts []string
	for k := 0; k < len(seeds); {
		end := k
		for end+1 < len(seeds) && seeds[end+1] == seeds[end]+1 {
			end++
		}
		part := strconv.FormatUint(seeds[k], 10)
		if end > k {
			part += "-" + strconv.FormatUint(seeds[end], 10)
		}
		parts = append(parts, part)
		k = end + 1
	}
	return strings.Join(parts, ",")
}
