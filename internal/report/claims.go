package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/results/paper"
)

// accuracies holds the accuracies of one block of Table 2, in percent.
type accuracies struct {
	columns []Column                     // no noise first, the highest asymmetric noise last
	at      map[Column]map[string]Sample // by loss
}

// value returns a mean accuracy, and whether there is one.
func (b accuracies) value(column int, loss string) (float64, bool) {
	v, ok := b.at[b.columns[column]][loss]
	return v.Mean, ok
}

// difference returns the mean of loss minus the mean of other, with the p of Welch's
// test; known is false if either has a single run.
func (b accuracies) difference(column int, loss, other string) (difference, p float64, known bool) {
	x, y := b.at[b.columns[column]][loss], b.at[b.columns[column]][other]
	_, _, p = welch(x, y)
	return x.Mean - y.Mean, p, min(x.N, y.N) > 1
}

// best returns the highest accuracy in a column among the losses that satisfy is.
func (b accuracies) best(column int, is func(losses.Entry) bool) (loss string, accuracy float64) {
	accuracy = math.Inf(-1)
	for _, name := range paper.Losses() {
		if v, ok := b.value(column, name); ok && is(losses.All.Named(name)) && v > accuracy {
			loss, accuracy = name, v
		}
	}
	return loss, accuracy
}

func uses(t losses.Use) func(losses.Entry) bool {
	return func(e losses.Entry) bool { return e.T == t }
}

// finding is the result of checking a claim on a block.
type finding struct {
	holds   bool
	figures string
}

// String returns the finding for the table.
func (f finding) String() string {
	switch {
	case f.figures == "":
		return "needs more than one seed"
	case f.holds:
		return "holds: " + f.figures
	}
	return "does not: " + f.figures
}

// claim is a sentence of the paper about Table 2, and how to check it on a block.
type claim struct {
	text     string   // in our words, with its place in the paper
	datasets []string // data sets it covers, nil for all
	check    func(b accuracies) finding
}

// The paper's table has data sets with simple networks on the left and those with deep
// networks on the right.
var (
	withSimple = []string{"mnist", "imdb"}
	withDeep   = []string{"cifar10", "cifar100"}
)

// claims are the findings (a) to (d) of Section 5.2, and of Section 6. Finding (e) is (c)
// and (d) for CIFAR-100.
var claims = []claim{
	{"(a) without noise all losses but unhinged, sigmoid and savage lie within 2 points", nil, func(b accuracies) finding {
		low, high := math.Inf(1), math.Inf(-1)
		for _, loss := range paper.Losses() {
			if v, ok := b.value(0, loss); ok && !slices.Contains([]string{"unhinged", "sigmoid", "savage"}, loss) {
				low, high = min(low, v), max(high, v)
			}
		}
		return finding{high-low <= 2, fmt.Sprintf("%.1f", high-low)}
	}},
	{"(a) † on IMDB: without noise a correction by T-hat beats T = I", []string{"imdb"}, func(b accuracies) finding {
		estimated, v := b.best(0, uses(losses.EstimatedT))
		_, known := b.best(0, uses(losses.KnownT))
		return finding{v > known, fmt.Sprintf("%s %+.1f", estimated, v-known)}
	}},
	{"(b) at the second column forward and backward with the true T differ by no more than chance", withSimple,
		func(b accuracies) finding {
			return within(b, 1, "backward", "forward")
		}},
	{"(b) at the second column neither differs from the best loss without T by more than chance", withSimple,
		func(b accuracies) finding {
			other, _ := b.best(1, uses(losses.NoT))
			return within(b, 1, other, "forward", "backward")
		}},
	{"(b) at the second column forward with the true T is unbeaten", withDeep, func(b accuracies) finding {
		forward, _ := b.value(1, "forward")
		loss, v := b.best(1, func(e losses.Entry) bool { return e.Name != "forward" })
		return finding{forward >= v-.05, fmt.Sprintf("%+.1f to %s", forward-v, loss)}
	}},
	{"(c) under asymmetric noise a correction by the true T is the best, low noise", nil, best(2)},
	{"(c) the same, high noise", nil, best(3)},
	{"(c) forward beats backward, true T, high noise", nil, func(b accuracies) finding {
		forward, _ := b.value(3, "forward")
		backward, _ := b.value(3, "backward")
		return finding{forward > backward, fmt.Sprintf("%+.1f", forward-backward)}
	}},
	{"(d) T-hat costs 0 to 27 points against the true T, the mean of both corrections", nil, func(b accuracies) finding {
		var worst float64
		for column := 1; column < len(b.columns); column++ {
			worst = max(worst, drop(b, column))
		}
		return finding{worst <= 27.5, fmt.Sprintf("up to %.1f", worst)}
	}},
	{"(d) at high noise a correction by T-hat beats every loss without T", nil, func(b accuracies) finding {
		loss, estimated := b.best(3, uses(losses.EstimatedT))
		other, v := b.best(3, uses(losses.NoT))
		return finding{estimated > v, fmt.Sprintf("%s %+.1f to %s", loss, estimated-v, other)}
	}},
	{"Section 6: the best correction by the true T stays within a few (5) points of clean data", nil,
		func(b accuracies) finding {
			clean, _ := b.value(0, losses.FirstLoss)
			var worst float64
			for column := range b.columns {
				_, v := b.best(column, uses(losses.KnownT))
				worst = max(worst, clean-v)
			}
			return finding{worst <= 5, fmt.Sprintf("at most %.1f", worst)}
		}},
	{"Section 6: noise costs cross-entropy 40 percent or more", nil, func(b accuracies) finding {
		clean, _ := b.value(0, losses.FirstLoss)
		noisy, _ := b.value(3, losses.FirstLoss)
		return finding{clean-noisy >= 40, fmt.Sprintf("%.1f points", clean-noisy)}
	}},
}

// within checks that no loss differs from another by more than chance (p < .05).
func within(b accuracies, column int, other string, names ...string) finding {
	f := finding{holds: true}
	var figures []string
	for _, name := range names {
		difference, p, known := b.difference(column, name, other)
		if !known {
			return finding{}
		}
		f.holds = f.holds && p >= significance
		figures = append(figures, fmt.Sprintf("%s %+.1f (%s)", name, difference, pText(p)))
	}
	f.figures = strings.Join(figures, ", ") + " to " + other
	return f
}

// best checks that a loss with the true T has the highest accuracy in a column.
func best(column int) func(b accuracies) finding {
	return func(b accuracies) finding {
		known, v := b.best(column, uses(losses.KnownT))
		other, w := b.best(column, func(e losses.Entry) bool { return e.T != losses.KnownT })
		return finding{v >= w, fmt.Sprintf("%s %+.1f to %s", known, v-w, other)}
	}
}

// drop returns how many points T-hat costs in a column, as the mean over backward and forward.
func drop(b accuracies, column int) float64 {
	var sum float64
	for _, loss := range []string{"forward", "backward"} {
		known, _ := b.value(column, loss)
		estimated, _ := b.value(column, loss+"-estimated")
		sum += (known - estimated) / 2
	}
	return sum
}

// publishedBlock returns a block with the paper's numbers.
func publishedBlock(of paper.Block) accuracies {
	b := accuracies{at: map[Column]map[string]Sample{}}
	for _, c := range of.Cells() {
		column := Column{Noise: c.Noise, Level: c.Level}
		if b.at[column] == nil {
			b.columns, b.at[column] = append(b.columns, column), map[string]Sample{}
		}
		n := float64(c.Runs)
		b.at[column][c.Loss] = Sample{N: c.Runs, Mean: c.Accuracy, Std: c.Std * math.Sqrt(n/max(n-1, 1))}
	}
	return b
}

// measuredBlock returns our accuracies for a block at the selected epoch, from the first block with its settings and
// all of the paper's cells, if there is one.
func measuredBlock(of paper.Block, blocks []*Block) (b accuracies, found bool) {
	b = publishedBlock(of)
	theirs := b.at
	for _, block := range blocks {
		if !block.of(of) {
			continue
		}
		ours := map[Column]map[string]Sample{}
		cells := 0
		for j, column := range block.Columns {
			column.Groups = ""
			ours[column] = map[string]Sample{}
			for i, row := range block.Rows {
				c := block.Cells[i][j]
				if c == nil || row.Name != row.Loss || c.Selected.N == 0 {
					continue
				}
				ours[column][row.Loss] = c.Selected.Sample
				if _, published := theirs[column][row.Loss]; published {
					cells++
				}
			}
		}
		if cells == len(of.Cells()) {
			b.at = ours
			return b, true
		}
	}
	return b, false
}

// Claims checks the claims of the paper's text on its own Table 2 and on our runs. The
// table has a row for each claim and block.
func Claims(blocks []*Block) *Table {
	table := &Table{Headings: Headings("claim of the paper", "block", "the paper's table", "our runs")}
	for _, c := range claims {
		text := c.text
		for _, of := range paper.Blocks() {
			if c.datasets != nil && !slices.Contains(c.datasets, of.Dataset) {
				continue
			}
			ours := "not run completely"
			if b, found := measuredBlock(of, blocks); found {
				ours = c.check(b).String()
			}
			table.Add(text, of.Name(), c.check(publishedBlock(of)).String(), ours)
			text = ""
		}
	}
	table.Notes = append(table.Notes,
		"points are differences of mean test accuracies in percent, at the selected epoch; more than chance is p < .05 in "+
			"Welch's test, for the paper's table with its printed deviations",
		medianNote(blocks))
	return table
}

// medianNote compares the median of Section 6 with ours.
func medianNote(blocks []*Block) string {
	median := func(drops []float64) string {
		slices.Sort(drops)
		n := len(drops)
		return fmt.Sprintf("%.1f over %d", (drops[(n-1)/2]+drops[n/2])/2, n)
	}
	var theirs, ours []float64
	for _, of := range paper.Blocks() {
		theirs = append(theirs, drop(publishedBlock(of), 3))
		if b, found := measuredBlock(of, blocks); found {
			ours = append(ours, drop(b, 3))
		}
	}
	text := "Section 6, T-hat costs a median of 10 points: " + median(theirs) +
		" blocks of the paper's table at high noise, both corrections averaged"
	if len(ours) > 0 {
		text += "; " + median(ours) + " of ours"
	}
	return text
}

// pText formats a p-value with three decimals.
func pText(p float64) string {
	switch {
	case p < .001:
		return "p < .001"
	case p > .9995:
		return "p = 1"
	}
	return "p = " + strings.TrimPrefix(fmt.Sprintf("%.3f", p), "0")
}
