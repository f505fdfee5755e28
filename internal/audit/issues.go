package audit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
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

	// from labels_corrected.csv, which is in the order of the data
	Row       int
	Corrected string
}

// VeryUnusual is the value of Issue.Unusual above which an example is worth a look.
const VeryUnusual = .5

// WriteIssues writes issues.csv with ranks from 1. issues has the worst first.
func (f *Folder) WriteIssues(issues []Issue) error {
	if k := slices.IndexFunc(issues, func(i Issue) bool { return math.IsNaN(i.PWrong) }); k >= 0 {
		return fmt.Errorf("write %s: example %q: p_wrong is not a number", f.Path(IssuesFile), issues[k].ID)
	}
	rank := 0
	return writeTable(f, IssuesFile, issues, func(i Issue) []string {
		rank++
		return []string{strconv.Itoa(rank), i.ID, i.Given, i.Suggested, decimal(&i.PWrong, 6), decimal(i.Unusual, 3)}
	})
}

// decimal writes a number that may be missing.
func decimal(v *float64, digits int) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', digits, 64)
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
	err = f.readTable(IssuesFile, func(r []string) error {
		i := Issue{ID: r[1], Given: r[2], Suggested: r[3]}
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
		i.Row, i.Corrected = row, labels[row].Label
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

func (l Label) cells() []string { return []string{l.ID, l.Label} }

// WriteLabels writes labels_corrected.csv, in the order of the data.
func (f *Folder) WriteLabels(labels []Label) error {
	return writeTable(f, LabelsFile, labels, Label.cells)
}

// Labels reads labels_corrected.csv.
func (f *Folder) Labels() ([]Label, error) {
	var labels []Label
	seen := make(map[string]bool)
	err := f.readTable(LabelsFile, func(r []string) error {
		l := Label{r[0], r[1]}
		if seen[l.ID] {
			return fmt.Errorf("example %q is listed twice", l.ID)
		}
		seen[l.ID] = true
		labels = append(labels, l)
		return nil
	})
	return labels, err
}
