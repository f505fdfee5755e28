package auditbench

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/npy"
)

// Labels of several people become one by majority, or by the worst of them.
func TestGiven(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	count := map[string]int{}
	for range 300 {
		count[majority("cat", []string{"dog", "cat", "cow"}, rng)]++
	}
	if len(count) != 3 || min(count["dog"], count["cat"], count["cow"]) < 60 {
		t.Errorf("of three answers: %v", count)
	}
	if got := majority("cat", []string{"dog", "cow", "dog"}, rng); got != "dog" {
		t.Errorf("the majority is %q", got)
	}
	if got := worst("cat", []string{"cat", "cow", "cat"}, rng); got != "cow" {
		t.Errorf("the worst is %q", got)
	}
	if got := worst("cat", []string{"cat", "cat", "cat"}, rng); got != "cat" {
		t.Errorf("the worst of right ones is %q", got)
	}
}

// The labels are found by the names of the features.
func TestReadPeople(t *testing.T) {
	dir := t.TempDir()
	p := People{Features: filepath.Join(dir, "x.npy"), Names: filepath.Join(dir, "x.txt"), Labels: filepath.Join(dir, "x.csv")}
	if err := npy.WriteFloat32(p.Features, []float32{1, 2, 3, 4}, 2); err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(p.Labels, "file_name,truth,random1,random2,random3\na,cat,dog,cat,cat\nb,dog,dog,dog,dog\n")
	write(p.Names, "b\na\n")
	got, err := p.read()
	if err != nil || got.truth[0] != "dog" || got.answers[1][0] != "dog" || got.width != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	write(p.Names, "b\nc\n")
	if _, err := p.read(); err == nil || !strings.Contains(err.Error(), `"c"`) {
		t.Errorf("a name without labels: %v", err)
	}
	write(p.Names, "b\n")
	if _, err := p.read(); err == nil {
		t.Error("a name too few, and no error")
	}
}

func TestCalibrationErrorAndF1(t *testing.T) {
	p, wrong := []float64{.95, .95, .05, .05}, []bool{true, false, false, false}
	if got := calibrationError(p, wrong); math.Abs(got-(.9+.1)/4) > 1e-9 {
		t.Errorf("calibration error %v", got)
	}
	if got := f1Above(p, wrong, .5); math.Abs(got-2./3) > 1e-9 {
		t.Errorf("F1 %v", got)
	}
}

// Ties are in random order, and the interval holds the value itself.
func TestIntervalsOfJudged(t *testing.T) {
	var judged []judgedLabel
	own, tied := make([]float64, 200), make([]float64, 200)
	for x := range 200 {
		judged = append(judged, judgedLabel{x, x < 60})
		own[x] = float64(x)
	}
	v := intervals(judged, own, tied)
	if v[0] != 1 || v[1] != 1 || v[3] < .2 || v[3] > .45 || v[4] > v[3] || v[5] < v[3] || math.Abs(v[6]-v[0]+v[3]) > 1e-9 {
		t.Errorf("%.3f", v)
	}
}

// Labels that are made wrong by one T go wrong as often as it says, in its ways.
func TestKindsOfNoise(t *testing.T) {
	b := &bench{}
	kinds, err := b.kindsOfNoise(people{truth: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}}, "mnist")
	if err != nil || len(kinds) != 2 {
		t.Fatalf("%d kinds, %v", len(kinds), err)
	}
	rng := rand.New(rand.NewPCG(2, 2))
	for k, want := range []map[string]float64{{"2": .8, "7": .2 / 9}, {"2": .6, "7": .4}} {
		count := map[string]float64{}
		for range 5000 {
			count[kinds[k].label("2", nil, rng)] += 1. / 5000
		}
		for label, share := range want {
			if math.Abs(count[label]-share) > .03 {
				t.Errorf("%s: %.3f of the twos are labelled %s, want %.3f", kinds[k].name, count[label], label, share)
			}
		}
	}
}

// What is trained on is not tested on: the test set of data that has one, else what was not drawn.
func TestPick(t *testing.T) {
	p := pool{people: people{truth: make([]string, 30)}, train: 20}
	whole := pool{people: people{truth: make([]string, 30)}, train: 30}
	for k := range uint64(20) {
		train, test := p.pick(8, rand.New(rand.NewPCG(1, k)))
		if len(train) != 8 || len(test) != 8 || slices.Max(train) >= 20 || slices.Min(test) < 20 {
			t.Fatalf("draw %d: %d, %d", k, train, test)
		}
		train, test = whole.pick(20, rand.New(rand.NewPCG(1, k)))
		if len(train) != 20 || len(test) != 10 || slices.ContainsFunc(test, func(x int) bool { return slices.Contains(train, x) }) {
			t.Fatalf("draw %d without a test set: %d, %d", k, train, test)
		}
	}
}
