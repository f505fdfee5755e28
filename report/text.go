package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/losscorr/losscorr/internal/humanize"
)

// TextOptions says how a table is laid out for a terminal.
type TextOptions struct {
	// Width in characters; a wider table is broken up into one block a noise.
	// Default 100.
	Width int
}

// markNotes explain the marks, by their sign in text and in Markdown.
var markNotes = []struct {
	sign, markdown, text string
	of                   func(Marks) bool
}{
	{
		"b", "**bold**", "highest of its column, or not distinguishable from it (Welch's t-test, p ≥ 5 %; single runs: within\n" +
			"0.5 points); where the highest knows the true T, the next highest too",
		func(m Marks) bool { return m.Bold },
	},
	{"*", "★", "higher than all that do not know the true T, which it does", func(m Marks) bool { return m.Star }},
	{"†", "†", "estimates some natural noise and beats the correction with T = I", func(m Marks) bool { return m.Dagger }},
}

// WriteText writes the table aligned for a terminal: for every noise the mean
// ± sample standard deviation at the selected and at the last epoch, the
// paper's mean, and ours minus it of the nearer epoch. The letter b stands for
// the paper's bold type, * for its star.
func (t *Table) WriteText(w io.Writer, o TextOptions) error {
	width := o.Width
	if width == 0 {
		width = 100
	}
	var b strings.Builder
	b.WriteString(t.Title() + "\n")
	all := make([]int, len(t.Columns))
	for j := range all {
		all[j] = j
	}
	if block := t.block(all); block.width() <= width {
		b.WriteString("\n")
		block.write(&b)
	} else {
		for _, j := range all {
			b.WriteString("\n")
			t.block([]int{j}).write(&b)
		}
	}
	if notes := t.notes(); len(notes) > 0 {
		b.WriteString("\n" + strings.Join(notes, "\n") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Title says what the numbers are.
func (t *Table) Title() string {
	s := t.name()
	if t.Settings != "" {
		s += ", " + t.Settings
	}
	return s + ", " + t.seeds() + ": test accuracy in %, mean ± sample standard deviation"
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
	for _, c := range t.all() {
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

// all returns the cells that have runs, row by row.
func (t *Table) all() []*Cell {
	var cells []*Cell
	for _, line := range t.Cells {
		for _, c := range line {
			if c != nil {
				cells = append(cells, c)
			}
		}
	}
	return cells
}

func (t *Table) notes() []string {
	var notes []string
	for _, n := range markNotes {
		if t.marked(n.of) {
			notes = append(notes, n.sign+"  "+strings.ReplaceAll(n.text, "\n", "\n   "))
		}
	}
	return append(notes, t.diverged()...)
}

// marked reports whether some cell has a mark.
func (t *Table) marked(of func(Marks) bool) bool {
	return slices.ContainsFunc(t.all(), func(c *Cell) bool { return of(c.SelectedMarks) || of(c.LastMarks) })
}

// diverged names the cells some of whose runs ended early.
func (t *Table) diverged() []string {
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

// grid is a table of strings: groups of columns under a heading each, the
// first column aligned left, the others right.
type grid struct {
	groups []string   // heading of each group of four columns
	lines  [][]string // the first holds the names of the columns
	widths []int
}

const gap = 2 // spaces between columns, twice that between groups

func (t *Table) block(columns []int) *grid {
	g := &grid{}
	head := []string{"loss"}
	for _, j := range columns {
		g.groups = append(g.groups, t.Columns[j].String())
		room := t.marksRoom(j)
		head = append(head, "selected"+room, "last"+room, "paper", "diff")
	}
	g.lines = append(g.lines, head)
	for i, row := range t.Rows {
		line := []string{row.Name}
		some := false
		for _, j := range columns {
			c, room := t.Cells[i][j], t.marksRoom(j)
			if c == nil {
				line = append(line, "-"+room, "-"+room, "", "")
				continue
			}
			some = true
			published, difference := c.paperText()
			line = append(line, c.Selected.String()+pad(c.SelectedMarks.text(), -len(room)),
				c.Last.String()+pad(c.LastMarks.text(), -len(room)), published, difference)
		}
		if some {
			g.lines = append(g.lines, line)
		}
	}
	g.widths = make([]int, len(head))
	for _, line := range g.lines {
		for k, s := range line {
			g.widths[k] = max(g.widths[k], utf8.RuneCountInString(s))
		}
	}
	return g
}

func (g *grid) width() int {
	sum := 0
	for k, w := range g.widths {
		sum += w + g.gapBefore(k)
	}
	return sum
}

func (g *grid) gapBefore(k int) int {
	switch {
	case k == 0:
		return 0
	case k%4 == 1:
		return 2 * gap
	}
	return gap
}

func (g *grid) write(b *strings.Builder) {
	heading := strings.Repeat(" ", g.widths[0])
	for n, group := range g.groups {
		wide := 0
		for k := 4*n + 1; k <= 4*n+4; k++ {
			wide += g.gapBefore(k) + g.widths[k]
		}
		heading += pad("    "+group, -wide)
	}
	b.WriteString(strings.TrimRight(heading, " ") + "\n")
	for _, line := range g.lines {
		text := pad(line[0], -g.widths[0])
		for k := 1; k < len(line); k++ {
			text += strings.Repeat(" ", g.gapBefore(k)) + pad(line[k], g.widths[k])
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
}

// pad fills s with spaces to the width, on the left, or on the right if the
// width is negative.
func pad(s string, width int) string {
	fill := strings.Repeat(" ", max(0, max(width, -width)-utf8.RuneCountInString(s)))
	if width < 0 {
		return s + fill
	}
	return fill + s
}

// String returns 97.3 ± 0.1, and the mean alone for a single value.
func (s Sample) String() string {
	if s.N < 2 {
		return fmt.Sprintf("%.1f", s.Mean)
	}
	return fmt.Sprintf("%.1f ± %.1f", s.Mean, s.Std)
}

// text returns the marks as they stand after a number.
func (m Marks) text() string {
	if s := m.signs(); s != "" {
		return " " + s
	}
	return ""
}

// signs returns the marks as characters: b*.
func (m Marks) signs() string {
	s := ""
	if m.Bold {
		s += "b"
	}
	if m.Star {
		s += "*"
	}
	if m.Dagger {
		s += "†"
	}
	return s
}

// marksRoom is a blank as wide as the widest marks of a column.
func (t *Table) marksRoom(column int) string {
	wide := 0
	for _, line := range t.Cells {
		if c := line[column]; c != nil {
			wide = max(wide, utf8.RuneCountInString(c.SelectedMarks.text()), utf8.RuneCountInString(c.LastMarks.text()))
		}
	}
	return strings.Repeat(" ", wide)
}

// paperText returns the paper's mean and our difference from it, or two empty
// strings.
func (c *Cell) paperText() (published, difference string) {
	d, ok := c.Difference()
	if !ok {
		return "", ""
	}
	return fmt.Sprintf("%.1f", c.Paper.Accuracy), signed("%+.1f", d)
}

// signed formats a difference; what rounds to nothing counts as positive.
func signed(format string, d float64) string {
	s := fmt.Sprintf(format, d)
	if strings.Trim(s, "-0.") == "" {
		return "+" + s[1:]
	}
	return s
}
