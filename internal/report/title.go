package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/humanize"
)

// Title says what the numbers are.
func (t *Table) Title() string {
	return t.name() + ", " + t.seeds() + ": test accuracy in %, mean ± sample standard deviation"
}

// About is the title without data set and network.
func (t *Table) About() string {
	parts := t.what()
	if t.DataVariant != "" {
		parts = append([]string{t.DataVariant}, parts...)
	}
	parts = append(parts, t.seeds())
	if t.Quick {
		parts = append(parts, t.scale())
	}
	return strings.Join(parts, ", ")
}

// name is the title without what is of the cells.
func (t *Table) name() string {
	s := t.Dataset
	if t.DataVariant != "" {
		s += " (" + t.DataVariant + ")"
	}
	s += ", " + t.Model + ", " + strings.Join(t.what(), ", ")
	if t.Quick {
		s = "quick: " + s + " (" + t.scale() + ")"
	}
	return s
}

// What is the preset with all that differs from it, such as "code" or "code with
// batch_size 64, 3 epochs in place of 40".
func (t *Table) What() string {
	text := strings.TrimPrefix(t.what()[0], "preset ")
	if t.usual > 0 && t.usual != t.Epochs {
		text += ", " + t.duration()
	}
	for _, part := range t.part() {
		text += ", " + part
	}
	return text
}

// what names the preset and all settings that differ from it.
func (t *Table) what() []string {
	parts := []string{"preset " + t.Preset}
	if others := t.others(); others != "" {
		parts[0] += " with " + others
	}
	parts = append(parts, t.duration())
	if !t.Quick {
		parts = append(parts, t.part()...)
	}
	return parts
}

// duration is the number of epochs, beside the preset's where that is another one.
func (t *Table) duration() string {
	text := humanize.Count(t.Epochs, "epoch")
	if t.usual > 0 && t.usual != t.Epochs {
		text += fmt.Sprintf(" in place of %d", t.usual)
	}
	return text
}

// others are the settings but those of which part has words.
func (t *Table) others() string {
	list := strings.Split(t.Settings, ", ")
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return strings.HasPrefix(s, examplesKey) }), ", ")
}

const examplesKey = "examples."

// scale says of quick runs which part of the data they saw.
func (t *Table) scale() string {
	what := "scaled down"
	if parts := t.part(); parts != nil {
		what = strings.Join(parts, ", ")
	} else if t.config != nil { // runs say more than a table that was kept
		what = "all data"
		if t.Epochs < t.usual {
			what += ", fewer epochs"
		}
	}
	return what + "; do not quote"
}

// part says how much of the data the runs saw, nothing where it was all.
func (t *Table) part() []string {
	var parts []string
	for _, e := range []struct {
		n    int
		what string
	}{{t.Examples.Train, "training examples"}, {t.Examples.Validation, "validation examples"},
		{t.Examples.Test, "test examples"}, {t.Examples.Words, "words a review"}} {
		if e.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", e.n, e.what))
		}
	}
	return parts
}

// seeds says how many seeds the cells have: 5 seeds, 1 to 5 seeds.
func (t *Table) seeds() string {
	var counts []int
	for _, c := range t.Filled() {
		counts = append(counts, len(c.Seeds))
	}
	low, high := slices.Min(counts), slices.Max(counts)
	if low < high {
		return fmt.Sprintf("%d to %d seeds", low, high)
	}
	return humanize.Count(low, "seed")
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

// Notes are those of the runs' configurations, each once.
func (t *Table) Notes() []string {
	var notes []string
	for _, c := range t.Filled() {
		for _, r := range c.Runs {
			if note := r.Result.Config.Note; note != "" && !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}

// Remarks are what has to be said of single runs: estimates of their accuracy in place of one on a test set, what went
// wrong, and their notes.
func (t *Table) Remarks() []string {
	remarks := slices.Concat(t.CleanAccuracies(), t.Diverged())
	for _, note := range t.Notes() {
		remarks = append(remarks, "note: "+note)
	}
	return remarks
}

// MarkNote explains a mark.
type MarkNote struct {
	Sign, Markdown, Page string // the mark as text, in Markdown and on a page
	Text                 string // what it says
	of                   func(Marks) bool
}

var markNotes = []MarkNote{
	{"b", "**bold**", "b", "best or tied (%s) without the true T", func(m Marks) bool { return m.Bold }},
	{"*", "★", "★", "with the true T, and better", func(m Marks) bool { return m.Star }},
	{"†", "†", "†", "with T-hat better than with T = I, no noise injected", func(m Marks) bool { return m.Dagger }},
}

// tied says how two entries are told apart: by Welch's test, or single runs by a range.
func (t *Table) tied() string {
	for _, c := range t.Filled() {
		if c.Selected.N > 1 {
			return "Welch's test, p ≥ .05, each pair alone as in the paper"
		}
	}
	return "single runs: within .5"
}

// MarkNotes explain the marks that the table has.
func (t *Table) MarkNotes() []MarkNote {
	notes := slices.Clone(markNotes)
	notes[0].Text = fmt.Sprintf(notes[0].Text, t.tied())
	return slices.DeleteFunc(notes, func(n MarkNote) bool {
		return !slices.ContainsFunc(t.Filled(), func(c *Cell) bool { return n.of(c.Selected.Marks) || n.of(c.Last.Marks) })
	})
}
