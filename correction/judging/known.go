package judging

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

// Know replaces the judgement of an example by what a person says of it: its label is
// right or wrong for certain, and the suggestion is the true label.
func (a *Audited) Know(t correction.Trusted) {
	x, given := t.Index, a.given[t.Index]
	wrong := 0.
	a.odds[x] = math.Inf(1)
	if t.Label != given {
		wrong, a.odds[x] = 1, 0
	}
	a.ExpectedByClass[given] += wrong - a.Wrong[x]
	a.ExpectedWrong = floats.Sum(a.ExpectedByClass)
	a.Wrong[x], a.Suggested[x], a.doubt[x], a.sure[x] = wrong, t.Label, 0, 1
}
