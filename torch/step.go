package torch

// #include "loader.h"
import "C"

import "fmt"

// The steps below update all parameters in one unrecorded call, with libtorch's fused kernels. Programs use package
// optim. A parameter without a gradient keeps its value and state. Gradients and state may be laid out differently
// from their parameter, at the cost of a copy. Steps panic before any change if a gradient or state differs from its
// parameter in shape, dtype or device.
//
// On a GPU, Rate, a Float32 tensor of no dimensions on the device, may replace LearningRate. Filling it also changes
// the rate of recorded steps.

// ZeroGrad removes the gradients of params.
func ZeroGrad(params []Tensor) {
	p, n := handles(params)
	check("zero_grad", C.lt_zero_grad(p, n))
}

// SGD holds the constants of stochastic gradient descent.
type SGD struct {
	LearningRate, Momentum, WeightDecay float64
	Rate                                Tensor
}

// Step moves params, with momenta of their shapes, from 0 (none if Momentum is 0):
//
//	g = grad + WeightDecay p;  m = Momentum m + g;  p = p - LearningRate m
func (o SGD) Step(params, momenta []Tensor) {
	p, n := handles(params)
	if o.Momentum != 0 {
		sameLength("sgd_step", "momenta", params, momenta)
	}
	m, _ := handles(momenta)
	check("sgd_step", C.lt_sgd_step(p, m, n, C.double(o.LearningRate), o.Rate.h, C.double(o.Momentum),
		C.double(o.WeightDecay)))
}

// AdaGrad holds the constants of the adaptive gradient method of Duchi et al. (2011).
type AdaGrad struct {
	LearningRate, Epsilon, WeightDecay float64
	Rate                               Tensor
}

// Step moves params, with sums of squared gradients of their shapes:
//
//	g = grad + WeightDecay p;  s = s + g^2;  p = p - LearningRate g / (sqrt(s) + Epsilon)
func (o AdaGrad) Step(params, sums []Tensor) {
	p, n := handles(params)
	sameLength("adagrad_step", "sums", params, sums)
	s, _ := handles(sums)
	check("adagrad_step", C.lt_adagrad_step(p, s, n, C.double(o.LearningRate), o.Rate.h, C.double(o.Epsilon),
		C.double(o.WeightDecay)))
}

// Adam holds the constants of the method of Kingma and Ba (2015).
type Adam struct {
	LearningRate, Beta1, Beta2, Epsilon, WeightDecay float64
	Rate                                             Tensor
	// on a GPU, like Rate: the number of the step in place of Step's argument
	Count Tensor
}

// Step moves params, with running means of the gradients and of their squares. At step n, the number, from 1:
//
//	g = grad + WeightDecay p;  m = Beta1 m + (1 - Beta1) g;  v = Beta2 v + (1 - Beta2) g^2
//	p = p - LearningRate (m / (1 - Beta1^n)) / (sqrt(v / (1 - Beta2^n)) + Epsilon)
func (o Adam) Step(params, means, squares []Tensor, number int) {
	p, n := handles(params)
	sameLength("adam_step", "means", params, means)
	sameLength("adam_step", "squares", params, squares)
	m, _ := handles(means)
	s, _ := handles(squares)
	check("adam_step", C.lt_adam_step(p, m, s, n, C.int64_t(number), o.Count.h, o.Rate.h, C.lt_adam{
		lr: C.double(o.LearningRate), beta1: C.double(o.Beta1), beta2: C.double(o.Beta2),
		eps: C.double(o.Epsilon), weight_decay: C.double(o.WeightDecay),
	}))
}

// sameLength panics unless a list of state is as long as the parameters, since C gets one length.
func sameLength(op, name string, params, state []Tensor) {
	if len(state) != len(params) {
		raise(op, Shape, fmt.Sprintf("%d %s for %d tensors", len(state), name, len(params)))
	}
}

// CppAdd returns the nanoseconds that t.Add(u) and freeing its result take in a C++ loop of n, for comparison with
// the same loop in Go.
func CppAdd(t, u Tensor, n int) float64 {
	var ns C.double
	check("add", C.lt_bench_add(t.h, u.h, C.int64_t(n), &ns), t, u)
	return float64(ns)
}
