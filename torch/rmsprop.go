package torch

// #include "loader.h"
import "C"

// RMSprop holds the constants of Tieleman and Hinton's method.
type RMSprop struct {
	LearningRate, Alpha, Epsilon, WeightDecay, Momentum float64
	Rate                                                Tensor
}

// Step moves params, with running means of their squared gradients. Means of the
// gradients (none: not centered) and momenta (none: no momentum) are of the same
// number and shapes:
//
//	g = grad + WeightDecay p
//	s = Alpha s + (1 - Alpha) g^2
//	m = m + (1 - Alpha) (g - m)
//	u = g / (sqrt(s - m^2) + Epsilon)
//	b = Momentum b + u
//	p = p - LearningRate b
func (o RMSprop) Step(params, squares, means, momenta []Tensor) {
	const op = "rmsprop_step"
	sameLength(op, "squares", params, squares)
	p, n := handles(params)
	s, _ := handles(squares)
	var m, b *C.lt_tensor
	if len(means) > 0 {
		sameLength(op, "means", params, means)
		m, _ = handles(means)
	}
	if len(momenta) > 0 {
		sameLength(op, "momenta", params, momenta)
		b, _ = handles(momenta)
	}
	check(op, C.lt_rmsprop_step(p, s, m, b, n, o.Rate.h, C.lt_rmsprop{
		lr: C.double(o.LearningRate), alpha: C.double(o.Alpha), eps: C.double(o.Epsilon),
		weight_decay: C.double(o.WeightDecay), momentum: C.double(o.Momentum),
	}))
}

// Lerp moves each of ts towards its partner by the share weight, in place and
// unrecorded, in one call:
//
//	t = t + weight (toward - t)
//
// Panics if numbers, shapes, dtypes or devices differ.
func Lerp(ts, towards []Tensor, weight float64) {
	const op = "lerp_"
	sameLength(op, "partners", ts, towards)
	p, n := handles(ts)
	q, _ := handles(towards)
	check(op, C.lt_lerp_(p, q, n, C.double(weight)))
}
