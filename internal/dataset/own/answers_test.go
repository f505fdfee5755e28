package own

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/npy"
)

// The three forms of the same answers are read alike.
func TestReadAnswers(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		datasettest.Put(t, path, text)
		return path
	}
	want := []annotators.Answer{{Task: 0, Worker: 0, Label: 1}, {Task: 0, Worker: 1, Label: 1},
		{Task: 1, Worker: 1, Label: 0}, {Task: 2, Worker: 0, Label: 2}}
	array := filepath.Join(dir, "a.npy")
	expect.OK(t, npy.WriteFloat32(array, []float32{1, 1, -1, 0, 10, float32(math.NaN())}, 2))
	for path, c := range map[string]AnswerColumns{
		file("long.csv", "task,worker,label\n0,0,1\n0,1,1.0\n1,1,0\n2,0,10\n"): {},
		file("named.tsv", "example\twho\tsays\n0\t0\t1\n0\t1\t1\n1\t1\t0\n2\t0\t10\n"): {Task: "example", Worker: "who",
			Label: "says"},
		file("wide.csv", "id,0,1\n0,1,1\n1,,0\n2,10,\n"): {People: []string{"0", "1"}},
		array: {},
	} {
		a := expect.Got(ReadAnswers(path, c))(t)
		expect.Same(t, Answers{Tasks: []string{"0", "1", "2"}, Workers: []string{"0", "1"},
			Classes: []string{"0", "1", "10"}, List: want}, *a, path)
	}
	odd := "task,worker,label\nx,Ann,cat\nx,ann,dog\ny,Ann,cat\nx,Ann,dog\ny,Ann,cat\nz,Bob,cat\nz, ann ,cat\n"
	a := expect.Got(ReadAnswers(file("odd.csv", odd), AnswerColumns{}))(t)
	expect.Says(t, a.Findings,
		"2 answers about an example that the same person had answered before; the last one counts (1 of them differ)")
	expect.Same(t, []int{1, 5}, []int{int(a.List[0].Label), len(a.List)}, "the last answer of Ann to x, dog")
	// Names in two forms of Unicode are one.
	forms := "task,worker,label\n\u00e9,Zo\u00eb,cat\ne\u0301,Zoe\u0308,dog\ne\u0301,Bob,dog\nx,Bob,cat\n"
	a = expect.Got(ReadAnswers(file("forms.csv", forms), AnswerColumns{}))(t)
	expect.Same(t, []int{2, 2, 3}, []int{len(a.Tasks), len(a.Workers), len(a.List)}, a)
}

func TestReadAnswersRefuses(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"task,worker,label\n":                   "no answer",
		"task,worker,label\nx,,cat\n":           "bad.csv:2: the name of the person is empty",
		"task,worker,label\nx,a,cat\n,a,cat\n":  "bad.csv:3: the name of the example is empty",
		"task,worker,label\nx,a,\n":             "bad.csv has no answer",
		"task,worker,label\nx,a,cat\ny,a,cat\n": "labels of 2 answers are 1",
		"task,who,label\nx,a,cat\n":             "has no column \"worker\"",
		"file_name,Ann,Bob\nx,cat,dog\n":        "--annotator names those columns",
		"id,a\nx,cat\nx,dog\n":                  "twice",
	} {
		path := filepath.Join(dir, "bad.csv")
		datasettest.Put(t, path, text)
		c := AnswerColumns{}
		if strings.HasPrefix(text, "id") {
			c.People = []string{"a"}
		}
		expect.Says(t, expect.Err(ReadAnswers(path, c)), want)
	}
	path := filepath.Join(dir, "bad.npy")
	for bad, text := range map[float32]string{.5: "0.5", 1 << 24: "1.6777216e+07"} { // larger numbers would be rounded
		expect.OK(t, npy.WriteFloat32(path, []float32{1, -1, bad, 0}, 2))
		expect.Says(t, expect.Err(ReadAnswers(path, AnswerColumns{})), "row 1, column 0 (from 0) is "+text)
	}
	expect.Says(t, expect.Err(ReadAnswers("answers.txt", AnswerColumns{})),
		"answers.txt: unknown ending for a file of answers: use .csv")
}

func TestNames(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "t.csv")
	datasettest.Put(t, table, "key,text\nb,one\na,two\n")
	array := filepath.Join(dir, "x.npy")
	expect.OK(t, npy.WriteFloat32(array, []float32{1, 2, 3}, 1))
	for want, s := range map[string]Source{"b a": {Path: table, ID: "key"}, "0 1": {Path: table}, "0 1 2": {Path: array}} {
		expect.Same(t, want, strings.Join(expect.Got(s.Names(context.Background()))(t), " "), s)
	}
}
