package judging

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction/correctiontest"
	"github.com/losscorr/losscorr/correction/estimators"
)

// judged estimates T from the logits as an audit does, and judges the labels.
func (d made) judged(t *testing.T) *Model {
	t.Helper()
	e, err := estimators.Estimate(d.t.Classes(), d.logits, d.given, estimators.Options{Name: "vertices", Prior: 1, Alone: true})
	if err != nil {
		t.Fatal(err)
	}
	v := e.Evidence(d.logits)
	d.t = v.Of(e.T)
	f := d.fit(t, Input{Refit: v.Shown()})
	return newModel(t, f.G, d.given, f.T, v.Nats)
}

// f1 is the F1 of the labels called wrong.
func (d made) f1(w []float64) float64 {
	both, either := 0., 0.
	for x, y := range d.given {
		switch called, wrong := w[x] > LikelyWrong, y != d.truth[x]; {
		case called && wrong:
			both++
		case called || wrong:
			either++
		}
	}
	return 2 * both / (2*both + either)
}

// From logits and labels to w: of class-dependent mistakes w finds nearly as many as Bayes' rule with the true T and
// posteriors, of mistakes in hard examples more than w_T does, and where no label is wrong few are expected to be.
func TestAudit(t *testing.T) {
	const n, c = 6000, 5
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 105))
		m := correctiontest.RandomMatrix(t, rng, c)
		right := estimators.Evidence{}.Of(m) // T of right labels: the identity
		d := newMade(t, rng, m, n, .5)
		model, best := d.judged(t), newModel(t, d.g, d.given, m, 1000)
		if w, most := d.f1(model.Mixture(model.Pi)), d.f1(best.ClassDependent); w < most-.05 {
			t.Errorf("class-dependent mistakes: F1 %.3f, by Bayes' rule %.3f", w, most)
		}

		// Each tenth example is hard: networks are hardly less sure of it, and three in ten people take it for another class.
		hard := newMade(t, rng, right, n, .5)
		for x, y := range hard.truth {
			row := hard.logits[x*c : (x+1)*c]
			for k := range row {
				row[k] = float32(.5 * rng.NormFloat64())
			}
			row[y] += 4
			if other := (y + 1 + rng.IntN(c-1)) % c; x%10 == 0 {
				if row[other] += .6; rng.Float64() < .3 {
					hard.given[x] = other
				}
			}
		}
		model = hard.judged(t)
		if w, byT := hard.f1(model.Mixture(model.Pi)), hard.f1(model.ClassDependent); w < byT+.1 {
			t.Errorf("instance-dependent mistakes: F1 %.3f, by w_T %.3f", w, byT)
		}

		clean := newMade(t, rng, right, n, .5)
		if r := clean.judged(t).Range(nil); r.Low > .01*n {
			t.Errorf("right labels: %.0f to %.0f of %d are wrong", r.Low, r.High, n)
		}
	}
}
