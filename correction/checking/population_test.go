package checking_test

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/expect"
)

// examples is the size of the populations of tests.
const examples = 4000

// labels are a population with two models and the truth.
type labels struct {
	wT, wE []float64
	wrong  []bool
	given  []int      // three classes; the last one has most wrong labels
	count  float64    // wrong labels
	class  [3]float64 // by given class
}

// population draws labels. A label is wrong with the probability unseen + (1 - unseen) u, where u = wE for the given
// share of the examples and wT for the others. Blind models are unrelated to the truth.
type population struct {
	name      string
	mean      float64 // of logit w
	deviation float64
	share     float64
	unseen    float64
	certain   float64 // share of wrong labels that both models are sure of
	blind     bool

	// The least coverage of the intervals for all labels and for a class. It is below .9 if the checks find few or none
	// of the wrong labels that neither model expects.
	all, class float64
	widest     float64 // largest mean half-width after 100 checks, as a share of the count
}

var populations = []population{
	{name: "by class", mean: -3, deviation: 3, all: .88, class: .85, widest: .33},
	{name: "by example", mean: -3, deviation: 3, share: 1, unseen: .005, all: .88, class: .85, widest: .2},
	{name: "both", mean: -1.5, deviation: 3, share: .5, unseen: .02, all: .88, class: .85, widest: .18},
	{name: "few", mean: -6, deviation: 3, share: .5, unseen: .01, all: .82, class: .77, widest: .62},
	{name: "surprises", mean: -5, deviation: .5, certain: .1, all: .88, class: .85, widest: .18},
	{name: "blind", unseen: .05, blind: true, all: .88, class: .85, widest: .75},
}

func (p population) labels(rng *rand.Rand) *labels {
	l := &labels{}
	for range examples {
		given := rng.IntN(3)
		z := p.mean + float64(given-1)/2 + p.deviation*rng.NormFloat64()
		if rng.Float64() < p.certain {
			z = 8
		}
		wT, wE := logistic(z-1+rng.NormFloat64()), logistic(z+1+rng.NormFloat64())
		u := wT
		if rng.Float64() < p.share {
			u = wE
		}
		if p.blind {
			wT, wE = rng.Float64()/10, rng.Float64()/5
			u = .03
		}
		wrong := rng.Float64() < p.unseen+(1-p.unseen)*u
		if wrong {
			l.count++
			l.class[given]++
		}
		l.wT, l.wE = append(l.wT, wT), append(l.wE, wE)
		l.given, l.wrong = append(l.given, given), append(l.wrong, wrong)
	}
	return l
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// w is the mixture with pi 1/2.
func (l *labels) w() []float64 {
	w := floats.AddTo(make([]float64, len(l.wT)), l.wT, l.wE)
	floats.Scale(.5, w)
	return w
}

// answers returns the answers of a person who makes no mistakes.
func (l *labels) answers(checks []checking.Check) []checking.Answer {
	out := make([]checking.Answer, len(checks))
	for k, c := range checks {
		out[k] = checking.Right
		if l.wrong[c.Index] {
			out[k] = checking.Wrong
		}
	}
	return out
}

// review draws n checks and counts wrong labels.
func (l *labels) review(t *testing.T, n int, rng *rand.Rand) *checking.Count {
	t.Helper()
	checks := draw(t, l.wT, l.wE, n, rng)
	return count(t, l.w(), checks, l.answers(checks))
}

func draw(t *testing.T, wT, wE []float64, n int, rng *rand.Rand) []checking.Check {
	t.Helper()
	return expect.Got(checking.NewDraw(wT, wE, n, rng))(t)
}

func count(t *testing.T, w []float64, checks []checking.Check, answers []checking.Answer) *checking.Count {
	t.Helper()
	return expect.Got(checking.NewCount(w, checks, answers))(t)
}

// reviews returns the number of simulated reviews.
func reviews() int {
	if os.Getenv("LOSSCORR_SLOW") != "" {
		return 4000
	}
	return 120
}
