package estimators

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/correctiontest"
)

// hazy are examples of which networks know few for sure: the posteriors are right, and the likeliest class is
// wrong for a third of them.
func hazy(t *testing.T, rng *rand.Rand, m *correction.Matrix, n int) correctiontest.Example {
	t.Helper()
	clean := correctiontest.Simplex(rng, n, m.Dim(), func(int) float64 { return max(0, 1-1.2*rng.Float64()*rng.Float64()) })
	return correctiontest.Drawn(t, rng, m, clean)
}

// Where no label is wrong and networks know few examples, T-hat is doubted; where a fifth is wrong, it is not,
// however few examples there are, and stays as it is.
func TestDoubt(t *testing.T) {
	clean, err := correction.Identity(correctiontest.Digits)
	if err != nil {
		t.Fatal(err)
	}
	symmetric, err := correction.Symmetric(correctiontest.Digits, .2)
	if err != nil {
		t.Fatal(err)
	}
	doubts, all, evidence := 0, 0, 0.
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 41))
		for _, n := range []int{500, 3000} {
			e := hazy(t, rng, clean, n)
			found := estimateExample(t, e, Options{Name: "vertices", Prior: 1, Alone: true})
			before := found.T.Trace()
			all++
			evidence += found.Evidence(e.Logits)
			if found.Doubt(e.Logits) {
				doubts++
				if left := (10 - found.T.Trace()) / (10 - before); left < .049 || left > .051 {
					t.Errorf("%.3f of the wrong labels are left, want .05", left)
				}
				if found.Unproven != nil { // networks that are surer than it speak against it
					t.Errorf("seed %d: T-hat counts as one that may be right", seed)
				}
			}
			for _, m := range []*correction.Matrix{symmetric, correctiontest.HighNoise(t, .4)} {
				e := hazy(t, rng, m, n)
				found := estimateExample(t, e, Options{Name: "vertices", Prior: 1, Alone: true})
				before := found.T
				if found.Doubt(e.Logits) || found.T != before {
					t.Errorf("seed %d: %d labels, of which a fifth is wrong: the evidence is %.1f", seed, n, found.Evidence(e.Logits))
				}
			}
		}
	}
	if mean := evidence / float64(all); mean > .7 { // labels that were counted are no evidence of the count
		t.Errorf("right labels: the mean evidence of wrong ones is %.2f", mean)
	}
	if doubts < all-2 {
		t.Errorf("of %d T-hats of right labels %d are doubted", all, doubts)
	}
}

// Where networks are hardly sure of any example and no label is wrong, T-hat is doubted that says that more than a
// quarter is, of two classes. Where networks know most examples, it is not, though their posteriors leave
// nothing for wrong labels to explain.
func TestDoubtOfHardExamples(t *testing.T) {
	identity, err := correction.Identity([]string{"neg", "pos"})
	if err != nil {
		t.Fatal(err)
	}
	symmetric, err := correction.Symmetric([]string{"neg", "pos"}, .3)
	if err != nil {
		t.Fatal(err)
	}
	doubted := 0
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 46))
		const n = 1500
		// Normal scores of which two thirds are on the right side.
		clean := make([][]float64, n)
		for x := range clean {
			score := rng.NormFloat64() + float64(2*(x%2)-1)*.4
			p := 1 / (1 + math.Exp(-.8*score))
			clean[x] = []float64{1 - p, p}
		}
		e := correctiontest.Drawn(t, rng, identity, clean)
		found := estimateExample(t, e, Options{Name: "vertices", Prior: 1, Alone: true})
		if noise := 1 - found.T.Trace()/2; noise < .25 {
			t.Errorf("seed %d: T-hat says that %.2f of the labels are wrong: this is no test", seed, noise)
		}
		before := found.T
		if found.Doubt(e.Logits) {
			doubted++
			if found.Unproven != before {
				t.Errorf("seed %d: T-hat is not kept", seed)
			}
		}
		known := correctiontest.Simplex(rng, n, 2, func(int) float64 { return 1 - .1*rng.Float64()*rng.Float64() })
		e = correctiontest.Drawn(t, rng, symmetric, known)
		found = estimateExample(t, e, Options{Name: "vertices", Prior: 1, Alone: true})
		if found.Doubt(e.Logits) {
			t.Errorf("seed %d: of %.2f known examples T-hat is doubted", seed, found.Known(e.Logits))
		}
	}
	if doubted < 8 {
		t.Errorf("of 10 T-hats of right labels %d are doubted", doubted)
	}
}

// Rows that are alike but for chance become alike, which brings them nearer to T; rows of few kinds of wrong
// labels are hardly changed.
func TestImagined(t *testing.T) {
	symmetric, err := correction.Symmetric(correctiontest.Digits, .2)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(43, 44))
	two, err := correction.Symmetric([]string{"a", "b"}, .2)
	if err != nil {
		t.Fatal(err)
	}
	if found := estimateExample(t, correctiontest.NewExample(t, rng, two, 2000), Options{Name: "vertices", Prior: 1, Alone: true}); found.Imagined != 1 {
		t.Errorf("%v examples are imagined for each of two rows, want 1", found.Imagined)
	}
	for _, tt := range []struct {
		m         *correction.Matrix
		low, high float64 // of the imagined examples
		better    float64 // least part of the error that is gone
	}{{symmetric, 60, mostImagined, .3}, {correctiontest.HighNoise(t, .4), 1, 10, -.2}} {
		e := correctiontest.NewExample(t, rng, tt.m, 2000)
		one := &reading{rows: zeros(10)}
		found := estimateExample(t, e, Options{Name: "vertices", Prior: 1, Alone: true})
		for i, near := range found.Near {
			for _, x := range near[:found.Counted[i]] {
				one.rows[i][e.Noisy[x]]++
			}
		}
		plain, pooled := correction.RowError(one.matrix(tt.m.Classes()), tt.m), correction.RowError(found.T, tt.m)
		if found.Imagined < tt.low || found.Imagined > tt.high || pooled > plain*(1-tt.better) {
			t.Errorf("%.1f imagined examples, want %v to %v; row error %.4f, without them %.4f", found.Imagined, tt.low, tt.high, pooled, plain)
		}
	}
}

// Where one class loses labels and the other does not, networks take the other for likelier, which does not hide
// the wrong labels.
func TestEvidenceOfOneSide(t *testing.T) {
	m, err := correction.NewMatrix([]string{"neg", "pos"}, [][]float64{{.7, .3}, {0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 45))
		clean := correctiontest.Simplex(rng, 3000, 2, func(int) float64 { return max(0, 1-1.2*rng.Float64()*rng.Float64()) })
		e := correctiontest.Drawn(t, rng, m, clean)
		for x := range e.Noisy { // a linear layer does not see that no example is surely labelled neg
			row := e.Logits[2*x : 2*x+2]
			row[0] = float32(.5*math.Log(clean[x][0]/clean[x][1])) - .8
			row[1] = 0
		}
		found := estimateExample(t, e, Options{Name: "vertices", Prior: 1, Alone: true})
		if gain := found.Evidence(e.Logits); gain < 2*LeastEvidence {
			t.Errorf("seed %d: the evidence of wrong labels is %.1f, want %v", seed, gain, 2*LeastEvidence)
		}
	}
}
