package scaling

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/report/figure"
	"github.com/losscorr/losscorr/store"
)

// CSVFile is the name of the file of all points.
const CSVFile = "scaling.csv"

// save writes the CSV file and the plots, which are whole after each subject.
func (r *run) save() error {
	if r.Out == "" || len(r.lines) == 0 {
		return nil
	}
	if err := os.MkdirAll(r.Out, 0o755); err != nil {
		return fmt.Errorf("make the folder of the results (-out says where): %w", err)
	}
	text, err := r.csv()
	if err == nil {
		err = files.Write(filepath.Join(r.Out, CSVFile), text, 0o644)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", CSVFile, err)
	}
	return r.plots()
}

// csv returns a line for each point, with where it was measured.
func (r *run) csv() ([]byte, error) {
	e := store.NewEnvironment(losscorr.Version, nil)
	records := [][]string{{
		"plot", "line", "variable", "value", "quantity", "measured", "fitted_from", "exponent", "expected", "quick",
		"date", "version", "revision", "cpu", "cores", "gomaxprocs",
	}}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	for _, l := range r.lines {
		from, exponent := "", ""
		if law, ok := fit(l.points); ok {
			from, exponent = number(law.from), fmt.Sprintf("%.3f", law.exponent)
		}
		for _, p := range l.points {
			records = append(records, []string{
				l.axes.name, l.name, l.x, number(p.X), l.y, number(p.Y), from, exponent, number(l.expected), strconv.FormatBool(r.Quick),
				time.Now().UTC().Format(time.DateOnly), e.Program, e.Code().Mark(), e.CPU.Model, strconv.Itoa(e.CPU.Cores), strconv.Itoa(e.Threads),
			})
		}
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	err := w.WriteAll(records)
	return b.Bytes(), err
}

// plots draws the lines, those with the same axes in one plot.
func (r *run) plots() error {
	var drawn []axes
	var failed []error
	for _, l := range r.lines {
		if slices.Contains(drawn, l.axes) {
			continue
		}
		drawn = append(drawn, l.axes)
		var lines []figure.LogLine
		for _, other := range r.lines {
			if other.axes == l.axes {
				lines = append(lines, other.logLine())
			}
		}
		_, err := figure.LogLog(l.title, l.x, l.y, lines).Save(filepath.Join(r.Out, "scaling-"+l.axes.name))
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// logLine is the line with its exponent in its name.
func (l *line) logLine() figure.LogLine {
	out := figure.LogLine{Name: l.name, Points: l.points}
	if law, ok := fit(l.points); ok {
		out.Exponent, out.Factor, out.From = law.exponent, law.factor, law.from
		out.Name += fmt.Sprintf(": exponent %.2f", law.exponent)
	}
	return out
}

// table prints a row for each line in Markdown.
func (r *run) table(out io.Writer) error {
	if len(r.lines) == 0 {
		return nil
	}
	fmt.Fprintln(out, "| cost | of | range | cost there | exponent | from | by its mathematics |")
	fmt.Fprintln(out, "|:---|:---|---:|---:|---:|---:|---:|")
	for _, l := range r.lines {
		first, last := l.points[0], l.points[len(l.points)-1]
		from, exponent := "", ""
		if law, ok := fit(l.points); ok {
			from, exponent = whole(law.from), fmt.Sprintf("%.2f", law.exponent)
		}
		_, err := fmt.Fprintf(out, "| %s, %s | %s | %s to %s %s | %s to %s | %s | %s | %g |\n", l.title, l.y, l.name,
			whole(first.X), whole(last.X), l.x, short(first.Y), short(last.Y), exponent, from, l.expected)
		if err != nil {
			return err
		}
	}
	return nil
}

// short is a number with three digits, or all of a large one.
func short(v float64) string {
	if v >= 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// whole is a number without an exponent.
func whole(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
