package torch

// #include "loader.h"
// int64_t losscorrBackward(uintptr_t function, lt_tensor grad, lt_tensor *saved, int32_t n_saved, lt_tensor *grads,
// int32_t n_grads);
import "C"

import (
	"fmt"
	"runtime/cgo"
	"runtime/debug"
	"unsafe"
)

// Function is a differentiable operation whose forward and backward are written in Go. Forward runs unrecorded and
// hands tensors to Backward by Context.Save. Backward gets the gradient of the output and returns one gradient per
// input, or the zero Tensor for an input without a gradient.
//
// For second derivatives Backward must apply differentiable operations to saved inputs. If GradEnabled reports true
// inside Backward, its result will be differentiated, and it must recompute whatever Forward computed.
//
// A tensor error in Backward makes Tensor.Backward or Grad panic with an *Error of the same Kind; any other panic
// becomes a *BackwardPanic.
type Function interface {
	Forward(ctx *Context, inputs ...Tensor) Tensor
	Backward(ctx *Context, grad Tensor) []Tensor
}

// Context carries tensors from Forward to Backward.
type Context struct {
	function Function
	saved    []Tensor
}

// Save keeps tensors of any scope for Backward.
func (c *Context) Save(ts ...Tensor) { c.saved = append(c.saved, ts...) }

// Saved returns the tensors of Save.
func (c *Context) Saved() []Tensor { return c.saved }

// Apply runs f on inputs and records it.
func Apply(f Function, inputs ...Tensor) Tensor {
	endDone()
	ctx := &Context{function: f}
	var result Tensor
	NoGrad(func() { result = f.Forward(ctx, inputs...) })
	handle := cgo.NewHandle(ctx)
	p, n := handles(inputs)
	q, m := handles(ctx.saved)
	ctx.saved = nil // from here on the record holds them
	return made("apply", C.lt_function_apply(C.uintptr_t(handle), p, n, result.h, q, m), inputs...)
}

// endDone releases the functions whose record is freed.
func endDone() {
	var done [16]C.uintptr_t
	for {
		var n C.int32_t
		check("apply", C.lt_functions_done(&done[0], C.int32_t(len(done)), &n))
		for _, handle := range done[:n] {
			cgo.Handle(handle).Delete()
		}
		if int(n) < len(done) {
			return
		}
	}
}

func registerBackward() {
	check("open", C.lt_set_backward((C.lt_go_backward)(unsafe.Pointer(C.losscorrBackward))))
}

//export losscorrBackward
func losscorrBackward(function C.uintptr_t, grad C.lt_tensor, saved *C.lt_tensor, nSaved C.int32_t, grads *C.lt_tensor,
	n C.int32_t) (number C.int64_t) {
	defer func() {
		// A panic must not cross C++, so C++ gets a number instead; see fail.
		if r := recover(); r != nil {
			number = C.int64_t(keepPanic(r))
		}
	}()
	ctx := cgo.Handle(function).Value().(*Context)
	call := &Context{function: ctx.function, saved: tensors(saved, nSaved)}
	results := ctx.function.Backward(call, Tensor{grad})
	if len(results) != int(n) {
		raise("backward", Value, fmt.Sprintf("%T.Backward returned %d gradients for %d inputs", ctx.function, len(results),
			n))
	}
	copy(tensors(grads, n), results)
	return 0
}

// BackwardPanic is the panic of Tensor.Backward and Grad after a Function's Backward panicked with anything but an
// *Error. A panic cannot cross C++, so it is raised again with its value and stack.
type BackwardPanic struct {
	Value any
	Stack []byte // debug.Stack of the first panic
}

func (p *BackwardPanic) Error() string {
	return fmt.Sprintf("%v [in the Backward of a torch.Function]\n\n%s", p.Value, p.Stack)
}

// Unwrap returns Value if it is an error, for example a runtime error.
func (p *BackwardPanic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// keepPanic keeps the value of a panic in a Backward function while C++ unwinds.
func keepPanic(value any) cgo.Handle {
	switch value.(type) {
	case *Error, *BackwardPanic: // a BackwardPanic comes from a nested backward
	default:
		value = &BackwardPanic{value, debug.Stack()}
	}
	return cgo.NewHandle(value)
}

// takePanic returns the panic value for the caller of operation op; an *Error becomes one of op with the same kind.
func takePanic(op string, kept cgo.Handle) any {
	value := kept.Value()
	kept.Delete()
	if e, ok := value.(*Error); ok {
		return &Error{Op: op, Kind: e.Kind, Msg: e.Error()}
	}
	return value
}

func tensors(p *C.lt_tensor, n C.int32_t) []Tensor {
	return unsafe.Slice((*Tensor)(unsafe.Pointer(p)), int(n))
}
