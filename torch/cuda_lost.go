package torch

// #include "loader.h"
import "C"

import "strings"

// Lost returns the first error that made CUDA unusable in this process, such as an illegal address or a failed
// assertion in a kernel, or nil. After it only a new process can use GPUs; the CPU still works.
func Lost() *Error { return library.lost.Load() }

// noteLost keeps the first error of the kind DeviceLost. cuDNN and cuBLAS report such an error in their own words, so
// after their failures it asks CUDA.
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
