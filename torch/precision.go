package torch

// #include "loader.h"
import "C"

import (
	"fmt"
	"runtime"
)

// Autocast runs f with matrix products and convolutions on device computed in
// the given lower precision, BFloat16 or Float16.
func Autocast(device Device, dtype DType, f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	mustOpen("autocast")
	var previousType, previousOn, droppedType, droppedOn C.int32_t
	check("autocast", C.lt_set_autocast(C.int32_t(device), C.int32_t(dtype), 1, &previousType, &previousOn))
	defer func() {
		check("autocast", C.lt_set_autocast(C.int32_t(device), previousType, previousOn, &droppedType, &droppedOn))
	}()
	f()
}

// CheckPrecision returns an error with the reason if networks cannot compute in dtype on device under Autocast.
// BFloat16 needs a CPU with vector instructions for it (AVX-512 on x86-64) or a GPU of compute capability 8.0;
// Float16 needs a GPU.
func CheckPrecision(device Device, dtype DType) error {
	if err := CheckDevice(device); err != nil || dtype == Float32 || dtype == Float64 {
		return err
	}
	if device.IsCUDA() {
		const ampere = 8
		if major, minor := Capability(device); dtype == BFloat16 && major < ampere {
			return fmt.Errorf("%v on %v: this GPU has compute capability %d.%d, and %d.0 is needed; use %v or %v", dtype, device,
				major, minor, ampere, Float16, Float32)
		}
		return nil
	}
	if dtype != BFloat16 {
		return fmt.Errorf("%v on %v: only GPUs compute in it; use %v", dtype, device, BFloat16)
	}
	mustOpen("check_precision")
	var has C.int32_t
	check("check_precision", C.lt_has_bfloat16(&has))
	if has == 0 {
		return fmt.Errorf("%v on %v: this processor has no vector instructions for it (AVX-512 on x86-64); use %v", dtype,
			device, Float32)
	}
	return nil
}

// Unscale divides the gradients of params by scale and reports whether all were finite. It waits for the device.
func Unscale(params []Tensor, scale float64) bool {
	p, n := handles(params)
	var finite C.int32_t
	check("unscale", C.lt_unscale(p, n, C.double(scale), &finite))
	return finite != 0
}
