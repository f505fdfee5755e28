package estimators

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

// hazyEvidence returns the evidence for T-hat of n labels drawn by m, and T-hat. The networks give the clean
// posteriors, whose likeliest class is wrong for a third of the examples, and have not learned the noise.
func hazyEvidence(t *testing.T, seed uint64, m *correction.Matrix, n int) (Evidence, *Estimation) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 41))
	clean := correctiontest.Simplex(rng, n, m.Dim(), func(int) float64 {
		return max(0, 1-1.2*rng.Float64()*rng.Float64())
	})
	e := correctiontest.Drawn(t, rng, m, clean)
	for x, row := range clean {
		for k, p := range row {
			e.Logits[x*len(row)+k] = float32(.8 * math.Log(max(p, 1e-9)))
		}
	}
	found := estimateExample(t, e, Options{Name: "vertices", Prior: 1, Alone: true})
	return found.Evidence(e.Logits), found
}

// Right labels give no evidence of mistakes, whatever T-hat is; a fifth of wrong labels does.
func TestEvidence(t *testing.T) {
	clean := symmetric(t, correctiontest.Digits, 0)
	fifth := symmetric(t, correctiontest.Digits, .2)
	sum, noise := 0., 0.
	for seed := range uint64(3) {
		for _, n := range []int{1000, 3000} {
			v, found := hazyEvidence(t, seed, clean, n)
			if sum, noise = sum+v.Nats/6, noise+(1-found.T.Trace()/10)/6; v.Shown() {
				t.Errorf("seed %d: %d right labels: the evidence is %+v", seed, n, v)
			}
			for _, m := range []*correction.Matrix{fifth, correctiontest.HighNoise(t, .4)} {
				if v, _ := hazyEvidence(t, seed, m, n); !v.Shown() || v.Share < .5 || n == 3000 && v.Nats < 100 {
					t.Errorf("seed %d: %d labels, a fifth of them wrong: the evidence is %+v", seed, n, v)
				}
			}
		}
	}
	// T-hat explains labels as wrong where networks are unsure, but its own counts give no evidence.
	if sum > .7 || noise < .02 {
		t.Errorf("right labels: mean evidence %.2f for a T-hat of %.2f noise", sum, noise)
	}
	// Random posteriors give no evidence either; their T-hat is nearly uniform.
	rng := rand.New(rand.NewPCG(3, 4))
	e := correctiontest.NewExample(t, rng, symmetric(t, correctiontest.Digits[:3], .2), 900)
	for k := range e.Logits {
		e.Logits[k] = float32(math.Log(rng.ExpFloat64()))
	}
	found := estimateExample(t, e, Options{Name: "vertices", Prior: 1, Alone: true})
	expect.Same(t, 0, found.Evidence(e.Logits).Share, "share by unrelated posteriors")
}

// A label is left out of the row that it was counted for.
func TestEvidenceLeavesOneOut(t *testing.T) {
	e := &Estimation{T: correction.Normalized([]string{"a", "b"}, [][]float64{{2, 1}, {1, 2}}), noisy: []int{0, 1, 0, 1},
		counts: counts{[][]int{{0, 1, 2}, {3, 2, 1}}, []int{2, 2}, 1}}
	// Rows hold 3 labels with the pseudo-example: (2-1)/(3-1) without a right label, (1-1)/(3-1) without a wrong one.
	want := []float64{.5, 1. / 3, 0, 2. / 3, 2. / 3, 0, 1. / 3, .5}
	expect.Same(t, want, e.columns(4), cmpopts.EquateApprox(0, 1e-12), "probabilities by example and row")
}

// Networks that have learned the mistakes explain the labels without T and are recognised by their doubt about the
// surest examples; weak networks are not mistaken for them.
func TestLearnedMistakes(t *testing.T) {
	m := correctiontest.HighNoise(t, .4)
	for name, tt := range map[string]struct {
		alpha float64
		want  bool
	}{"sure of most examples": {.05, true}, "sure of few": {1, false}} {
		rng := rand.New(rand.NewPCG(5, 6))
		clean := correctiontest.Simplex(rng, 1500, 10, func(int) float64 {
			if rng.Float64() < tt.alpha {
				return rng.Float64()
			}
			return 1
		})
		e := correctiontest.Drawn(t, rng, m, clean) // logits are log p(ỹ|x)
		v := estimateExample(t, e, Options{Name: "vertices", Prior: 1, Alone: true}).Evidence(e.Logits)
		expect.Same(t, tt.want, v.Learned, "networks that are", name)
		if v.Learned && (!v.Shown() || v.Probability() != 1 || v.Nats >= shownNats) {
			t.Errorf("networks that are %s: %+v", name, v)
		}
	}
}

// Of returns all of T-hat from 8 nats on, and otherwise only the supported share.
func TestEvidenceOf(t *testing.T) {
	m := correction.Normalized([]string{"a", "b"}, [][]float64{{.6, .4}, {.2, .8}})
	for v, want := range map[Evidence]float64{{Nats: 8, Share: .1}: .6, {Nats: 7.9, Share: .1}: .96,
		{Nats: 7.9, Share: 1}: .6, {Learned: true}: .6, {}: 1} {
		if got := v.Of(m); math.Abs(got.At(0, 0)-want) > 1e-12 || math.Abs(got.At(1, 1)-(1+want)/2) > 1e-12 {
			t.Errorf("%+v: the diagonal is %v and %v, want %v and %v", v, got.At(0, 0), got.At(1, 1), want, (1+want)/2)
		}
	}
}

// If only one of two classes loses labels, networks favour the other, which does not hide the wrong labels.
func TestEvidenceOfOneSide(t *testing.T) {
	m := correction.Normalized([]string{"neg", "pos"}, [][]float64{{.7, .3}, {0, 1}})
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 45))
		clean := correctiontest.Simplex(rng, 3000, 2, func(int) float64 { return max(0, 1-1.2*rng.Float64()*rng.Float64()) })
		e := correctiontest.Drawn(t, rng, m, clean)
		for x := range e.Noisy { // a linear layer cannot know that no example is surely labelled neg
			row := e.Logits[2*x : 2*x+2]
			row[0] = float32(.5*math.Log(clean[x][0]/clean[x][1])) - .8
			row[1] = 0
		}
		found := estimateExample(t, e, Options{Name: "vertices", Prior: 1, Alone: true})
		if v := found.Evidence(e.Logits); v.Nats < 2*shownNats {
			t.Errorf("seed %d: the evidence of wrong labels is %.1f, want %v", seed, v.Nats, 2*shownNats)
		}
	}
}
