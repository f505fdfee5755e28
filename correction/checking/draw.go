package checking

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Check is one draw of an example.
type Check struct {
	Index  int     // of the example
	Chance float64 // q, the probability that one draw picks this example
}

// NewDraw draws n checks with replacement. One draw picks example i with the probability
//
//	q = 1/(2N) + |wT - wE| / (2 sum of |wT - wE|)
//
// or 1/N if wT equals wE everywhere. An example drawn twice is two checks.
//
// It is an error if there are no examples, wT and wE differ in length, a value is not in [0, 1], or n is below 1.
func NewDraw(wT, wE []float64, n int, rng *rand.Rand) ([]Check, error) {
	if len(wT) == 0 || len(wE) != len(wT) || n < 1 {
		return nil, fmt.Errorf("checking: cannot draw %d checks from %d and %d probabilities", n, len(wT), len(wE))
	}
	if err := cmp.Or(validate(wT), validate(wE)); err != nil {
		return nil, err
	}
	q := make([]float64, len(wT))
	for x := range q {
		q[x] = math.Abs(wT[x] - wE[x])
	}
	uniform := 1 / float64(len(q))
	if sum := floats.Sum(q); sum > 0 {
		floats.Scale(.5/sum, q)
		uniform /= 2
	}
	floats.AddConst(uniform, q)
	draw := distuv.NewCategorical(q, rng)
	checks := make([]Check, n)
	for k := range checks {
		x := int(draw.Rand())
		checks[k] = Check{Index: x, Chance: q[x]}
	}
	return checks, nil
}

// validate returns an error if a value is not a probability.
func validate(w []float64) error {
	for x, v := range w {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("checking: example %d: %v is not a probability", x, v)
		}
	}
	return nil
}
