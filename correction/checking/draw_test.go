package checking_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction/checking"
)

// Strata are of neighbouring w and about equal sums; each round has one example of each, and
// the probabilities are the shares of the strata that were drawn.
func TestNewDraw(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	l := populations[0].labels(examples, rng)
	d, err := checking.NewDraw(l.w, 100, 500, rng)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Sizes) != 10 || len(d.Checks) != 500 {
		t.Fatalf("%d strata and %d checks", len(d.Sizes), len(d.Checks))
	}
	total, seen := 0, map[int]bool{}
	lowest, highest := make([]float64, 10), make([]float64, 10)
	for h, n := range d.Sizes {
		total += n
		lowest[h] = 1
	}
	for k, c := range d.Checks {
		if seen[c.Index] {
			t.Fatalf("example %d is drawn twice", c.Index)
		}
		seen[c.Index] = true
		if round := k / 10 * 10; k%10 == 9 {
			strata := map[int]bool{}
			for _, c := range d.Checks[round : k+1] {
				strata[c.Stratum] = true
			}
			if len(strata) != 10 {
				t.Errorf("round %d has %d strata", k/10, len(strata))
			}
		}
		lowest[c.Stratum], highest[c.Stratum] = min(lowest[c.Stratum], l.w[c.Index]), max(highest[c.Stratum], l.w[c.Index])
	}
	if total != examples {
		t.Errorf("strata of %d examples", total)
	}
	for h := range 9 {
		if highest[h] > lowest[h+1] {
			t.Errorf("stratum %d has w up to %v, and the next from %v", h, highest[h], lowest[h+1])
		}
	}
	if d.Sizes[0] < 2*d.Sizes[9] {
		t.Errorf("sizes %v: unlikely labels are drawn as often as doubtful ones", d.Sizes)
	}
	sum := 0.
	for _, p := range d.Probabilities(95) { // Horvitz and Thompson: each stands for 1/p
		sum += 1 / p
	}
	if math.Abs(sum-examples) > 1e-6 {
		t.Errorf("the checks stand for %v labels, want %d", sum, examples)
	}
}

// A stratum that is used up leaves the rounds to the others, until all is drawn.
func TestDrawAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	w := make([]float64, 57)
	for x := range w {
		w[x] = math.Pow(float64(x)/57, 6)
	}
	d, err := checking.NewDraw(w, 30, 1000, rng)
	if err != nil || len(d.Checks) != 57 {
		t.Fatalf("%d checks, %v", len(d.Checks), err)
	}
	for k, p := range d.Probabilities(57) {
		if p != 1 {
			t.Errorf("check %d was drawn with the probability %v", k, p)
		}
	}
}

func TestBestThreshold(t *testing.T) {
	// Of 1, .9, .4, .1 the best F1 flags two: 2 x 1.9 / (2 + 2.4).
	at, f1 := checking.BestThreshold([]float64{.1, 1, .4, .9})
	if want := 3.8 / 4.4; math.Abs(f1-want) > 1e-9 || math.Abs(at-want/2) > 1e-9 {
		t.Errorf("threshold %v, F1 %v; want %v, %v", at, f1, want/2, want)
	}
	if at, f1 := checking.BestThreshold([]float64{0, 0}); at != 1 || f1 != 0 {
		t.Errorf("threshold %v, F1 %v of right labels", at, f1)
	}
}
