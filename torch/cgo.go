package torch

// #cgo CFLAGS: -O2 -Wall
// #cgo linux LDFLAGS: -ldl
// #include <stdlib.h>
// #include "loader.h"
import "C"

import (
	"runtime/cgo"
	"strconv"
	"strings"
	"unsafe"
)

// Tensor is an n-dimensional array of one DType on one Device, as in PyTorch. A Tensor is a comparable handle, cheap
// to copy, and lives until the scope that it was made in ends (see Scope). == compares handles, so two handles of the
// same tensor, such as two results of Grad, differ. Operations panic with *Error.
type Tensor struct{ h C.lt_tensor }

// check panics with *Error if an operation failed. Its arguments must not escape, because every operation calls it.
func check(op string, e *C.lt_error, args ...Tensor) {
	if e != nil {
		fail(op, e, args)
	}
}

// made returns the tensor of a C result.
func made(op string, r C.lt_made, args ...Tensor) Tensor {
	check(op, r.error, args...)
	return Tensor{r.tensor}
}

func pair(op string, r C.lt_pair, args ...Tensor) (first, second Tensor) {
	check(op, r.error, args...)
	return Tensor{r.first}, Tensor{r.second}
}

//go:noinline
func fail(op string, e *C.lt_error, args []Tensor) {
	// Some releases of libtorch name the operation themselves.
	msg := strings.TrimPrefix(C.GoString(e.message), op+": ")
	kind := e.kind
	C.lt_error_free(e)
	if kind == C.LT_PANIC {
		number, _ := strconv.ParseUint(msg, 10, 64)
		panic(takePanic(op, cgo.Handle(number)))
	}
	err := newError(op, Kind(kind), msg, args)
	noteLost(err)
	panic(err)
}

// ints hands a list of sizes or dimensions to C without copying it.
func ints(v []int) (*C.int64_t, C.int32_t) {
	return (*C.int64_t)(unsafe.Pointer(unsafe.SliceData(v))), C.int32_t(len(v))
}

func handles(ts []Tensor) (*C.lt_tensor, C.int32_t) {
	return (*C.lt_tensor)(unsafe.Pointer(unsafe.SliceData(ts))), C.int32_t(len(ts))
}

func flag(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}
