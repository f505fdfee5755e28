package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/humanize"
)

// Title says what the numbers are.
func (t *Table) Title() string {
	s := t.name()
	if t.Settings != "" {
		s += ", " + t.Settings
	}
	return s + ", " + t.seeds() + ": test accuracy in %, mean ± sample standard deviation"
}

// About is the title without data set and network.
func (t *Table) About() string {
	var parts []string
	if t.DataVariant != "" {
		parts = append(parts, t.DataVariant)
	}
	parts = append(parts, "preset "+t.Preset, humanize.Count(t.Epochs, "epoch"), t.seeds())
	if t.Settings != "" {
		parts = append(parts, t.Settings)
	}
	if t.Quick {
		parts = append(parts, t.scale()+scaledDown)
	}
	return strings.Join(parts, ", ")
}

// name is the title without what is of the cells.
func (t *Table) name() string {
	s := t.Dataset
	if t.DataVariant != "" {
		s += " (" + t.DataVariant + ")"
	}
	s += fmt.Sprintf(", %s, preset %s, %s", t.Model, t.Preset, humanize.Count(t.Epochs, "epoch"))
	if t.Quick {
		s = "quick: " + s + ", " + t.scale() + scaledDown
	}
	return s
}

// scaledDown says what quick runs are, behind scale.
const scaledDown = " (scaled down: no figure)"

// scale says which part of the data quick runs saw.
func (t *Table) scale() string {
	var parts []string
	for _, e := range []struct {
		n    int
		what string
	}{{t.Examples.Train, "training examples"}, {t.Examples.Validation, "validation examples"}, {t.Examples.Test, "test examples"}, {t.Examples.Words, "words a review"}} {
		if e.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", e.n, e.what))
		}
	}
	if parts == nil {
		return "all the data"
	}
	return strings.Join(parts, ", ")
}

// seeds says how many seeds the cells have: 5 seeds, 1 to 5 seeds.
func (t *Table) seeds() string {
	var counts []int
	for _, c := range t.Filled() {
		counts = append(counts, len(c.Seeds))
	}
	switch low, high := slices.Min(counts), slices.Max(counts); {
	case low < high:
		return fmt.Sprintf("%d to %d seeds", low, high)
	case low == 1:
		return "1 seed"
	default:
		return fmt.Sprintf("%d seeds", low)
	}
}

// Diverged names the cells some of whose runs ended early.
func (t *Table) Diverged() []string {
	var notes []string
	for i, row := range t.Rows {
		for j, column := range t.Columns {
			if c := t.Cells[i][j]; c != nil && c.Diverged > 0 {
				notes = append(notes, fmt.Sprintf("%s, %s: %d of %d runs diverged and count with the accuracy they had",
					row.Name, column, c.Diverged, len(c.Seeds)))
			}
		}
	}
	return notes
}

// MarkNote explains a mark.
type MarkNote struct {
	Sign, Markdown, Text string // the mark as text and in Markdown, and what it says
	of                   func(Marks) bool
}

var markNotes = []MarkNote{
	{
		"b", "**bold**", "highest of its column, or not distinguishable from it (Welch's t-test, p ≥ 5 %; single runs: within\n" +
			"0.5 points); where the highest knows the true T, the next highest too",
		func(m Marks) bool { return m.Bold },
	},
	{"*", "★", "higher than all that do not know the true T, which it does", func(m Marks) bool { return m.Star }},
	{"†", "†", "estimates some natural noise and beats the correction with T = I", func(m Marks) bool { return m.Dagger }},
}

// MarkNotes explain the marks that the table has.
func (t *Table) MarkNotes() []MarkNote {
	return slices.DeleteFunc(slices.Clone(markNotes), func(n MarkNote) bool {
		return !slices.ContainsFunc(t.Filled(), func(c *Cell) bool { return n.of(c.Selected.Marks) || n.of(c.Last.Marks) })
	})
}
