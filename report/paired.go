package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/losscorr/losscorr/internal/humanize"
	"gonum.org/v1/gonum/stat/distuv"
)

// Paired compares a cell with another one of its column, seed by seed: runs of one seed
// have the same noise, split and initial weights, so that their difference varies less
// than they do.
type Paired struct {
	With      string  // the row of the other cell
	N         int     // seeds that both have
	Mean      float64 // of the differences, this cell's test accuracy minus the other's
	Low, High float64 // interval of the mean at 95 %, of this pair alone; 0 unless Tested
	P         float64 // of the paired t-test, two-sided, of this pair alone; 0 unless Tested
	Holm      float64 // P by Holm's correction for the comparisons of the column; 0 unless Tested
}

// fewestPairs is the number of seeds from which the t-test is made. Its interval of two
// differences is ten times as wide as that of four, and says nothing.
const fewestPairs = 4

// Tested reports whether there are enough seeds for an interval and a p-value.
func (p *Paired) Tested() bool { return p.N >= fewestPairs }

// PairedT compares paired measurements a and b of equal number by Student's t-test of
// their differences d, two-sided:
//
//	t = mean d / (s / sqrt n),  p = 2 P(T_{n-1} < -|t|),  interval: mean d ± t_{.975,n-1} s / sqrt n
//
// Where the differences do not vary, the interval is their value, and p is 1 if that is 0
// and 0 otherwise. Panics if the numbers differ or are less than two.
func PairedT(a, b []float64) (mean, low, high, p float64) {
	if len(a) != len(b) || len(a) < 2 {
		panic(fmt.Sprintf("report: paired t-test of %d and %d measurements", len(a), len(b)))
	}
	d := make([]float64, len(a))
	for k := range a {
		d[k] = a[k] - b[k]
	}
	s := NewSample(d)
	student := distuv.StudentsT{Sigma: 1, Nu: float64(len(d) - 1)}
	e := s.Std / math.Sqrt(float64(len(d)))
	// Accuracies are rounded to a binary fraction; less than that is no variation.
	if e <= 1e-12*math.Max(1, math.Abs(s.Mean)) {
		if math.Abs(s.Mean) < 1e-12 {
			return 0, 0, 0, 1
		}
		return s.Mean, s.Mean, s.Mean, 0
	}
	half := student.Quantile(.975) * e
	return s.Mean, s.Mean - half, s.Mean + half, 2 * student.CDF(-math.Abs(s.Mean/e))
}

// pair compares each cell with the highest of its column, of those with several seeds.
func (t *Table) pair() {
	for j := range t.Columns {
		best := -1
		for i := range t.Rows {
			if c := t.Cells[i][j]; c != nil && c.Selected.N > 1 && (best < 0 || c.Selected.Mean > t.Cells[best][j].Selected.Mean) {
				best = i
			}
		}
		if best < 0 {
			continue
		}
		other := t.Cells[best][j].accuracies()
		for i := range t.Rows {
			if c := t.Cells[i][j]; c != nil && i != best {
				c.Paired = pairedWith(t.Rows[best].Name, c.accuracies(), other)
			}
		}
	}
	t.correct()
}

// correct sets Holm of each comparison, column by column.
func (t *Table) correct() {
	for j := range t.Columns {
		var tested []*Paired
		var p []float64
		for i := range t.Rows {
			if c := t.Cells[i][j]; c != nil && c.Paired != nil && c.Paired.Tested() {
				tested, p = append(tested, c.Paired), append(p, c.Paired.P)
			}
		}
		for k, corrected := range holm(p) {
			tested[k].Holm = corrected
		}
	}
}

// holm corrects the p-values of m tests as Holm does ("A Simple Sequentially Rejective
// Multiple Test Procedure", 1979), so that the probability of one or more false findings
// among them is at most the level: the k-th smallest, from 1, becomes
//
//	max over i <= k of min(1, (m - i + 1) p_(i))
func holm(p []float64) []float64 {
	order := make([]int, len(p))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	highest := 0.
	for k, i := range order {
		highest = max(highest, min(1, float64(len(p)-k)*p[i]))
		out[i] = highest
	}
	return out
}

// accuracies are those at the selected epoch, by seed.
func (c *Cell) accuracies() map[uint64]float64 {
	out := make(map[uint64]float64)
	for _, r := range c.Runs {
		if v := r.Result.Selected.TestAccuracy; !math.IsNaN(v) {
			out[r.Result.Config.Seed] = v
		}
	}
	return out
}

func pairedWith(row string, mine, other map[uint64]float64) *Paired {
	var a, b []float64
	for _, seed := range slices.Sorted(maps.Keys(mine)) { // sums depend on the order in their last digits
		if w, ok := other[seed]; ok {
			a, b = append(a, mine[seed]), append(b, w)
		}
	}
	if len(a) < 2 {
		return nil
	}
	p := &Paired{With: row, N: len(a)}
	mean, low, high, alone := PairedT(a, b)
	if p.Mean = mean; p.Tested() {
		p.Low, p.High, p.P = low, high, alone
	}
	return p
}

// String returns -43.8 (-46.3 to -41.3), p < .001, with Holm's p, and -43.8 (3 seeds) unless
// Tested.
func (p *Paired) String() string {
	if !p.Tested() {
		return fmt.Sprintf("%s (%s)", signed("%+.1f", p.Mean), humanize.Count(p.N, "seed"))
	}
	return fmt.Sprintf("%s (%s to %s), %s", signed("%+.1f", p.Mean), signed("%+.1f", p.Low), signed("%+.1f", p.High), pText(p.Holm))
}

// pText is a p-value with three decimals.
func pText(p float64) string {
	switch {
	case p < .001:
		return "p < .001"
	case p > .9995:
		return "p = 1"
	}
	return "p = " + strings.TrimPrefix(fmt.Sprintf("%.3f", p), "0")
}

// PairedSheets put the comparisons seed by seed into sheets of one row a loss and one
// column a noise, each of at most a width in characters, 0 for any; none where no two
// cells of a column share two seeds.
func (t *Table) PairedSheets(width int) []*Sheet {
	var sheets []*Sheet
	var last *Sheet
	wide := 0
	for j, column := range t.Columns {
		with := ""
		texts := make([]string, len(t.Rows))
		for i := range t.Rows {
			if c := t.Cells[i][j]; c != nil && c.Paired != nil {
				with, texts[i] = c.Paired.With, c.Paired.String()
			}
		}
		if with == "" {
			continue
		}
		room := utf8.RuneCountInString(column.String() + ", minus " + with)
		for _, text := range texts {
			room = max(room, utf8.RuneCountInString(text))
		}
		if last == nil || width > 0 && wide+room+gap > width {
			last = &Sheet{Columns: TextColumns("loss")}
			wide = 0
			for _, row := range t.Rows {
				last.Add(row.Name)
				wide = max(wide, utf8.RuneCountInString(row.Name))
			}
			sheets = append(sheets, last)
		}
		wide += room + gap
		last.Columns = append(last.Columns, TextColumns(column.String()+", minus "+with)...)
		for i, text := range texts {
			last.Rows[i] = append(last.Rows[i], text)
		}
	}
	if len(sheets) > 0 {
		sheets[0].Title = pairedTitle
	}
	for _, s := range sheets { // a row without a comparison says nothing
		k := 0
		for _, row := range s.Rows {
			if slices.ContainsFunc(row[1:], func(v any) bool { return v != "" }) {
				s.Rows[k] = row
				k++
			}
		}
		s.Rows = s.Rows[:k]
	}
	return sheets
}

// pairedTitle says that fewestPairs is four.
const pairedTitle = "Difference from the highest of a column, seed by seed (same noise, split and initial weights):\n" +
	"mean, 95 % interval of each pair alone, p of the paired t-test by Holm's correction for the\n" +
	"comparisons of the column; of fewer than four seeds the mean alone"
