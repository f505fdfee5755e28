package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// WriteText writes the table aligned for a terminal: for every noise the mean
// ± sample standard deviation at the selected and at the last epoch, the
// paper's mean, and ours minus it at the selected epoch. The letter b stands for
// the paper's bold type, * for its star.
func (t *Table) WriteText(w io.Writer) error {
	_, err := io.WriteString(w, t.text(lineWidth))
	return err
}

// lineWidth is that of a terminal, in characters.
const lineWidth = 100

// text is the table in lines of a width; a wider one is broken up into one block
// per noise.
func (t *Table) text(width int) string {
	var b strings.Builder
	b.WriteString(t.Title() + "\n")
	all := make([]int, len(t.Columns))
	for j := range all {
		all[j] = j
	}
	if block, wide := t.block(all); wide <= width {
		b.WriteString("\n" + block)
	} else {
		for _, j := range all {
			block, _ := t.block([]int{j})
			b.WriteString("\n" + block)
		}
	}
	var notes []string
	for _, n := range t.MarkNotes() {
		notes = append(notes, n.Sign+"  "+strings.ReplaceAll(n.Text, "\n", "\n   "))
	}
	if notes = append(notes, t.Remarks()...); len(notes) > 0 {
		b.WriteString("\n" + strings.Join(notes, "\n") + "\n")
	}
	return b.String()
}

// block lays out some columns of the table, each a group of four under the name
// of its noise, or of two where the paper has no such noise.
func (t *Table) block(columns []int) (text string, width int) {
	head := []string{"loss"}
	var groups []string
	starts, ends := []int{}, []int{} // of each group, in head
	for _, j := range columns {
		groups = append(groups, t.Columns[j].String())
		room := t.marksRoom(j)
		starts = append(starts, len(head))
		head = append(head, "selected"+room, "last"+room)
		if t.Published(j) {
			head = append(head, "paper", "diff")
		}
		ends = append(ends, len(head))
	}
	lines := append([][]string{head}, t.lines(columns)...)
	wide := widths(lines)
	space := func(k int) int {
		switch {
		case k == 0:
			return 0
		case slices.Contains(starts, k):
			return 2 * gap
		}
		return gap
	}
	heading := pad("", -wide[0])
	width = wide[0]
	for n, group := range groups {
		of := 0
		for k := starts[n]; k < ends[n]; k++ {
			of += space(k) + wide[k]
		}
		if more := 2*gap + utf8.RuneCountInString(group) - of; more > 0 { // two columns may be narrower than their name
			wide[ends[n]-1] += more
			of += more
		}
		heading += pad(strings.Repeat(" ", 2*gap)+group, -of)
		width += of
	}
	right := func(k int) bool { return k > 0 }
	return strings.TrimRight(heading, " ") + "\n" + align(lines, wide, right, space), width
}

// lines are the rows that have a cell in one of the columns.
func (t *Table) lines(columns []int) (lines [][]string) {
	for i, row := range t.Rows {
		line := []string{row.Name}
		some := false
		for _, j := range columns {
			c, room := t.Cells[i][j], t.marksRoom(j)
			paper, diff := "", ""
			if c == nil {
				line = append(line, "-"+room, "-"+room)
			} else {
				some = true
				paper, diff = c.paperText(), c.DifferenceText()
				line = append(line, c.Selected.text(room), c.Last.text(room))
			}
			if t.Published(j) {
				line = append(line, paper, diff)
			}
		}
		if some {
			lines = append(lines, line)
		}
	}
	return lines
}

const gap = 2 // spaces between columns, twice that between groups

// String returns 97.3 ± 0.1, and the mean alone for a single value.
func (s Sample) String() string { return s.text("%.1f") }

// text is the sample with each number in the format, - if it is empty.
func (s Sample) text(format string) string {
	switch s.N {
	case 0:
		return "-"
	case 1:
		return fmt.Sprintf(format, s.Mean)
	}
	return fmt.Sprintf(format+" ± "+format, s.Mean, s.Std)
}

// text is the entry with its marks, in the room that those of its column take.
func (e Entry) text(room string) string { return e.String() + pad(e.signs(), -len(room)) }

// signs returns the marks as they stand after a number: b*.
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
	if s != "" {
		s = " " + s
	}
	return s
}

// marksRoom is a blank as wide as the widest marks of a column.
func (t *Table) marksRoom(column int) string {
	wide := 0
	for _, line := range t.Cells {
		if c := line[column]; c != nil {
			wide = max(wide, utf8.RuneCountInString(c.Selected.signs()), utf8.RuneCountInString(c.Last.signs()))
		}
	}
	return strings.Repeat(" ", wide)
}

// paperText is the paper's mean, or empty.
func (c *Cell) paperText() string {
	if c.Paper == nil {
		return ""
	}
	return fmt.Sprintf("%.1f", c.Paper.Mean)
}

// DifferenceText is the difference from the paper with its sign, or empty.
func (c *Cell) DifferenceText() string {
	d, ok := c.Difference()
	if !ok {
		return ""
	}
	return signed("%+.1f", d)
}

// signed formats a difference; what rounds to nothing counts as positive.
func signed(format string, d float64) string {
	s := fmt.Sprintf(format, d)
	if strings.Trim(s, "-0.") == "" {
		return "+" + s[1:]
	}
	return s
}
