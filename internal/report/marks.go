package report

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/losscorr/losscorr/correction"
)

const (
	significance = 0.05 // of Welch's test
	singleRange  = 0.5  // points, for cells with a single run
)

// Marks are the typographic marks of an entry, as in the paper's Table 2.
type Marks struct {
	// Bold: the highest of its column, or not significantly below it.
	Bold bool
	// Star: uses the true T, and is higher than all losses without it. The next
	// highest is bold as well.
	Star bool
	// Dagger: without injected noise, an estimate of T beats T = I.
	Dagger bool
}

// candidate is a cell of a column with the facts that decide its marks.
type candidate struct {
	Sample
	oracle    bool // a correction by the true T
	estimated bool // a correction by an estimate of T
}

// mark sets the marks for both epochs, column by column.
func (b *Block) mark() {
	for j, column := range b.Columns {
		rule := noisyMarks
		if column.Noise == correction.NoNoise {
			rule = cleanMarks
		}
		var cells []*Cell
		var selected, last []candidate
		for i := range b.Rows {
			if c := b.Cells[i][j]; c != nil {
				cells = append(cells, c)
				selected = append(selected, c.candidate(c.Selected.Sample))
				last = append(last, c.candidate(c.Last.Sample))
			}
		}
		selectedMarks, lastMarks := rule(selected), rule(last)
		for k, c := range cells {
			c.Selected.Marks, c.Last.Marks = selectedMarks[k], lastMarks[k]
		}
	}
}

// noisyMarks returns the marks of a column with noise, by the caption of the
// paper's Table 2. Bold are the highest mean and all that Welch's test does not
// distinguish from it at 5 %, without correction for several pairs (single runs:
// within 0.5 points). If the highest uses the true T, it is starred, and the same
// rule applies to the next highest; of equal printed means, the one without the true
// T counts as higher. If this makes every entry bold, only starred entries above
// another keep their marks.
func noisyMarks(entries []candidate) []Marks {
	marks := make([]Marks, len(entries))
	for count := 0; count < len(entries); {
		best := -1
		for i, e := range entries {
			if !marks[i].Bold && (best < 0 || e.above(entries[best])) {
				best = i
			}
		}
		marks[best].Bold = true
		count++
		if entries[best].oracle {
			marks[best].Star = true
			continue
		}
		for i, e := range entries {
			if !marks[i].Bold && alike(e.Sample, entries[best].Sample) {
				marks[i].Bold = true
				count++
			}
		}
		if count == len(entries) {
			for i := range marks {
				marks[i].Bold = marks[i].Star
			}
		}
		return marks
	}
	return make([]Marks, len(entries)) // all use the true T
}

func (e candidate) above(f candidate) bool {
	if a, b := e.printed(), f.printed(); a != b {
		return a > b
	}
	if e.oracle != f.oracle {
		return f.oracle
	}
	return e.Mean > f.Mean
}

// cleanMarks returns the marks of a column without injected noise: a dagger for
// each correction by T-hat whose printed mean is above forward's and backward's with
// T = I. The paper marks no best loss there.
func cleanMarks(entries []candidate) []Marks {
	marks := make([]Marks, len(entries))
	identity := math.Inf(1)
	for _, e := range entries {
		if e.oracle && (math.IsInf(identity, 1) || e.printed() > identity) {
			identity = e.printed()
		}
	}
	for i, e := range entries {
		marks[i].Dagger = e.estimated && e.printed() > identity
	}
	return marks
}

// printed returns the mean rounded to one decimal as in tables: %.1f prints 97.25 as 97.2,
// while math.Round would give 97.3.
func (s Sample) printed() float64 {
	v, _ := strconv.ParseFloat(fmt.Sprintf("%.1f", s.Mean), 64) // %.1f always parses
	return v
}

func alike(a, b Sample) bool {
	if a.N < 2 || b.N < 2 {
		// A printed difference of .5 is in range, despite rounding in binary.
		return math.Abs(a.Mean-b.Mean) < singleRange+1e-9
	}
	_, _, p := welch(a, b)
	return p >= significance
}

// Sample summarises repeated measurements.
type Sample struct {
	N    int
	Mean float64
	Std  float64 // sample standard deviation (ddof 1), 0 for N < 2
}

// NewSample returns the summary of values.
func NewSample(values []float64) Sample {
	switch len(values) {
	case 0:
		return Sample{}
	case 1:
		return Sample{N: 1, Mean: values[0]}
	}
	mean, std := stat.MeanStdDev(values, nil)
	return Sample{N: len(values), Mean: mean, Std: std}
}

// welch compares the means of two samples of possibly unequal variance by
// Welch's t-test, two-sided (Welch 1947):
//
//	t  = (mean a - mean b) / sqrt(va + vb),  v = s^2 / n
//	df = (va + vb)^2 / (va^2/(na-1) + vb^2/(nb-1))
//	p  = 2 P(T_df < -|t|)
//
// The result is never NaN. If neither sample varies, it is the limit: t = 0 and
// p = 1 for equal means, t = ±Inf and p = 0 otherwise, with df = na + nb - 2. If
// either has fewer than two values, t = 0, df = 0 and p = 1.
func welch(a, b Sample) (t, df, p float64) {
	if a.N < 2 || b.N < 2 {
		return 0, 0, 1
	}
	na, nb := float64(a.N), float64(b.N)
	va, vb := a.Std*a.Std/na, b.Std*b.Std/nb
	d := a.Mean - b.Mean
	// Means of equal values may differ by rounding.
	if rounding := 1e-12 * max(math.Abs(a.Mean), math.Abs(b.Mean)); math.Sqrt(va+vb) <= rounding {
		if math.Abs(d) <= rounding {
			return 0, na + nb - 2, 1
		}
		return math.Copysign(math.Inf(1), d), na + nb - 2, 0
	}
	t = d / math.Sqrt(va+vb)
	df = (va + vb) * (va + vb) / (va*va/(na-1) + vb*vb/(nb-1))
	// The lower tail keeps digits that 1 - CDF(|t|) would lose.
	return t, df, 2 * distuv.StudentsT{Sigma: 1, Nu: df}.CDF(-math.Abs(t))
}

// String returns mean and deviation, such as 97.3 ± 0.1, or only the mean for a single value.
func (s Sample) String() string { return s.format("%.1f") }

// format returns the sample with each number in the format, or - if it is empty.
func (s Sample) format(format string) string {
	mean, std := s.text(format)
	if std != "" {
		return mean + " ± " + std
	}
	return cmp.Or(mean, absent)
}

// text returns the mean and the standard deviation in a format, or "" for a missing one.
func (s Sample) text(format string) (mean, std string) {
	if s.N > 0 {
		mean = fmt.Sprintf(format, s.Mean)
	}
	if s.N > 1 {
		std = fmt.Sprintf(format, s.Std)
	}
	return mean, std
}
