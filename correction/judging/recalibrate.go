package judging

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
)

// Recalibrate sets the probabilities of wrong labels to others in the same order, which random
// checks bear out. The other classes of an example share its probability as before, so that
// the suggestion becomes the likeliest class by the new probability. The ranking stays. Panics if
// there is not one probability for each label.
func (a *Audited) Recalibrate(wrong []float64) {
	if len(wrong) != len(a.Wrong) {
		panic(fmt.Sprintf("correction: recalibrate: %d probabilities for %d labels", len(wrong), len(a.Wrong)))
	}
	clear(a.ExpectedByClass)
	for x, given := range a.given {
		a.Wrong[x] = wrong[x]
		a.ExpectedByClass[given] += wrong[x]
		if a.t != nil {
			a.suggest(x)
		}
	}
	a.ExpectedWrong = floats.Sum(a.ExpectedByClass)
}

// suggest sets the likeliest label of an example by the probability that the given one is wrong.
func (a *Audited) suggest(x int) {
	given, c := a.given[x], a.t.Dim()
	joint := make([]float64, c)
	for k, v := range a.g[x*c : (x+1)*c] {
		if k != given {
			joint[k] = a.t.At(k, given) * float64(v)
		}
	}
	others := floats.Sum(joint)
	if others == 0 { // no other class is known
		return
	}
	floats.Scale(a.Wrong[x]/others, joint)
	joint[given] = 1 - a.Wrong[x]
	a.Suggested[x] = likeliest(joint, given)
}
