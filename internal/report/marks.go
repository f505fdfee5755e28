package report

import (
	"fmt"
	"math"
	"strconv"

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
