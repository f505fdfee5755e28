package torch

// #include <stdlib.h>
// #include "loader.h"
import "C"

import (
	"strings"
	"unsafe"
)

// Lost returns the first error that made CUDA unusable in this process, such as an illegal
// address or a failed assertion in a kernel, or nil. GPUs need a new process then; the CPU
// still works.
func Lost() *Error { return library.lost.Load() }

// noteLost keeps the first error of the kind DeviceLost. cuDNN and cuBLAS tell of such
// an error in words of their own, so CUDA is asked where they fail.
func noteLost(err *Error) {
	if err.Kind == DeviceMismatch && library.cudaOpen.Load() && (strings.Contains(err.Msg, "CUDNN_") ||
		strings.Contains(err.Msg, "CUBLAS_")) {
		if e := C.lt_cuda_alive(); e != nil {
			if Kind(e.kind) == DeviceLost {
				err.Kind = DeviceLost
			}
			C.lt_error_free(e)
		}
	}
	if err.Kind == DeviceLost {
		library.lost.CompareAndSwap(nil, err)
	}
}

// Throw has libtorch throw an error with that message, which sorts it and panics with
// it as for any operation: what a program does with errors that no CPU can cause, such
// as those of Lost, is tested with it. There is no way back from a lost device.
func Throw(message string) {
	mustOpen("throw")
	text := C.CString(message)
	defer C.free(unsafe.Pointer(text))
	check("throw", C.lt_throw_message(text))
}
