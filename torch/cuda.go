package torch

// #include "loader.h"
import "C"

import (
	"fmt"
	"strings"

	"github.com/losscorr/losscorr/internal/guard"
)

// CUDADevices returns the number of usable GPUs, 0 if CUDA cannot be opened.
func CUDADevices() int {
	if _, err := DescribeCUDA(); err != nil {
		return 0
	}
	return cuda.count
}

// CheckDevice returns an error with the reason if d cannot be used.
func CheckDevice(d Device) (err error) {
	if !d.IsCUDA() {
		return nil
	}
	defer guard.Wrap(&err, "device %v cannot be used", d)
	if err := Open(); err != nil {
		return err
	}
	if first := Lost(); first != nil {
		return fmt.Errorf("an earlier error has left CUDA unusable in this process: %w", first)
	}
	facts, err := DescribeCUDA()
	if err != nil {
		return err
	}
	if n := cuda.count; d.Index() >= n {
		return fmt.Errorf("there are %d GPUs, cuda:0 to cuda:%d", n, n-1)
	}
	if major, minor := Capability(d); !supports(facts.Architectures, major, minor) {
		return fmt.Errorf("%s has compute capability %d.%d, and libtorch was built for %s", DeviceName(d), major, minor,
			strings.Join(facts.Architectures, ", "))
	}
	return nil
}

// Capability returns the compute capability of a GPU, such as 9, 0. CheckDevice has to accept d.
func Capability(d Device) (major, minor int) {
	var a, b C.int32_t
	check("capability", C.lt_cuda_capability(C.int32_t(d.Index()), &a, &b))
	return int(a), int(b)
}

// Synchronize waits until d has finished all work. On the CPU it does nothing.
func Synchronize(d Device) {
	if d.IsCUDA() {
		check("synchronize", C.lt_cuda_synchronize(C.int32_t(d.Index())))
	}
}

// DeviceName returns the driver's name of a GPU. CheckDevice has to accept d.
func DeviceName(d Device) string {
	var name [256]C.char
	check("device_name", C.lt_cuda_device_name(C.int32_t(d.Index()), &name[0], C.int32_t(len(name))))
	return C.GoString(&name[0])
}

// Memory is a device's memory in bytes: held by tensors, reserved by the allocator, and in total.
type Memory struct {
	Allocated, Reserved, Total int64
}

// DeviceMemory reads the allocator's statistics. On the CPU they come from the C library's malloc: Allocated is
// everything that C and C++ hold in this process, mostly libtorch's tensors, without Go's memory; Total is 0. All
// fields are 0 unless the C library is glibc 2.33 or later.
func DeviceMemory(d Device) Memory {
	var allocated, reserved, total C.int64_t
	if !d.IsCUDA() {
		mustOpen("device_memory")
		check("device_memory", C.lt_host_memory(&allocated, &reserved))
		return Memory{Allocated: int64(allocated), Reserved: int64(reserved)}
	}
	check("device_memory", C.lt_cuda_memory(C.int32_t(d.Index()), &allocated, &reserved, &total))
	return Memory{int64(allocated), int64(reserved), int64(total)}
}

// TrimHost returns the memory of large freed CPU tensors to the system, instead of keeping it for the next tensors.
// The next large tensors wait once for new memory.
func TrimHost() { check("trim_host", C.lt_host_trim()) }

// EmptyCache returns unused memory to the GPUs. Panics before OpenCUDA.
func EmptyCache() { check("empty_cache", C.lt_cuda_empty_cache()) }
