package main

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/optimize"

	"github.com/losscorr/losscorr/torch"
)

// Theorem 2: the expected forward loss under noise and the expected cross-entropy on clean labels have the same
// minimiser, the true class probabilities.
var theorem2 = []property{
	{
		Statement: "Theorem 2", Measured: "minimiser of the expected forward loss against the true posterior", Bound: 1e-5,
		Cell: cell{forward, expectation}, trial: func(rng *rand.Rand) float64 { return displacement(rng, forward) },
	},
	{
		Statement: "Theorem 2", Measured: "gradient of the expected forward loss at the true posterior", Bound: 1e-12,
		trial: stationary,
	},
	{
		Statement: "no guarantee", Measured: "minimiser of the expected cross-entropy, without correction", Bound: 1e-2,
		Differs: true,
		trial:   func(rng *rand.Rand) float64 { return displacement(rng, crossEntropy) },
	},
}

// displacement minimises an expected loss under noise from random logits and returns the distance of the result from
// the true posterior.
func displacement(rng *rand.Rand, name string) float64 {
	c := 2 + rng.IntN(4)
	t := randomT(rng, c)
	p := posterior(rng, c)
	q, l := noisy(p, t), loss(name, t)
	evaluate := func(x []float64) (value float64, gradient []float64) {
		torch.Scope(func() {
			z := torch.FromSlice(x, 1, c).SetRequiresGrad(true)
			v := expected(l, z, q)
			value, gradient = v.Item(), values(torch.Grad(v, []torch.Tensor{z}, false)[0])
		})
		return value, gradient
	}
	problem := optimize.Problem{
		Func: func(x []float64) float64 { v, _ := evaluate(x); return v },
		Grad: func(g, x []float64) { _, d := evaluate(x); copy(g, d) },
	}
	start := values(normal(rng, 1, c))
	// The line search ends once rounding hides any further descent. The optimizer reports that as an error, but its
	// result counts.
	end, _ := optimize.Minimize(problem, start, &optimize.Settings{GradientThreshold: 1e-10}, &optimize.BFGS{})
	return apart(values(torch.FromSlice(end.X, 1, c).Softmax(1)), p)
}

// stationary returns the gradient of the expected forward loss at the logits of the true posterior.
func stationary(rng *rand.Rand) float64 {
	c := classes(rng)
	t := randomT(rng, c)
	p := posterior(rng, c)
	z := torch.FromSlice(p, 1, c).Log().SetRequiresGrad(true)
	g := torch.Grad(expected(loss(forward, t), z, noisy(p, t)), []torch.Tensor{z}, false)[0]
	return apart(values(g), make([]float64, c))
}
