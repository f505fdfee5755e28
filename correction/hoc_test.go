package correction

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/torch/torchtest"
)

// Neighbours, counts and T are those of the paper's method in plain PyTorch (torch 2.11.0,
// testdata/hoc.py).
func TestHOCEqualsReference(t *testing.T) {
	raw, err := os.ReadFile("testdata/hoc.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Features []float32
		Labels   []int
		Shares   []float64
		T        [][]float64
	}
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	torchtest.NoLeak(t, func() {
		shares := countTriples(3, golden.Labels, neighbours(golden.Features, len(golden.Labels)))
		torchtest.Near(t, "shares of triples", shares[2], golden.Shares, 1e-12)
		e, err := Estimate([]string{"a", "b", "c"}, make([]float32, 3*len(golden.Labels)), golden.Labels, EstimatorOptions{Name: "hoc", Features: golden.Features})
		if err != nil {
			t.Fatal(err)
		}
		// The last steps turn about the minimum, at a distance that rounding decides.
		for i, row := range e.T.Rows() {
			torchtest.Near(t, "T-hat", row, golden.T[i], 2e-3)
		}
	})
}

// Clouds that are apart give T, whatever the posteriors are, in unequal classes and with
// features of 0 too.
func TestHOCFindsT(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 92))
	const n, c, d = 6000, 4, 8
	m, err := Asymmetric([]string{"a", "b", "c", "d"}, .35, []Flip{{From: "a", To: "b"}, {From: "b", To: "c"}, {From: "d", To: "a"}})
	if err != nil {
		t.Fatal(err)
	}
	clean, features, logits := make([]int, n), make([]float32, n*d), make([]float32, n*c)
	for x := range clean {
		clean[x] = min(rng.IntN(6), 3) // half of them in class 3
		for k := range d {
			features[x*d+k] = .3 * float32(rng.NormFloat64())
		}
		features[x*d+clean[x]] += 2
	}
	copy(features[:d], make([]float32, d))
	for k := range logits {
		logits[k] = float32(rng.NormFloat64())
	}
	noisy, err := m.Corrupt(clean, rng)
	if err != nil {
		t.Fatal(err)
	}
	torchtest.NoLeak(t, func() {
		e, err := Estimate(m.Classes(), logits, noisy, EstimatorOptions{Name: "hoc", Features: features})
		if err != nil {
			t.Fatal(err)
		}
		if got := RowError(e.T, m); got > .05 {
			t.Errorf("row error %.3f, T-hat %v", got, e.T.Rows())
		}
	})
}

// A class without a label is named.
func TestHOCNamesAbsentClass(t *testing.T) {
	torchtest.NoLeak(t, func() {
		e, err := Estimate([]string{"cat", "dog", "newt"}, make([]float32, 18), []int{0, 1, 0, 1, 0, 1}, EstimatorOptions{Name: "hoc", Features: make([]float32, 6)})
		if err != nil || !strings.Contains(strings.Join(e.Warnings, "; "), "no example is labelled newt") {
			t.Errorf("%v, %v", e, err)
		}
	})
}

func TestHOCRefuses(t *testing.T) {
	for want, o := range map[string]EstimatorOptions{
		"0 features for 3 examples": {},
		"4 features for 3 examples": {Features: make([]float32, 4)},
	} {
		o.Name = "hoc"
		if _, err := Estimate([]string{"a", "b"}, make([]float32, 6), []int{0, 1, 0}, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	o := EstimatorOptions{Name: "hoc", Features: make([]float32, 2)}
	if _, err := Estimate([]string{"a", "b"}, make([]float32, 4), []int{0, 1}, o); err == nil || !strings.Contains(err.Error(), "two neighbours") {
		t.Errorf("two examples: %v", err)
	}
	if _, err := Estimate([]string{"a", "b"}, make([]float32, 4), nil, o); err == nil || !strings.Contains(err.Error(), "noisy labels are missing") {
		t.Errorf("no labels: %v", err)
	}
	many := make([]string, 201)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	if _, err := Estimate(many, make([]float32, 201), []int{0}, o); err == nil || !strings.Contains(err.Error(), "201 classes") {
		t.Errorf("201 classes: %v", err)
	}
}

// Of more examples than the limit those at equal distances are taken, with their labels.
func TestHOCThins(t *testing.T) {
	features, labels := make([]float32, 20), make([]int, 10)
	for x := range labels {
		labels[x], features[2*x] = x, float32(x)
	}
	fewer, of := thinned(features, labels, 4)
	for k, want := range []int{0, 2, 5, 7} {
		if of[k] != want || fewer[2*k] != float32(want) {
			t.Errorf("%v and %v, want examples 0, 2, 5, 7", of, fewer)
		}
	}
	if len(fewer) != 8 {
		t.Errorf("%d features", len(fewer))
	}
}
