package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/rows"
)

// Sheet is a table of values with a heading each column. A value is a string,
// bool, int64, uint64 or float64, as its column says, or nil where there is none.
type Sheet struct {
	Title   string
	Columns []SheetColumn
	Rows    [][]any
	Notes   []string
	each    string // what the rows are, for WriteRows
}

// SheetColumn is a column of a Sheet.
type SheetColumn struct {
	Name    string
	Kind    reflect.Kind // of its values
	Right   bool         // aligned right
	Setting bool         // a key of the configuration
}

// TextColumns are columns of strings; one whose name ends in > is aligned right.
func TextColumns(names ...string) []SheetColumn {
	columns := make([]SheetColumn, len(names))
	for k, name := range names {
		columns[k].Kind = reflect.String
		columns[k].Name, columns[k].Right = strings.CutSuffix(name, ">")
	}
	return columns
}

// Add appends a row of strings.
func (s *Sheet) Add(row ...string) {
	values := make([]any, len(row))
	for k, text := range row {
		values[k] = text
	}
	s.Rows = append(s.Rows, values)
}

// Names returns the names of the columns.
func (s *Sheet) Names() []string {
	names := make([]string, len(s.Columns))
	for k, c := range s.Columns {
		names[k] = c.Name
	}
	return names
}

// Index returns the place of a column, or -1.
func (s *Sheet) Index(name string) int { return slices.Index(s.Names(), name) }

// Keep drops the rows of which keep is false. The function it is given returns
// a row's value by the name of its column, with all digits.
func (s *Sheet) Keep(keep func(value func(name string) string) bool) {
	s.Rows = slices.DeleteFunc(s.Rows, func(row []any) bool {
		return !keep(func(name string) string { return exact(row[s.Index(name)]) })
	})
}

// Select returns the columns of these names, which have to be there.
func (s *Sheet) Select(names []string) *Sheet {
	out := &Sheet{Title: s.Title, Rows: make([][]any, len(s.Rows)), Notes: s.Notes, each: s.each}
	for _, name := range names {
		k := s.Index(name)
		out.Columns = append(out.Columns, s.Columns[k])
		for i, row := range s.Rows {
			out.Rows[i] = append(out.Rows[i], row[k])
		}
	}
	return out
}

// Changed names the settings that are not the same in all rows.
func (s *Sheet) Changed() []string {
	var names []string
	for k, c := range s.Columns {
		if c.Setting && slices.ContainsFunc(s.Rows, func(row []any) bool { return row[k] != s.Rows[0][k] }) {
			names = append(names, c.Name)
		}
	}
	return names
}

// Sort sorts the rows by columns, the first one first; a name after a minus
// sign sorts in descending order. Missing values come last.
func (s *Sheet) Sort(names []string) {
	for _, name := range slices.Backward(names) {
		name, down := strings.CutPrefix(name, "-")
		k := s.Index(name)
		slices.SortStableFunc(s.Rows, func(a, b []any) int {
			switch order := compare(a[k], b[k]); {
			case a[k] == nil || b[k] == nil:
				return cmp.Compare(rank(a[k] == nil), rank(b[k] == nil))
			case down:
				return -order
			default:
				return order
			}
		})
	}
}

// compare orders two values of a column.
func compare(a, b any) int {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	switch {
	case a == nil || b == nil:
		return 0
	case x.CanInt():
		return cmp.Compare(x.Int(), y.Int())
	case x.CanUint():
		return cmp.Compare(x.Uint(), y.Uint())
	case x.CanFloat():
		return cmp.Compare(x.Float(), y.Float())
	}
	return strings.Compare(exact(a), exact(b))
}

// exact is a value with all digits.
func exact(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// Lines are the rows for people: measurements have two decimals.
func (s *Sheet) Lines() [][]string {
	lines := make([][]string, len(s.Rows))
	for i, row := range s.Rows {
		for k, v := range row {
			text := humanize.Visible(exact(v))
			if f, ok := v.(float64); ok && !s.Columns[k].Setting {
				text = strconv.FormatFloat(f, 'f', 2, 64)
			}
			lines[i] = append(lines[i], text)
		}
	}
	return lines
}

// WriteText writes the sheet aligned for a terminal.
func (s *Sheet) WriteText(w io.Writer) error {
	lines := append([][]string{s.Names()}, s.Lines()...)
	right := func(k int) bool { return s.Columns[k].Right }
	space := func(k int) int { return min(k, 1) * gap }
	text := s.heading() + align(lines, widths(lines), right, space)
	if len(s.Notes) > 0 {
		text += "\n" + strings.Join(s.Notes, "\n") + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// heading is the title, if there is one, with an empty line after it.
func (s *Sheet) heading() string {
	if s.Title == "" {
		return ""
	}
	return s.Title + "\n\n"
}

// widths are those of the columns, in characters.
func widths(lines [][]string) []int {
	out := make([]int, len(lines[0]))
	for _, line := range lines {
		for k, text := range line {
			out[k] = max(out[k], utf8.RuneCountInString(text))
		}
	}
	return out
}

// align writes lines in columns of the widths, with space before each column.
func align(lines [][]string, widths []int, right func(column int) bool, space func(column int) int) string {
	var b strings.Builder
	for _, line := range lines {
		out := ""
		for k, text := range line {
			width := -widths[k]
			if right(k) {
				width = widths[k]
			}
			out += strings.Repeat(" ", space(k)) + pad(text, width)
		}
		b.WriteString(strings.TrimRight(out, " ") + "\n")
	}
	return b.String()
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

// WriteMarkdown writes the sheet in GitHub's Markdown.
func (s *Sheet) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(s.heading())
	rule := "|"
	for _, c := range s.Columns {
		if c.Right {
			rule += "---:|"
		} else {
			rule += ":---|"
		}
	}
	for k, line := range append([][]string{s.Names()}, s.Lines()...) {
		b.WriteString("|")
		for _, text := range line {
			b.WriteString(" " + escape(text) + " |")
		}
		b.WriteString("\n")
		if k == 0 {
			b.WriteString(rule + "\n")
		}
	}
	for _, note := range s.Notes {
		b.WriteString("\n" + escape(note) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// escape keeps a text from ending its cell.
func escape(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// WriteLaTeX writes the sheet as a table that needs the package booktabs.
func (s *Sheet) WriteLaTeX(w io.Writer) error {
	var b strings.Builder
	b.WriteString("\\begin{table}[tb]\n\\centering\n\\footnotesize\n\\begin{tabular}{")
	for _, c := range s.Columns {
		if c.Right {
			b.WriteString("r")
		} else {
			b.WriteString("l")
		}
	}
	b.WriteString("}\n\\toprule\n" + latexLine(s.Names()) + "\\midrule\n")
	for _, line := range s.Lines() {
		b.WriteString(latexLine(line))
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	if s.Title != "" {
		fmt.Fprintf(&b, "\\caption{%s.}\n%s", latex(strings.Join(append([]string{s.Title}, s.Notes...), ". ")), latexLabel(s.Title))
	}
	b.WriteString("\\end{table}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func latexLine(line []string) string {
	cells := make([]string, len(line))
	for k, text := range line {
		cells[k] = latex(text)
	}
	return strings.Join(cells, " & ") + ` \\` + "\n"
}

// WriteCSV writes names and rows with all digits, without title and notes.
func (s *Sheet) WriteCSV(w io.Writer) error {
	lines := [][]string{s.Names()}
	for _, row := range s.Rows {
		line := make([]string, len(row))
		for k, v := range row {
			line[k] = exact(v)
			if text, ok := v.(string); ok {
				line[k] = rows.Cell(text)
			}
		}
		lines = append(lines, line)
	}
	return writeCSV(w, lines)
}

func writeCSV(w io.Writer, lines [][]string) error {
	if err := csv.NewWriter(w).WriteAll(lines); err != nil {
		return fmt.Errorf("report: write csv: %w", err)
	}
	return nil
}

// WriteJSON writes the sheet as {"schema": 1, "title": ..., "head": [...],
// "lines": [[...]], "notes": [...]}.
func (s *Sheet) WriteJSON(w io.Writer) error {
	return encode(w, map[string]any{"schema": 1, "title": s.Title, "head": s.Names(), "lines": s.Lines(), "notes": s.Notes})
}

// WriteRows writes the rows of List as {"schema": 1, "runs": [{column: value, ...}]},
// those of ListEpochs likewise under "epochs". A number that is not finite is "NaN",
// "+Inf" or "-Inf", as in result.json.
func (s *Sheet) WriteRows(w io.Writer) error {
	all := make([]map[string]any, len(s.Rows))
	for i, row := range s.Rows {
		all[i] = make(map[string]any, len(row))
		for k, v := range row {
			if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
				v = exact(f)
			}
			all[i][s.Columns[k].Name] = v
		}
	}
	return encode(w, map[string]any{"schema": 1, s.each: all})
}
