package annotatorsbench

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/npy"
)

// Worked out by hand: the third of four labels by doubt is right, so that the precision at
// the wrong ones is 1, 1 and 3/4.
func TestPrecision(t *testing.T) {
	var j judged
	for n, wrong := range []bool{true, true, false, true} {
		j.add(1-float64(n)/10, wrong)
	}
	if got, want := j.precision(), (1+1+.75)/3; math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestData(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"sentences.csv": "task,text,truth\n5,good,1\n3,bad,0\n",
		"answers.csv":   "task,worker,label\n3,w,0\n5,v,0\n5,w,1\n",
		"labels.csv":    "file_name,truth,random1,random2,random3\ntrain/b,cat,cat,dog,cat\ntrain/a,dog,dog,dog,cat\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	features := filepath.Join(dir, "x.npy")
	if err := npy.WriteFloat32(features, []float32{1, 2, 3, 4}, 2); err != nil {
		t.Fatal(err)
	}
	s, err := sentiment(dir, features)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.truth, s.answers.List, s.answers.Workers, s.width); got != "[1 0] [{0 0 1} {0 1 0} {1 0 0}] [w v] 2" {
		t.Error(got)
	}
	right := s.judge([]int{1, 1}, []float64{.1, .4}, []float64{.2, .9, .1})
	if want := (score{Right: .5, WrongAnswers: 1, WrongConsensus: 1, Expected: .5}); right != want {
		t.Errorf("%+v, want %+v", right, want)
	}
	c, err := cifar10n(dir, features, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(c.truth, c.answers.List, c.features); got != "[1 0] [{0 0 1} {0 1 1} {0 2 0} {1 0 0} {1 1 1} {1 2 0}] [1 2 3 4]" {
		t.Error(got)
	}
	if got := c.accuracy([]float32{.1, .9, .2, .8}); got != .5 {
		t.Errorf("accuracy %v, want .5", got)
	}
}

// The table of docs/annotators.md is that of results/annotators/benchmark.csv.
func TestDocs(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "..", "results", "annotators", "benchmark.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "annotators.md"))
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for k, name := range records[0] {
		column[name] = k
	}
	for _, r := range records[1:] {
		line := "| " + r[column["data"]] + " | " + r[column["method"]]
		for _, name := range []string{"consensus_right", "ap_wrong_answers", "ap_wrong_consensus"} {
			line += " | " + rounded(t, r[column[name]], 3)
		}
		line += " | " + rounded(t, r[column["expected_over_true"]], 2) + " |"
		if !strings.Contains(string(text), line+"\n") {
			t.Errorf("docs/annotators.md has no line %s", line)
		}
	}
	if len(records) < 10 {
		t.Errorf("%d records", len(records))
	}
}

func rounded(t *testing.T, text string, digits int) string {
	t.Helper()
	if text == "" {
		return ""
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(strconv.FormatFloat(v, 'f', digits, 64), "0")
}
