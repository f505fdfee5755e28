package audit

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/rows"
)

// Issue is a line of issues.csv.
type Issue struct {
	Rank      int // from 1
	ID        string
	Given     string
	Suggested string
	PWrong    float64

	// Unusual is how unlike every class the example looks, from 0 to 1; nil without features of the
	// examples. The order does not depend on it.
	Unusual *float64

	Row int // row in the training set, from labels_corrected.csv; not in issues.csv
}

// VeryUnusual is the value of Issue.Unusual above which an example is worth a look.
const VeryUnusual = .5

var issuesHeader = []string{"rank", "id", "given", "suggested", "p_wrong", "unusual"}

// WriteIssues writes issues.csv with ranks from 1. issues has the worst first.
//
// People open the CSV files of an audit in spreadsheets, so names are written with [rows.Cell] and
// read with [rows.Original]. Only T_hat.csv has the names as they are.
func (f *Folder) WriteIssues(issues []Issue) error {
	records := make([][]string, len(issues))
	for k, i := range issues {
		if math.IsNaN(i.PWrong) {
			return fmt.Errorf("write %s: example %q: p_wrong is not a number", f.Path(IssuesFile), i.ID)
		}
		unusual := ""
		if i.Unusual != nil {
			unusual = strconv.FormatFloat(*i.Unusual, 'f', 3, 64)
		}
		records[k] = []string{strconv.Itoa(k + 1), rows.Cell(i.ID), rows.Cell(i.Given), rows.Cell(i.Suggested),
			strconv.FormatFloat(i.PWrong, 'f', 6, 64), unusual}
	}
	return f.writeCSV(IssuesFile, issuesHeader, records)
}

// Issues reads issues.csv, and labels_corrected.csv for the rows.
func (f *Folder) Issues() ([]Issue, error) {
	labels, err := f.Labels()
	if err != nil {
		return nil, err
	}
	places := make(map[string]int, len(labels))
	for row, l := range labels {
		places[l.ID] = row
	}
	issues := make([]Issue, 0, len(labels))
	err = f.readCSV(IssuesFile, issuesHeader, func(r []string) error {
		i := Issue{ID: rows.Original(r[1]), Given: rows.Original(r[2]), Suggested: rows.Original(r[3])}
		var err error
		if i.Rank, err = strconv.Atoi(r[0]); err != nil || i.Rank != len(issues)+1 {
			return fmt.Errorf("rank %q, want %d", r[0], len(issues)+1)
		}
		if i.PWrong, err = strconv.ParseFloat(r[4], 64); err != nil || !(i.PWrong >= 0 && i.PWrong <= 1) {
			return fmt.Errorf("p_wrong %q, want a probability", r[4])
		}
		if r[5] != "" {
			unusual, err := strconv.ParseFloat(r[5], 64)
			if err != nil || !(unusual >= 0 && unusual <= 1) {
				return fmt.Errorf("unusual %q, want a number from 0 to 1", r[5])
			}
			i.Unusual = &unusual
		}
		row, ok := places[i.ID]
		if !ok {
			return fmt.Errorf("example %q is not in %s", i.ID, LabelsFile)
		}
		i.Row = row
		issues = append(issues, i)
		return nil
	})
	if err == nil && len(issues) != len(labels) {
		err = f.damaged(IssuesFile, "%d examples, want %d as in %s", len(issues), len(labels), LabelsFile)
	}
	return issues, err
}

// Label is a line of labels_corrected.csv.
type Label struct{ ID, Label string }

var labelsHeader = []string{"id", "label"}

// WriteLabels writes labels_corrected.csv, in the order of the data.
func (f *Folder) WriteLabels(labels []Label) error {
	records := make([][]string, len(labels))
	for k, l := range labels {
		records[k] = []string{rows.Cell(l.ID), rows.Cell(l.Label)}
	}
	return f.writeCSV(LabelsFile, labelsHeader, records)
}

// Labels reads labels_corrected.csv.
func (f *Folder) Labels() ([]Label, error) {
	var labels []Label
	seen := make(map[string]bool)
	err := f.readCSV(LabelsFile, labelsHeader, func(r []string) error {
		l := Label{rows.Original(r[0]), rows.Original(r[1])}
		if seen[l.ID] {
			return fmt.Errorf("example %q is listed twice", l.ID)
		}
		seen[l.ID] = true
		labels = append(labels, l)
		return nil
	})
	return labels, err
}

func (f *Folder) writeCSV(name string, header []string, records [][]string) error {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	// Writing to a buffer cannot fail.
	_ = w.Write(header)
	_ = w.WriteAll(records)
	return f.write(name, b.Bytes())
}

// readCSV calls line for each line after the header. Errors name the line.
func (f *Folder) readCSV(name string, header []string, line func([]string) error) error {
	data, err := f.read(name)
	if err != nil {
		return err
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.ReuseRecord = true
	first, err := r.Read()
	if err != nil || !slices.Equal(first, header) {
		return f.damaged(name, "line 1: want the columns %q", strings.Join(header, ","))
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return f.damaged(name, "%w", err)
		}
		if err := line(record); err != nil {
			at, _ := r.FieldPos(0)
			return f.damaged(name, "line %d: %w", at, err)
		}
	}
}

// hasHeader reports whether the first line of a CSV file names these columns.
func hasHeader(path string, columns []string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	want := strings.Join(columns, ",")
	first, _ := bufio.NewReader(file).Peek(len(want) + 1)
	return strings.TrimRight(string(first), "\r\n") == want
}
