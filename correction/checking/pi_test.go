package checking_test

import (
	"math"
	"testing"
)

// A wrong label that only wE predicts adds one to the first parameter of the prior Beta(4, 4), and a right one adds
// one to the second.
func TestPi(t *testing.T) {
	zeros, ones := constant(0, 100), constant(1, 100)
	for wrong := range 7 {
		c := count(t, constant(.5, 100), uniform(6), answersOf(wrong, 6))
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
