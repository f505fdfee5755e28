package torch

// #include "loader.h"
import "C"

// RequiresGrad reports whether operations on t are recorded.
func (t Tensor) RequiresGrad() bool { return t.facts("requires_grad").requires_grad != 0 }

// SetRequiresGrad starts or stops recording operations on t, and returns it.
// Panics if t is not of a floating-point dtype, or is a result of recorded
// operations.
func (t Tensor) SetRequiresGrad(on bool) Tensor {
	check("requires_grad_", C.lt_requires_grad_(t.h, flag(on)), t)
	return t
}

// Grad returns the gradient that Backward has gathered for a leaf, or the zero Tensor. It is a new handle, in the
// current scope, that shares the gradient's memory.
func (t Tensor) Grad() Tensor {
	return made("grad", C.lt_grad(t.h), t)
}

// SetGrad replaces t's gradient by one that shares g's memory; the zero Tensor removes it. Panics if g differs from t
// in shape, dtype or device.
func (t Tensor) SetGrad(g Tensor) { check("set_grad", C.lt_set_grad(t.h, g.h), t, g) }

// Backward adds the gradient of the scalar t to the Grad of every leaf it
// depends on, and frees the record.
func (t Tensor) Backward() { check("backward", C.lt_backward(t.h), t) }

// Grad returns the gradients of the scalar t with respect to inputs, zeros for an input that t does not depend on. It
// leaves every Grad alone. With createGraph it records the gradients for second derivatives and keeps the record of
// t.
func Grad(t Tensor, inputs []Tensor, createGraph bool) []Tensor {
	grads := make([]Tensor, len(inputs))
	p, n := handles(inputs)
	q, _ := handles(grads)
	check("grad", C.lt_gradients(t.h, p, n, flag(createGraph), q), t)
	return grads
}

// Hessian is the matrix of second derivatives of the scalar t with respect to
// all elements of inputs, in their order.
func Hessian(t Tensor, inputs []Tensor) Tensor {
	var flat []Tensor
	for _, g := range Grad(t, inputs, true) {
		flat = append(flat, g.Reshape(-1))
	}
	gradient := Cat(0, flat...)
	rows := make([]Tensor, gradient.Numel())
	for i := range rows {
		var row []Tensor
		if entry := gradient.Select(0, i); entry.RequiresGrad() {
			for _, g := range Grad(entry, inputs, true) {
				row = append(row, g.Detach().Reshape(-1))
			}
			rows[i] = Cat(0, row...)
		} else {
			rows[i] = ZerosLike(gradient.Detach())
		}
	}
	return Stack(0, rows...)
}
