package audit

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

func TestFolderRoundTrips(t *testing.T) {
	f := At(filepath.Join(t.TempDir(), "new", "audit"))
	found := 1.5
	want := Summary{
		Program: "losscorr test", Source: own.Source{Path: "photos"}, Examples: 3, Wrong: Wrong{Low: 1, High: 2, Estimate: &found}, Evidence: estimators.Evidence{Nats: 40}, Pi: .25,
		Classes: []Class{{Name: "cat", Examples: 2, Wrong: Wrong{High: 1}}, {Name: "dog", Examples: 1}}, Changes: &Changes{Labels: 2, Right: 1.5},
	}
	if err := f.WriteSummary(&want); err != nil {
		t.Fatal(err)
	}
	got, err := f.Summary()
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("summary: %v (-want +got):\n%s", err, diff)
	}
	rows := [][]float64{{.9, .1}, {.25, .75}}
	matrix, err := correction.NewMatrix(got.ClassNames(), rows)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.WriteTransition(matrix); err != nil {
		t.Fatal(err)
	}
	transition, err := f.Transition()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows, transition.Rows()); diff != "" || !slices.Equal(transition.Classes(), []string{"cat", "dog"}) {
		t.Error(transition.Classes(), diff)
	}

	posteriors := []float32{.5, .5, 1, 0, .25, .75}
	if err := f.WriteProbabilities(posteriors, 2); err != nil {
		t.Fatal(err)
	}
	values, classes, err := f.Probabilities()
	if diff := cmp.Diff(posteriors, values); err != nil || classes != 2 || diff != "" {
		t.Errorf("probabilities of %d classes: %v (-want +got):\n%s", classes, err, diff)
	}
	noisy := []float32{.25, .75, .5, .5, 0, 1}
	if err := f.WriteNoisy(noisy, 2); err != nil {
		t.Fatal(err)
	}
	values, classes, err = f.Noisy()
	if diff := cmp.Diff(noisy, values); err != nil || classes != 2 || diff != "" {
		t.Errorf("noisy probabilities of %d classes: %v (-want +got):\n%s", classes, err, diff)
	}
	if _, err := Open(f.Dir()); err != nil {
		t.Error(err)
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, dataset.ErrData) {
		t.Errorf("an empty folder: %v", err)
	}
}

// awkward are names that spreadsheets calculate or CSV files quote.
var awkward = []string{
	`=HYPERLINK("http://x","y")`, "+cmd", "-cat/1.jpg", "@home/1.jpg", "'quoted", "'=a", "''", "'", "-5", "+3e2", "=1", "\tx",
	`a "b", c`, "two\nlines", " space ", "ü.png", "",
}

// Names that spreadsheets would calculate are text in every file, and come back as they were. So do issues with and
// without a value of unusual.
func TestNamesSurvive(t *testing.T) {
	f := At(t.TempDir())
	var labels []Label
	var issues []Issue
	var decisions []Decision
	unusual := .25
	for k, id := range awkward {
		other := awkward[len(awkward)-1-k]
		labels = append(labels, Label{ID: id, Label: other})
		issues = append(issues, Issue{Rank: k + 1, ID: id, Given: id, Suggested: other, PWrong: float64(len(awkward)-k) / 100, Row: k})
		if k%2 == 1 {
			issues[k].Unusual = &unusual
		}
		if id != "" && other != "" && !strings.ContainsAny(id+other, "\t\n") {
			decisions = append(decisions, Decision{ID: id, Given: other, Label: other, Action: Accept, Time: moment})
		}
	}
	if err := errors.Join(f.WriteLabels(labels), f.WriteIssues(issues)); err != nil {
		t.Fatal(err)
	}
	decide(t, f, decisions...)
	gotLabels, err := f.Labels()
	if diff := cmp.Diff(labels, gotLabels); err != nil || diff != "" {
		t.Errorf("labels: %v (-want +got):\n%s", err, diff)
	}
	got, err := f.Issues()
	if diff := cmp.Diff(issues, got); err != nil || diff != "" {
		t.Errorf("issues: %v (-want +got):\n%s", err, diff)
	}
	trusted, err := ReadTrusted(f.Path(DecisionsFile), own.Source{})
	for _, d := range decisions {
		if err != nil || trusted[d.ID].Label != d.Label {
			t.Errorf("%q has the label %q, want %q; %v", d.ID, trusted[d.ID].Label, d.Label, err)
		}
	}
	for name, lines := range map[string][]string{
		IssuesFile:    {`1,"'=HYPERLINK(""http`, "\n2,'+cmd,'+cmd,", "\n4,'@home/1.jpg,", "\n9,-5,-5,", "\n10,+3e2,", "\n11,'=1,"},
		DecisionsFile: {"\n'+cmd,", "\n'-cat/1.jpg,", "\n'=1,", "\n-5,"},
	} {
		for _, line := range lines {
			if text := string(read(t, f.Path(name))); !strings.Contains(text, line) {
				t.Errorf("%s: no %q in\n%s", name, line, text)
			}
		}
	}
}

func TestDamagedFiles(t *testing.T) {
	labels, issues := "id,label\na,cat\nb,dog\n", "rank,id,given,suggested,p_wrong,unusual\n1,a,cat,dog,0.9,\n2,b,dog,dog,0.1,\n"
	for name, tt := range map[string]struct{ file, text, want string }{
		"no labels":      {LabelsFile, "", "line 1 is not"},
		"label twice":    {LabelsFile, "id,label\na,cat\na,dog\n", `line 3: example "a" is there twice`},
		"ragged":         {LabelsFile, "id,label\na\n", "wrong number of fields"},
		"one too few":    {LabelsFile, "id,label\na,cat\n", `line 3: example "b" is not in labels_corrected.csv`},
		"one too many":   {LabelsFile, labels + "c,cat\n", "2 examples, and 3 in"},
		"header":         {IssuesFile, "rank,id\n", "line 1 is not"},
		"rank":           {IssuesFile, strings.Replace(issues, "2,b", "3,b", 1), `line 3: rank "3", want 2`},
		"probability":    {IssuesFile, strings.Replace(issues, "0.9", "1.1", 1), `line 2: p_wrong "1.1"`},
		"NaN":            {IssuesFile, strings.Replace(issues, "0.9", "NaN", 1), `line 2: p_wrong "NaN"`},
		"no probability": {IssuesFile, strings.Replace(issues, "0.9", "", 1), `line 2: p_wrong ""`},
		"unusual":        {IssuesFile, "rank,id,given,suggested,p_wrong,unusual\n1,a,cat,dog,0.9,1.5\n", `line 2: unusual "1.5"`},
		"summary":        {SummaryFile, "{", "unexpected EOF"},
		"schema":         {SummaryFile, `{"schema":1,"classes":[{},{}],"noise_rate":0.1}`, "schema 1, want 2: another version of the program wrote it; run the audit again"},
		"no classes":     {SummaryFile, `{"schema":2}`, "0 classes"},
		"no array":       {ProbabilitiesFile, "x", "NPY"},
		"array of bytes": {ProbabilitiesFile, "\x93NUMPY\x01\x00\x02\x00{}", "header"},
		"cut":            {ProbabilitiesFile, "", "NPY"},
	} {
		t.Run(name, func(t *testing.T) {
			f := At(t.TempDir())
			for file, text := range map[string]string{LabelsFile: labels, IssuesFile: issues, tt.file: tt.text} {
				put(t, f.Path(file), text)
			}
			var err error
			switch tt.file {
			case SummaryFile:
				_, err = f.Summary()
			case ProbabilitiesFile:
				_, _, err = f.Probabilities()
			default:
				_, err = f.Issues()
			}
			if !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.file) && !strings.Contains(err.Error(), IssuesFile) {
				t.Errorf("%v, want bad data with %q", err, tt.want)
			}
		})
	}
	f := At(t.TempDir())
	if err := f.WriteProbabilities(make([]float32, 200), 2); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(f.Path(ProbabilitiesFile), 500); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Probabilities(); !errors.Is(err, dataset.ErrData) {
		t.Errorf("a cut array: %v", err)
	}
	if err := f.WriteProbabilities([]float32{.5, .5, -.5, 1.5}, 2); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Probabilities(); !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), "example 1: -0.5 is no probability") {
		t.Errorf("no probabilities: %v", err)
	}
	if err := f.WriteIssues([]Issue{{PWrong: math.NaN()}}); err == nil {
		t.Error("NaN was written")
	}
	if _, err := f.Labels(); !errors.Is(err, dataset.ErrData) {
		t.Errorf("a missing file: %v", err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
