package main

import (
	"math"
	"math/rand/v2"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
)

// Theorem 4: with ReLUs the Hessian of cross-entropy does not depend on the
// labels, nor on a backward correction by any T. The proof writes the loss as
//
//	L(z, y) = A(z) + B(z),   A = logsumexp(z),   B = -(T^-1 z)_y
//
// and takes B for piece-wise linear in the parameters, so that its second derivatives vanish. But the logits z are
// piece-wise linear only in the parameters of each layer, with products between layers. So the theorem holds for the
// block of each layer but not for blocks between layers. With the true T, the whole Hessian is unchanged in
// expectation for any activation, because by Theorem 1 the whole function is.
var theorem4 = []property{
	{
		Statement: "Theorem 4", Measured: "ReLU, blocks of one layer: cross-entropy on noisy labels against clean ones",
		Bound: 1e-9,
		Cell:  cell{crossEntropy, hessian},
		trial: func(rng *rand.Rand) float64 { return curvature(rng, crossEntropy, torch.Tensor.ReLU, withinLayers) },
	},
	{
		Statement: "Theorem 4", Measured: "ReLU, blocks of one layer: backward by any T, noisy labels, against clean " +
			"cross-entropy", Bound: 1e-9,
		Cell:  cell{backward, hessian},
		trial: func(rng *rand.Rand) float64 { return curvature(rng, backward, torch.Tensor.ReLU, withinLayers) },
	},
	{
		Statement: "Theorem 4 as worded", Measured: "ReLU, blocks between two layers: the same", Bound: 1e-2, Differs: true,
		trial: func(rng *rand.Rand) float64 { return curvature(rng, backward, torch.Tensor.ReLU, betweenLayers) },
	},
	{
		Statement: "no guarantee", Measured: "ReLU, blocks of one layer: forward", Bound: 1e-2, Differs: true,
		Cell:  cell{forward, hessian},
		trial: func(rng *rand.Rand) float64 { return curvature(rng, forward, torch.Tensor.ReLU, withinLayers) },
	},
	{
		Statement: "no guarantee", Measured: "sigmoid, blocks of one layer: backward", Bound: 1e-2, Differs: true,
		trial: func(rng *rand.Rand) float64 { return curvature(rng, backward, torch.Tensor.Sigmoid, withinLayers) },
	},
	{
		Statement: "Theorem 1", Measured: "sigmoid, whole Hessian: expected backward loss by the true T", Bound: 1e-9,
		trial: func(rng *rand.Rand) float64 { return expectedCurvature(rng, torch.Tensor.Sigmoid) },
	},
}

const inputs, hidden, outputs, examples = 3, 3, 3, 4

// network has two hidden layers; params holds a weight and a bias of each.
type network struct {
	params     []torch.Tensor
	activation func(torch.Tensor) torch.Tensor
}

// newNetwork draws a network and inputs that keep every unit away from its kink.
func newNetwork(rng *rand.Rand, activation func(torch.Tensor) torch.Tensor) (network, torch.Tensor) {
	n := network{activation: activation}
	for _, size := range [][2]int{{hidden, inputs}, {hidden, hidden}, {outputs, hidden}} {
		n.params = append(n.params, normal(rng, 1, size[0], size[1]), normal(rng, .5, size[0]))
	}
	for {
		x := normal(rng, 1, examples, inputs)
		if _, nearest := n.forward(x); nearest > 1e-3 {
			for _, p := range n.params {
				p.SetRequiresGrad(true)
			}
			return n, x
		}
	}
}

// forward returns the logits and the smallest magnitude of an activation's input.
func (n network) forward(x torch.Tensor) (logits torch.Tensor, nearest float64) {
	nearest = math.Inf(1)
	for k := 0; k < len(n.params); k += 2 {
		if k > 0 {
			nearest = min(nearest, x.Abs().Amin().Item())
			x = n.activation(x)
		}
		x = x.Linear(n.params[k], n.params[k+1])
	}
	return x, nearest
}

// layers returns the layer of each element of the parameters.
func (n network) layers() []int {
	var out []int
	for k, p := range n.params {
		for range p.Numel() {
			out = append(out, k/2)
		}
	}
	return out
}

func withinLayers(a, b int) bool  { return a == b }
func betweenLayers(a, b int) bool { return a != b }

// curvature compares the Hessian of a loss by any T on noisy labels with the Hessian of cross-entropy on clean
// labels, at the entries that of selects by the layers of their two parameters.
func curvature(rng *rand.Rand, name string, activation func(torch.Tensor) torch.Tensor,
	of func(a, b int) bool) float64 {
	n, x := newNetwork(rng, activation)
	t := randomT(rng, outputs)
	clean, given := labels(rng, examples, outputs), labels(rng, examples, outputs)
	hessian := func(l losses.Loss, y torch.Tensor) []float64 {
		z, _ := n.forward(x)
		return values(torch.Hessian(l.Apply(z, y), n.params).Reshape(-1))
	}
	got, want := hessian(loss(name, t), given), hessian(loss(crossEntropy, t), clean)
	layers := n.layers()
	d := 0.0
	for i, a := range layers {
		for j, b := range layers {
			if k := i*len(layers) + j; of(a, b) {
				d = max(d, apart(got[k:k+1], want[k:k+1]))
			}
		}
	}
	return d
}

// expectedCurvature compares the Hessian of the backward loss, in expectation over labels corrupted by its T, with
// the Hessian of cross-entropy on clean labels.
func expectedCurvature(rng *rand.Rand, activation func(torch.Tensor) torch.Tensor) float64 {
	n, x := newNetwork(rng, activation)
	t := randomT(rng, outputs)
	y := labels(rng, examples, outputs)
	corrected := loss(backward, t)
	z, _ := n.forward(x)
	sum := torch.Scalar(0, double)
	for k, class := range torch.Slice[int64](y) {
		sum = sum.Add(expected(corrected, z.Narrow(0, k, 1), t.Rows()[class]).DivScalar(examples))
	}
	want := torch.Hessian(loss(crossEntropy, t).Apply(z, y), n.params)
	return apart(values(torch.Hessian(sum, n.params).Reshape(-1)), values(want.Reshape(-1)))
}
