package torch

import (
	"fmt"
	"strconv"
	"strings"
)

// DType is the type of a tensor's elements. The zero value is Float32.
type DType int32

// The element types that Go code uses.
const (
	Float32 DType = iota
	Float64
	BFloat16
	Float16
	Int64
	Int32
	Uint8
	Bool
)

var dtypes = [...]struct {
	name  string
	bytes int
}{{"float32", 4}, {"float64", 8}, {"bfloat16", 2}, {"float16", 2}, {"int64", 8}, {"int32", 4}, {"uint8", 1},
	{"bool", 1}}

func (d DType) String() string { return dtypes[d].name }

// Size returns the number of bytes of one element.
func (d DType) Size() int { return dtypes[d].bytes }

// IsFloat reports whether d is one of the four floating-point types.
func (d DType) IsFloat() bool { return d <= Float16 }

// Device is where a tensor's elements are: CPU (the zero value) or CUDA(i).
type Device int32

// CPU is the host.
const CPU Device = 0

const cudaBit Device = 0x100

// maxDevice is the largest GPU index in libtorch's DeviceIndex, an int8; 255 would be its -1, the current GPU.
const maxDevice = 127

// CUDA returns the GPU with the given index, 0 to 127. Panics on any other index.
func CUDA(index int) Device {
	if index < 0 || index > maxDevice {
		raise("cuda", Index, fmt.Sprintf("no GPU has the index %d: use 0 to %d", index, maxDevice))
	}
	return cudaBit | Device(index)
}

// IsCUDA reports whether d is a GPU.
func (d Device) IsCUDA() bool { return d&cudaBit != 0 }

// Index returns a GPU's number, 0 for the CPU.
func (d Device) Index() int { return int(d & 0xff) }

func (d Device) String() string {
	if d.IsCUDA() {
		return "cuda:" + strconv.Itoa(d.Index())
	}
	return "cpu"
}

// ParseDevice reads "cpu" (or ""), "cuda" or "cuda:1", up to 127. It does not check that the device exists: see
// CheckDevice.
func ParseDevice(s string) (Device, error) {
	kind, number, numbered := strings.Cut(s, ":")
	switch {
	case s == "" || s == "cpu":
		return CPU, nil
	case kind == "cuda" && !numbered:
		return CUDA(0), nil
	case kind == "cuda":
		if i, err := strconv.Atoi(number); err == nil && i >= 0 && i <= maxDevice {
			return CUDA(i), nil
		}
	}
	return CPU, fmt.Errorf("device %q: expected cpu, cuda or cuda:N", s)
}

// Options are the dtype and device of a new tensor. The zero value is float32 on the CPU.
type Options struct {
	DType  DType
	Device Device
}
