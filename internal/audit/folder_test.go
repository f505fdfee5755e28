package audit

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

func small() Summary {
	rows := [][]float64{{.9, .1}, {.25, .75}}
	return Summary{
		Schema: 1, Program: "losscorr test", Source: own.Source{Path: "photos"}, Examples: 3,
		Classes: []Class{{Name: "cat", Examples: 2}, {Name: "dog", Examples: 1}}, T: rows, TLow: rows, THigh: rows,
	}
}

func TestFolderRoundTrips(t *testing.T) {
	f := At(filepath.Join(t.TempDir(), "new", "audit"))
	want := small()
	if err := f.WriteSummary(&want); err != nil {
		t.Fatal(err)
	}
	got, err := f.Summary()
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("summary: %v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{"cat", "dog"}, got.ClassNames()); diff != "" {
		t.Error(diff)
	}

	matrix, err := correction.NewMatrix(got.ClassNames(), got.T)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.WriteTransition(matrix); err != nil {
		t.Fatal(err)
	}
	read, err := f.Transition()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.T, read.Rows()); diff != "" {
		t.Error(diff)
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

func TestNamesSurvive(t *testing.T) {
	f := At(t.TempDir())
	var labels []Label
	var issues []Issue
	for k, id := range awkward {
		labels = append(labels, Label{ID: id, Label: awkward[len(awkward)-1-k]})
		issues = append(issues, Issue{Rank: k + 1, ID: id, Given: id, Suggested: awkward[len(awkward)-1-k], PWrong: float64(len(awkward)-k) / 100, Row: k})
	}
	if err := f.WriteLabels(labels); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteIssues(issues); err != nil {
		t.Fatal(err)
	}
	gotLabels, err := f.Labels()
	if diff := cmp.Diff(labels, gotLabels); err != nil || diff != "" {
		t.Errorf("labels: %v (-want +got):\n%s", err, diff)
	}
	got, err := f.Issues()
	if diff := cmp.Diff(issues, got); err != nil || diff != "" {
		t.Errorf("issues: %v (-want +got):\n%s", err, diff)
	}
	data, err := os.ReadFile(f.Path(IssuesFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`1,"'=HYPERLINK(""http`, "\n2,'+cmd,'+cmd,", "\n4,'@home/1.jpg,", "\n9,-5,-5,", "\n10,+3e2,", "\n11,'=1,"} {
		if !strings.Contains(string(data), line) {
			t.Errorf("no %q in\n%s", line, data)
		}
	}
}

// Of an example without features the column unusual is empty.
func TestUnusualColumn(t *testing.T) {
	f := At(t.TempDir())
	if err := f.WriteLabels([]Label{{"a", "cat"}, {"b", "dog"}}); err != nil {
		t.Fatal(err)
	}
	some := .25
	text := "rank,id,given,suggested,p_wrong,unusual\n1,a,cat,dog,0.9,\n2,b,dog,,,0.250\n"
	if err := os.WriteFile(f.Path(IssuesFile), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 { // as it is, and as it is written again
		got, err := f.Issues()
		if err != nil || len(got) != 2 {
			t.Fatalf("%d issues, %v", len(got), err)
		}
		if diff := cmp.Diff([2]*float64{nil, &some}, [2]*float64{got[0].Unusual, got[1].Unusual}); diff != "" || !got[1].Unjudged || got[0].PWrong != .9 {
			t.Errorf("%+v (-want +got):\n%s", got, diff)
		}
		if err := f.WriteIssues(got); err != nil {
			t.Fatal(err)
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
		"unusual":        {IssuesFile, "rank,id,given,suggested,p_wrong,unusual\n1,a,cat,dog,0.9,1.5\n", `line 2: unusual "1.5"`},
		"summary":        {SummaryFile, "{", "unexpected EOF"},
		"schema":         {SummaryFile, `{"schema":2}`, "schema 2, want 1"},
		"no classes":     {SummaryFile, `{"schema":1}`, "0 classes"},
		"rows of T":      {SummaryFile, `{"schema":1,"classes":[{},{}]}`, "0 rows for 2 classes"},
		"no array":       {ProbabilitiesFile, "x", "NPY"},
		"array of bytes": {ProbabilitiesFile, "\x93NUMPY\x01\x00\x02\x00{}", "header"},
		"cut":            {ProbabilitiesFile, "", "NPY"},
	} {
		t.Run(name, func(t *testing.T) {
			f := At(t.TempDir())
			for file, text := range map[string]string{LabelsFile: labels, IssuesFile: issues, tt.file: tt.text} {
				if err := os.WriteFile(f.Path(file), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
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
