package main

import (
	"math/rand/v2"

	"github.com/losscorr/losscorr/torch"
)

// Theorem 1: the expectation of the backward loss over the noisy label of an
// example, ỹ ~ T[y], is the loss of its true label.
var theorem1 = []property{
	{
		Statement: "Theorem 1", Measured: "expected backward loss against the clean loss", Bound: 1e-10,
		Cell: cell{backward, expectation}, trial: func(rng *rand.Rand) float64 { return bias(rng, backward, false) },
	},
	{
		Statement: "Theorem 1", Measured: "its gradient", Bound: 1e-10,
		trial: func(rng *rand.Rand) float64 { return bias(rng, backward, true) },
	},
	{
		Statement: "no guarantee", Measured: "expected cross-entropy, without correction", Bound: 1e-2, Differs: true,
		Cell: cell{crossEntropy, expectation}, trial: func(rng *rand.Rand) float64 { return bias(rng, crossEntropy, false) },
	},
}

// bias compares the expectation of a loss under noise with cross-entropy on the true label, or the gradients of both
// by the logits.
func bias(rng *rand.Rand, name string, gradient bool) float64 {
	c := classes(rng)
	t := randomT(rng, c)
	z := normal(rng, 3, 1, c).SetRequiresGrad(true)
	y := rng.IntN(c)
	noise := make([]float64, c)
	for j := range noise {
		noise[j] = t.At(y, j)
	}
	got := expected(loss(name, t), z, noise)
	want := loss(crossEntropy, t).Apply(z, torch.FromSlice([]int64{int64(y)}))
	if gradient {
		got, want = torch.Grad(got, []torch.Tensor{z}, false)[0], torch.Grad(want, []torch.Tensor{z}, false)[0]
	}
	return apart(values(got.Reshape(-1)), values(want.Reshape(-1)))
}
