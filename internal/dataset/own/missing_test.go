package own

import (
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

func TestMissingNumbers(t *testing.T) {
	for _, c := range []struct {
		classes, missing, odd string
		names                 Naming
	}{
		{classes: "0 1 2 -1", missing: "-1"},
		{classes: "1 2 -100", missing: "-100"},
		{classes: "cat dog -1", missing: "-1"},
		{classes: "-1 1"},
		{classes: "-1 1 NA", odd: "NA"},
		{classes: "cat n/a ? None - UNKNOWN NA", odd: "- ? NA None UNKNOWN n/a"},
		{classes: "+ - nation nothing 0"},
		{classes: "-2 -1 0 1 2"},
		{classes: "-1 0 1", odd: "-1"},
		{classes: "-1 0", odd: "-1"},
		{classes: "-2 -1 0 1 2 3", odd: "-1 -2"},
		{classes: "-1 0 1", names: Naming{"0": "bad", "1": "good"}, missing: "-1"},
		{classes: "-100 -1 0 1", names: Naming{"0": "bad", "1": "good"}, missing: "-100 -1"},
		{classes: "-1 0 1 2", names: Naming{"-1": "other"}},
		{classes: "0 1 2"},
	} {
		classes := strings.Fields(c.classes)
		missing := missingNumbers(classes, c.names)
		expect.Same(t, c.missing, strings.Join(missing, " "), c.classes, c.names)
		slices.Sort(classes)
		if got := strings.Join(MissingNames(classes), " "); c.missing == "" && c.names == nil && got != c.odd {
			t.Errorf("%s: odd are %q, want %q", c.classes, got, c.odd)
		}
	}
}

// unlabelled is a form of the data of TestMissingLabels: eight examples; 2 and 7 have no label.
type unlabelled struct {
	name   string
	source Source
	files  []string
}

type numberRow struct {
	X     float64 `parquet:"x"`
	Label int64   `parquet:"label"`
}

func unlabelledForms(t *testing.T) []unlabelled {
	labels := []int64{0, 1, -1, 2, 0, 1, 2, -1}
	csv, jsonl, lines := "x,y,label\n", "", ""
	var x []float32
	var plain, classed []numberRow
	for k, label := range labels {
		cell, null, line, number := fmt.Sprint(label), fmt.Sprint(label), fmt.Sprint(label), label
		if label < 0 {
			cell, null, line, number = " NaN ", "null", "", []int64{-100, 7}[k/4]
		}
		csv += fmt.Sprintf("%d,%d,%s\n", k, k, cell)
		jsonl += fmt.Sprintf("{\"text\": \"number %d\", \"label\": %s}\n", k, null)
		lines += line + "\n"
		x, plain = append(x, float32(k)), append(plain, numberRow{float64(k), label})
		classed = append(classed, numberRow{float64(k), number})
	}
	lines = strings.TrimSuffix(lines, "\n") + "-1\n"
	features := `{"info":{"features":{"label":{"_type":"ClassLabel","names":["a","b","c"]}}}}`
	y := datasettest.Array("<i8", "8,", labels)
	numbers := func(path, labels string) Source {
		return Source{Path: path, Labels: labels, Features: []string{"x"}}
	}
	return append([]unlabelled{
		{"csv", numbers("t.csv", ""), []string{"t.csv", csv}},
		{"json lines", Source{Path: "t.jsonl", Text: "text"}, []string{"t.jsonl", jsonl}},
		{"parquet", numbers("t.parquet", ""), []string{"t.parquet", parquetOf(t, plain)}},
		{"class labels", numbers("c.parquet", ""),
			[]string{"c.parquet", parquetOf(t, classed, parquet.KeyValueMetadata("huggingface", features))}},
		{"lines", numbers("t.csv", "y.txt"), []string{"t.csv", csv, "y.txt", lines}},
		{"numpy", Source{Path: "x.npy", Labels: "y.npy"}, []string{"x.npy", datasettest.Array("<f4", "8, 1", x), "y.npy", y}},
		{"labels only", Source{Labels: "y.npy"}, []string{"y.npy", y}},
	}, unlabelledImages(t, labels)...)
}

func unlabelledImages(t *testing.T, labels []int64) []unlabelled {
	var folders, photos []string
	lines, metadata := "", "file_name,label\n"
	for k, label := range labels {
		lines += fmt.Sprintln(label)
		cell := ""
		if label >= 0 {
			cell = fmt.Sprint(label)
		}
		metadata += fmt.Sprintf("%d.png,%s\n", k, cell)
		png := datasettest.PNG(t, 2, 2, color.Gray{uint8(k)})
		folders = append(folders, fmt.Sprintf("album/%d/%d.png", label, k), png)
		photos = append(photos, fmt.Sprintf("photos/%d.png", k), png)
	}
	return []unlabelled{
		{"folders", Source{Path: "album"}, folders},
		{"metadata", Source{Path: "photos"}, slices.Concat(photos, []string{"photos/metadata.csv", metadata})},
		{"images and lines", Source{Path: "photos", Labels: "y.txt"}, slices.Concat(photos, []string{"y.txt", lines})},
	}
}

func parquetOf(t *testing.T, rows []numberRow, options ...parquet.WriterOption) string {
	t.Helper()
	var b strings.Builder
	w := parquet.NewGenericWriter[numberRow](&b, options...)
	expect.OK(t, expect.Err(w.Write(rows)), w.Close())
	return b.String()
}

// Examples without a label are left out, with their names, where as many may be bad; the others keep
// their names, labels and content.
func TestMissingLabels(t *testing.T) {
	for _, c := range unlabelledForms(t) {
		t.Run(c.name, func(t *testing.T) {
			datasettest.Here(t, c.files...)
			refused(t, c.source.Described(), 1, "--max-bad 2")
			d := good(t, c.source.Described(), 2)
			var got, bad []string
			for k, id := range d.Train.IDs {
				id = strings.TrimSuffix(filepath.Base(id), ".png")
				number := strings.NewReplacer("a", "0", "b", "1", "c", "2")
				got = append(got, id+":"+number.Replace(d.Classes[d.Train.Labels[k]]))
				switch {
				case d.Train.Features != nil && fmt.Sprint(d.Train.Features[k]) != id:
					t.Errorf("example %s has the feature %v", id, d.Train.Features[k])
				case d.Train.X != nil && fmt.Sprint(d.Train.X[k*d.Train.Size()]) != id:
					t.Errorf("example %s has the pixel %v", id, d.Train.X[k*d.Train.Size()])
				case d.Train.Tokens != nil && d.Words[d.Train.Tokens[(k+1)*d.Train.Size()-1]] != id:
					t.Errorf("example %s ends with the word %q", id, d.Words[d.Train.Tokens[(k+1)*d.Train.Size()-1]])
				}
			}
			for _, s := range d.Skipped {
				bad = append(bad, strings.TrimSuffix(filepath.Base(s.Name), ".png"))
			}
			slices.Sort(got)
			slices.Sort(bad)
			expect.Same(t, []string{"0:0", "1:1", "3:2", "4:0", "5:1", "6:2"}, got)
			expect.Same(t, []string{"2", "7"}, bad)
		})
	}
}

// The labels of a test set follow the same rule as the training set's.
func TestMissingTestLabels(t *testing.T) {
	labels := []float32{float32(math.NaN()), 0, 1}
	datasettest.Here(t, "t.csv", "x,label\n0,0\n1,1\n2,2\n3,0\n4,-1\n5,1\n", "u.csv", "x,label\n6,-1\n7,2\n8,\n9,1\n",
		"x.npy", datasettest.Array("<f4", "4, 1", []float32{0, 1, 2, 3}), "y.txt", "0\n1\n0\n1\n",
		"u.npy", datasettest.Array("<f4", "3, 1", []float32{6, 7, 9}), "v.npy", datasettest.Array("<f4", "3,", labels))
	for _, s := range []Source{
		{Path: "t.csv", Features: []string{"x"}, Test: "u.csv"},
		{Path: "x.npy", Labels: "y.txt", Test: "u.npy", TestLabels: "v.npy"},
	} {
		d := good(t, s, 3)
		expect.Same(t, []float32{7, 9}, d.Test.Features, s.Test)
		expect.Same(t, 1, d.Test.Labels[1], s.Test)
	}
}

// Where each example needs a label, a missing one is an error.
func TestCompleteLabels(t *testing.T) {
	datasettest.Here(t, "t.csv", "id,label\na,x\nb,\nc,y\nd,x\n,\ne,y\n", "c.txt", "cat\n\ndog\n", "classes.txt",
		"cat\nhot dog\n")
	expect.Says(t, expect.Err(ReadLabels("t.csv")), "t.csv: 1 example without a label (b): add labels, or remove the rows")
	expect.Says(t, expect.Err(OpenLabels(Source{Path: "t.csv"})), "t.csv: 1 example without a label (1): add labels, or")
	expect.Says(t, expect.Err(ReadClasses("c.txt")), "c.txt:2: the name of the class is missing")
	expect.Same(t, []string{"cat", "hot dog"}, expect.Got(ReadClasses("classes.txt"))(t))
}

// A number that stands for no answer in an array does so in tables, and so does an empty cell.
func TestMissingAnswers(t *testing.T) {
	long := func(labels ...string) (text string) {
		text = "task,worker,label\n"
		for k, label := range labels {
			text += fmt.Sprintf("%d,%d,%s\n", k/2, k%2, label)
		}
		return text
	}
	people := AnswerColumns{People: []string{"0", "1"}}
	for _, c := range []struct {
		name, file string
		columns    AnswerColumns
		want       string
		finding    string
	}{
		{"a.csv", long("1", "1", "-1", "0", "2", "-1"), AnswerColumns{}, "0/0=1 0/1=1 1/1=0 2/0=2", "answers that are -1: 2"},
		{"a.csv", long("1", "1", "", "0", "2", "nan"), AnswerColumns{}, "0/0=1 0/1=1 1/1=0 2/0=2", ""},
		{"a.csv", "task,worker,label\n0,0,cat\n1,,\n2,1,dog\n", AnswerColumns{}, "0/0=cat 2/1=dog",
			"examples without an answer: 1"},
		{"a.csv", "task,worker,label\n0,0,cat\n,,\n2,1,dog\n,,\n", AnswerColumns{}, "0/0=cat 2/1=dog", ""},
		{"a.csv", long("1", "1", "-1", "0"), AnswerColumns{}, "0/0=1 0/1=1 1/1=0", "answers that are -1: 1"},
		{"a.csv", long("1", "1", "-1", ""), AnswerColumns{}, "0/0=1 0/1=1 1/0=-1", ""},
		{"a.csv", long("1", "1", "-1", "0", "0", ""), AnswerColumns{}, "0/0=1 0/1=1 1/0=-1 1/1=0 2/0=0", ""},
		{"a.csv", "id,0,1\n0,1,1\n1,-1,0\n2,2,-1\n", people, "0/0=1 0/1=1 1/1=0 2/0=2", "answers that are -1: 2"},
		{"a.csv", "id,0,1\n0,cat,cat\n1,NaN,dog\n2,eel,\n", people, "0/0=cat 0/1=cat 1/1=dog 2/0=eel", ""},
		{"a.npy", datasettest.Array("<i8", "3, 2", []int64{1, 1, -1, 0, 2, -1}), AnswerColumns{},
			"0/0=1 0/1=1 1/1=0 2/0=2", ""},
	} {
		datasettest.Here(t, c.name, c.file)
		a := expect.Got(ReadAnswers(c.name, c.columns))(t)
		var got []string
		for _, x := range a.List {
			got = append(got, fmt.Sprintf("%s/%s=%s", a.Tasks[x.Task], a.Workers[x.Worker], a.Classes[x.Label]))
		}
		expect.Same(t, c.want, strings.Join(got, " "), c.file)
		text := strings.Join(a.Findings, "; ")
		if !strings.Contains(text, c.finding) || c.finding == "" && strings.Contains(text, "-1") {
			t.Errorf("%q: findings %q, want %q", c.file, text, c.finding)
		}
	}
}
