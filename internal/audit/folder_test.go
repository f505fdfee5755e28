package audit

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/npy"
)

// The files of an audit are read back as they were written.
func TestFolderRoundTrips(t *testing.T) {
	f := At(filepath.Join(t.TempDir(), "new", "audit"))
	found := 1.5
	want := Summary{
		Program: "losscorr test", Source: own.Source{Path: "photos"}, Examples: 3,
		Wrong: Wrong{Low: 1, High: 2, Estimate: &found}, Evidence: estimators.Evidence{Nats: 40}, Pi: .25,
		Classes: []Class{{Name: "cat", Examples: 2, Wrong: Wrong{High: 1}}, {Name: "dog", Examples: 1}},
		Changes: &Changes{Labels: 2, Right: 1.5},
	}
	expect.OK(t, f.WriteSummary(&want))
	expect.Same(t, want, expect.Got(f.Summary())(t))
	rows := [][]float64{{.9, .1}, {.25, .75}}
	expect.OK(t, f.WriteTransition(expect.Got(correction.NewMatrix(want.ClassNames(), rows))(t)))
	transition := expect.Got(f.Transition())(t)
	expect.Same(t, rows, transition.Rows())
	expect.Same(t, []string{"cat", "dog"}, transition.Classes())
	posteriors, noisy := []float32{.5, .5, 1, 0, .25, .75}, []float32{.25, .75, .5, .5, 0, 1}
	expect.OK(t, f.WriteProbabilities(posteriors, 2), npy.WriteFloat32(f.Path(NoisyFile), noisy, 2))
	gotPosteriors, classes, err := f.Posteriors(ProbabilitiesFile)
	gotNoisy, two, bad := f.Posteriors(NoisyFile)
	expect.OK(t, err, bad)
	expect.Same(t, posteriors, gotPosteriors)
	expect.Same(t, noisy, gotNoisy)
	if classes != 2 || two != 2 {
		t.Errorf("%d and %d classes", classes, two)
	}
	expect.Got(Open(f.Dir()))(t)
	expect.Fails(t, expect.Err(Open(t.TempDir())), "", dataset.ErrData, "an empty folder")
}

// awkward are names that spreadsheets would calculate or CSV files must quote.
var awkward = []string{
	`=HYPERLINK("http://x","y")`, "+cmd", "-cat/1.jpg", "@home/1.jpg", "'quoted", "'=a", "''", "'", "-5", "+3e2", "=1",
	"\tx",
	`a "b", c`, "two\nlines", " space ", "ü.png", "",
}

// Names that spreadsheets would calculate are text in every file, and are read back unchanged. So are issues with
// and without a value of unusual.
func TestNamesSurvive(t *testing.T) {
	f := At(t.TempDir())
	var labels []Label
	var issues []Issue
	var decisions []Decision
	unusual := .25
	for k, id := range awkward {
		other := awkward[len(awkward)-1-k]
		labels = append(labels, Label{ID: id, Label: other})
		issues = append(issues, Issue{Rank: k + 1, ID: id, Given: id, Suggested: other, PWrong: float64(len(awkward)-k) / 100,
			Row: k, Corrected: other})
		if k%2 == 1 {
			issues[k].Unusual = &unusual
		}
		if id != "" && other != "" {
			decisions = append(decisions, Decision{ID: id, Given: other, Label: other, Action: Accept, Time: moment})
		}
	}
	expect.OK(t, f.WriteLabels(labels), f.WriteIssues(issues))
	decide(t, f, decisions...)
	expect.Same(t, labels, expect.Got(f.Labels())(t))
	expect.Same(t, issues, expect.Got(f.Issues())(t))
	expect.Same(t, Last(decisions), Last(expect.Got(f.Said(own.Source{}))(t)))
	for name, lines := range map[string][]string{
		IssuesFile: {`1,"'=HYPERLINK(""http`, "\n2,'+cmd,'+cmd,", "\n4,'@home/1.jpg,", "\n9,-5,-5,", "\n10,+3e2,",
			"\n11,'=1,"},
	} {
		for _, line := range lines {
			if text := string(read(t, f.Path(name))); !strings.Contains(text, line) {
				t.Errorf("%s: no %q in\n%s", name, line, text)
			}
		}
	}
}

// Damaged, missing and mismatched files are bad data; the error names the file and line.
func TestDamagedFiles(t *testing.T) {
	labels, issues := "id,label\na,cat\nb,dog\n",
		"rank,id,given,suggested,p_wrong,unusual\n1,a,cat,dog,0.9,\n2,b,dog,dog,0.1,\n"
	for name, tt := range map[string]struct{ file, text, want string }{
		"no labels":    {LabelsFile, "", "line 1: want the columns"},
		"label twice":  {LabelsFile, "id,label\na,cat\na,dog\n", `line 3: example "a" is listed twice`},
		"ragged":       {LabelsFile, "id,label\na\n", "wrong number of fields"},
		"one too few":  {LabelsFile, "id,label\na,cat\n", `line 3: example "b" is not in labels_corrected.csv`},
		"one too many": {LabelsFile, labels + "c,cat\n", "2 examples, want 3 as in"},
		"header":       {IssuesFile, "rank,id\n", "line 1: want the columns"},
		"rank":         {IssuesFile, strings.Replace(issues, "2,b", "3,b", 1), `line 3: rank "3", want 2`},
		"probability":  {IssuesFile, strings.Replace(issues, "0.9", "1.1", 1), `line 2: p_wrong "1.1"`},
		"NaN":          {IssuesFile, strings.Replace(issues, "0.9", "NaN", 1), `line 2: p_wrong "NaN"`},
		"unusual": {IssuesFile, "rank,id,given,suggested,p_wrong,unusual\n1,a,cat,dog,0.9,1.5\n",
			`line 2: unusual "1.5"`},
		"summary": {SummaryFile, "{", "unexpected EOF"},
		"schema": {SummaryFile, `{"schema":1,"classes":[{},{}],"noise_rate":0.1}`,
			"schema 1, want 2: written by another version of the program; run the audit again"},
		"no classes":     {SummaryFile, `{"schema":2}`, "0 classes"},
		"no array":       {ProbabilitiesFile, "x", "NPY"},
		"array of bytes": {ProbabilitiesFile, "\x93NUMPY\x01\x00\x02\x00{}", "header"},
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
				_, _, err = f.Posteriors(ProbabilitiesFile)
			default:
				_, err = f.Issues()
			}
			if !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), tt.want) ||
				!strings.Contains(err.Error(), tt.file) && !strings.Contains(err.Error(), IssuesFile) {
				t.Errorf("%v, want bad data with %q", err, tt.want)
			}
		})
	}
	f := At(t.TempDir())
	expect.OK(t, f.WriteProbabilities(make([]float32, 200), 2))
	expect.OK(t, os.Truncate(f.Path(ProbabilitiesFile), 500))
	if _, _, err := f.Posteriors(ProbabilitiesFile); !errors.Is(err, dataset.ErrData) {
		t.Errorf("a cut array: %v", err)
	}
	expect.OK(t, f.WriteProbabilities([]float32{.5, .5, -.5, 1.5}, 2))
	if _, _, err := f.Posteriors(ProbabilitiesFile); !errors.Is(err, dataset.ErrData) ||
		!strings.Contains(err.Error(), "example 1: -0.5 is not a probability") {
		t.Errorf("no probabilities: %v", err)
	}
	if err := f.WriteIssues([]Issue{{PWrong: math.NaN()}}); err == nil {
		t.Error("NaN was written")
	}
	expect.Fails(t, expect.Err(f.Labels()), "", dataset.ErrData, "a missing file")
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	return expect.Got(os.ReadFile(path))(t)
}

func put(t *testing.T, path, text string) {
	t.Helper()
	expect.OK(t, os.WriteFile(path, []byte(text), 0o666))
}

// duplicates.csv has the pairs with different labels first, then those across splits.
func TestDuplicatesFile(t *testing.T) {
	f := At(t.TempDir())
	pair := func(exact bool, similarity float64, a, b Member) Duplicate {
		d := Duplicate{Exact: exact, A: a, B: b}
		if similarity != 0 {
			d.Similarity = &similarity
		}
		return d
	}
	cat, dog, test := Member{ID: "=a,1", Split: "train", Label: "cat"},
		Member{ID: "b", Split: "train", Label: "dog"}, Member{ID: "c", Split: "test", Label: "cat"}
	all := []Duplicate{pair(false, 0, cat, cat), pair(true, 1, cat, cat), pair(false, .95, cat, test),
		pair(false, .97, cat, test), pair(false, 0, cat, dog), pair(false, .5, test, dog)}
	expect.OK(t, f.WriteDuplicates(all))
	expect.Same(t, `kind,similarity,id,split,label,other_id,other_split,other_label
near,0.5000,c,test,cat,b,train,dog
near,,"'=a,1",train,cat,b,train,dog
near,0.9700,"'=a,1",train,cat,c,test,cat
near,0.9500,"'=a,1",train,cat,c,test,cat
exact,1.0000,"'=a,1",train,cat,"'=a,1",train,cat
near,,"'=a,1",train,cat,"'=a,1",train,cat
`, string(read(t, f.Path(DuplicatesFile))))
	empty := At(t.TempDir())
	expect.OK(t, empty.WriteDuplicates(nil))
	if _, err := os.Stat(empty.Path(DuplicatesFile)); err == nil {
		t.Error("a file of no duplicates")
	}
}
