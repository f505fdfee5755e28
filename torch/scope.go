package torch

// #include "loader.h"
import "C"

import (
	"runtime"

	"github.com/losscorr/losscorr/torch/internal/scopes"
)

// Scope runs f and then, even if f panics, frees every tensor made in it, except those moved out by Keep. Scopes
// nest; the program is the outermost scope, whose tensors live until Free or its end. The goroutine stays on its OS
// thread meanwhile, because scopes and libtorch's modes belong to threads. f must not hand its tensors to other
// goroutines.
func Scope(f func()) {
	defer enter()()
	f()
}

func init() { scopes.Enter = enter }

// enter begins a scope that its result ends.
func enter() (leave func()) {
	mustOpen("scope")
	runtime.LockOSThread()
	check("scope", C.lt_scope_begin())
	return func() {
		defer runtime.UnlockOSThread()
		check("scope", C.lt_scope_end())
	}
}

// Tidy is Scope around an expression. It moves the tensor that f returns, which must have been made in f, one scope
// out and frees the rest.
func Tidy(f func() Tensor) (t Tensor) {
	Scope(func() {
		t = f()
		t.Keep()
	})
	return t
}

// Keep moves t from the scope that owns it to the next outer one and returns t. A second call moves it again.
func (t Tensor) Keep() Tensor {
	check("keep", C.lt_keep(t.h), t)
	return t
}

// Free frees t before its scope ends. It is meant for large tensors of the outermost scope, such as data sets.
func (t Tensor) Free() { check("free", C.lt_free(t.h), t) }

// Live returns the number of tensors in the whole program.
func Live() int {
	if !isOpen() {
		return 0
	}
	var n C.int64_t
	check("live", C.lt_live(&n))
	return int(n)
}

// NoGrad runs f without recording operations for differentiation.
func NoGrad(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	mustOpen("no_grad")
	var previous, dropped C.int32_t
	check("no_grad", C.lt_set_grad_mode(0, &previous))
	defer func() { check("no_grad", C.lt_set_grad_mode(previous, &dropped)) }()
	f()
}

// GradEnabled reports whether operations on this thread are being recorded. Inside a Function's Backward it reports
// whether the gradient itself will be differentiated.
func GradEnabled() bool {
	var on C.int32_t
	check("grad_enabled", C.lt_get_grad_mode(&on))
	return on != 0
}
