package main

import (
	"math"
	"math/rand/v2"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
)

// Theorem 3: at a perfect example of class i, an anchor, the exact posterior of the noisy label is row i of T.
// Equation 12 finds the anchor as the argmax of column i, if no other class is given the label i more often than
// class i. Logits are float32, as from networks, which limits the accuracy.
var theorem3 = []property{
	{
		Statement: "Theorem 3", Measured: "T-hat on exact posteriors with an anchor a class against T", Bound: 1e-5,
		trial: func(rng *rand.Rand) float64 { return misestimate(rng, randomT(rng, classes(rng))) },
	},
	{
		Statement: "Equation 12 alone",
		Measured:  "the same where two classes swap .6 of their labels, and with them rows of T-hat", Bound: 1e-2,
		Differs: true,
		trial: func(rng *rand.Rand) float64 {
			c := classes(rng)
			rows := must(correction.Identity(randomT(rng, c).Classes())).Rows()
			rows[0][0], rows[0][1], rows[1][0], rows[1][1] = .4, .6, .6, .4
			return misestimate(rng, must(correction.NewMatrix(randomT(rng, c).Classes(), rows)))
		},
	},
}

func misestimate(rng *rand.Rand, t *correction.Matrix) float64 {
	c := t.Dim()
	var logits []float32
	for k := range 50 * c {
		p := posterior(rng, c)
		if k < c { // its anchor
			clear(p)
			p[k] = 1
		}
		for _, v := range noisy(p, t) {
			logits = append(logits, float32(max(math.Log(v), -100)))
		}
	}
	e := must(estimators.Estimate(t.Classes(), logits, nil, estimators.Options{Name: "argmax"}))
	d := 0.0
	for i, row := range e.T.Rows() {
		d = max(d, apart(row, t.Rows()[i]))
	}
	return d
}
