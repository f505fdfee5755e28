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

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/correction/checking"
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

// results reads a file of results/annotators as maps by column.
func results(t *testing.T, name string) (list []map[string]string) {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "results", "annotators", name))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records[1:] {
		row := map[string]string{}
		for k, name := range records[0] {
			row[name] = r[k]
		}
		list = append(list, row)
	}
	return list
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Dawid-Skene is that of crowd-kit to .002, on the same answers.
func TestDawidSkeneIsThatOfCrowdKit(t *testing.T) {
	rows, compared := results(t, "benchmark.csv"), 0
	for _, own := range rows {
		for _, other := range rows {
			if own["data"] != other["data"] || own["method"] != "losscorr dawid-skene" || other["method"] != "crowd-kit Dawid-Skene" {
				continue
			}
			for _, name := range []string{"consensus_right", "ap_wrong_answers", "ap_wrong_consensus"} {
				if a, b := number(t, own[name]), number(t, other[name]); math.Abs(a-b) > .002 {
					t.Errorf("%s: %s is %v, that of crowd-kit %v", own["data"], name, a, b)
				}
				compared++
			}
		}
	}
	if compared != 6 {
		t.Errorf("%d figures were compared", compared)
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

// Each example is trained on or tested on, with its own features, truth and answers.
func TestSplit(t *testing.T) {
	c := crowd{width: 1}
	var list []annotators.Answer
	for i := range 50 {
		c.truth, c.features = append(c.truth, i%2), append(c.features, float32(i))
		list = append(list, annotators.Answer{Task: int32(i), Worker: int32(i % 3), Label: int32(i % 2)})
	}
	var err error
	if c.answers, err = annotators.New(50, []string{"a", "b", "c"}, []string{"0", "1"}, list); err != nil {
		t.Fatal(err)
	}
	train, test, err := c.split(1)
	if err != nil || len(train.truth) != 40 || len(test.truth) != 10 {
		t.Fatalf("%d to train, %d to test, %v", len(train.truth), len(test.truth), err)
	}
	seen := map[float32]bool{}
	for _, p := range []crowd{train, test} {
		for at, x := range p.features {
			i := int(x)
			seen[x] = true
			if a := p.answers.Of(at); p.truth[at] != i%2 || len(a) != 1 || int(a[0].Worker) != i%3 || int(a[0].Label) != i%2 {
				t.Errorf("example %d has the truth %d and the answers %v", i, p.truth[at], a)
			}
		}
	}
	if len(seen) != 50 {
		t.Errorf("%d of 50 examples", len(seen))
	}
}

// The means of three counts of 10 wrong labels, worked out by hand.
func TestChecksAdd(t *testing.T) {
	r := checkedRow{wrong: 10}
	for _, c := range []checking.Count{{Wrong: 8, Low: 5, High: 11}, {Wrong: 13, Low: 11, High: 15}, {Wrong: 12, Low: 10, High: 14}} {
		r.add(&c)
	}
	for name, v := range map[string][2]float64{
		"mean": {r.mean, 33}, "within": {r.within, 2}, "covered": {r.covered, 2}, "width": {r.width, .3 + .2 + .2}, "off": {r.off, .2 + .3 + .2},
	} {
		if math.Abs(v[0]*repeated-v[1]) > 1e-9 {
			t.Errorf("%s %v, want %v of %d", name, v[0]*repeated, v[1], repeated)
		}
	}
}
