package checking_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction/checking"
)

// A wrong label that only wE foresaw adds one to the first parameter of the prior Beta(4, 4),
// and a right one to the second.
func TestPi(t *testing.T) {
	zeros, ones := constant(0, 100), constant(1, 100)
	for wrong := range 7 {
		answers := make([]checking.Answer, 6)
		for k := range answers {
			answers[k] = checking.Right
			if k < wrong {
				answers[k] = checking.Wrong
			}
		}
		c := count(t, constant(.5, 100), uniform(6), answers)
		want := float64(4+wrong) / 14
		if pi, _ := c.Pi(zeros, ones, .5); math.Abs(pi-want) > 1e-3 {
			t.Errorf("%d of 6 wrong: pi is %v, want %v", wrong, pi, want)
		}
		if pi, _ := c.Pi(ones, zeros, .5); math.Abs(pi-(1-want)) > 1e-3 {
			t.Errorf("%d of 6 wrong: pi of the models exchanged is %v, want %v", wrong, pi, 1-want)
		}
		if pi, _ := c.Pi(ones, ones, .5); math.Abs(pi-.5) > 1e-9 {
			t.Errorf("%d of 6 wrong: pi of equal models is %v", wrong, pi)
		}
	}
}

// Checks find which model made the mistakes.
func TestPiOfPopulations(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	byClass, byExample := populations[0].labels(rng), populations[1].labels(rng)
	if pi, _ := byClass.review(t, 200, rng).Pi(byClass.wT, byClass.wE, .5); pi > .3 {
		t.Errorf("pi is %.3f where mistakes depend on the class", pi)
	}
	if pi, _ := byExample.review(t, 200, rng).Pi(byExample.wT, byExample.wE, .5); pi < .7 {
		t.Errorf("pi is %.3f where mistakes depend on the example", pi)
	}
}
