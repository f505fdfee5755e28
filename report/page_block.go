package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/humanize"
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

// Drawn reports whether any figure stands in the block.
func (b *blockView) Drawn() bool {
	return len(b.Sweeps) > 0 || slices.ContainsFunc(b.Noises, func(n noiseView) bool { return n.HasFigure })
}

// about is the title without what the heading says.
func (t *Table) about() string {
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
