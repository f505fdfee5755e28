package torch

// #include "loader.h"
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// Element is a Go type whose slices become tensors and back. int is Int64.
type Element interface {
	float32 | float64 | int | int64 | int32 | uint8 | bool
}

// libtorch supports only 64-bit processors, where an int has the size of Int64.
const _ = uint(unsafe.Sizeof(int(0)) - 8)

func dtypeOf[E Element]() DType {
	var e E
	switch any(e).(type) {
	case float32:
		return Float32
	case float64:
		return Float64
	case int, int64:
		return Int64
	case int32:
		return Int32
	case uint8:
		return Uint8
	}
	return Bool
}

// FromSlice copies data, row-major, into a new tensor on the CPU. With no shape
// the tensor has one dimension. Panics if the shape does not hold len(data)
// elements.
func FromSlice[E Element](data []E, shape ...int) Tensor {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	n := 1
	for _, s := range shape {
		n *= s
	}
	if n != len(data) {
		raise("from_slice", Shape, fmt.Sprintf("%d elements do not fill shape %v", len(data), shape))
	}
	return fromData("from_slice", unsafe.Pointer(unsafe.SliceData(data)), dtypeOf[E](), shape)
}

// fromData copies elements in memory.
func fromData(op string, data unsafe.Pointer, d DType, shape []int) Tensor {
	mustOpen(op)
	p, dim := ints(shape)
	return made(op, C.lt_from_data(data, p, dim, C.lt_options{dtype: C.int32_t(d)}))
}

// FromBytes copies elements as they lie in memory, row-major and little-endian, into
// a new tensor on the CPU. Panics if the shape does not take all of data.
func FromBytes(data []byte, d DType, shape ...int) Tensor {
	n := d.Size()
	for _, s := range shape {
		n *= s
	}
	if n != len(data) {
		raise("from_bytes", Shape, fmt.Sprintf("%d bytes do not fill shape %v of %v", len(data), shape, d))
	}
	return fromData("from_bytes", unsafe.Pointer(unsafe.SliceData(data)), d, shape)
}

// Slice copies t's elements, row-major and converted to E, into a new slice.
// On a GPU it waits for the device.
func Slice[E Element](t Tensor) []E {
	facts := t.facts("slice")
	data := make([]E, facts.numel)
	if len(data) == 0 {
		return data
	}
	if want := dtypeOf[E](); DType(facts.dtype) != want {
		converted := t.To(Options{want, t.Device()})
		defer converted.Free()
		t = converted
	}
	var e E
	check("slice", C.lt_copy_out(t.h, unsafe.Pointer(&data[0]), C.int64_t(len(data))*C.int64_t(unsafe.Sizeof(e))), t)
	return data
}

// Scalar makes a tensor of no dimensions.
func Scalar(v float64, o Options) Tensor { return Full(v, o) }

// Zeros makes a tensor of zeros.
func Zeros(o Options, shape ...int) Tensor { return Full(0, o, shape...) }

// Ones makes a tensor of ones.
func Ones(o Options, shape ...int) Tensor { return Full(1, o, shape...) }

// ZerosLike makes zeros of t's shape, dtype and device.
func ZerosLike(t Tensor) Tensor { return Zeros(t.Options(), t.Shape()...) }

// Arange makes start, start+step, ... below end. Panics if a bound or step is not finite or, for an integer dtype,
// above 2^53, because libtorch divides by them.
func Arange(start, end, step float64, o Options) Tensor {
	mustOpen("arange")
	for _, v := range []float64{start, end, step} {
		if v-v != 0 || !o.DType.IsFloat() && (v > 1<<53 || v < -1<<53) {
			raise("arange", Value, fmt.Sprintf("from %v to %v by %v", start, end, step))
		}
	}
	return made("arange", C.lt_arange(C.double(start), C.double(end), C.double(step), o.c()))
}

func (o Options) c() C.lt_options {
	return C.lt_options{dtype: C.int32_t(o.DType), device: C.int32_t(o.Device)}
}

func (t Tensor) facts(op string) C.lt_facts {
	f := C.lt_info(t.h)
	check(op, f.error, t)
	return f
}

// Shape is t's size in each dimension.
func (t Tensor) Shape() []int {
	f := t.facts("shape")
	return toInts(f.shape[:f.dim])
}

func toInts(sizes []C.int64_t) []int {
	out := make([]int, len(sizes))
	for i, n := range sizes {
		out[i] = int(n)
	}
	return out
}

// Size is t's size in one dimension; -1 is the last.
func (t Tensor) Size(dim int) int {
	f := t.facts("size")
	if dim < 0 {
		dim += int(f.dim)
	}
	if dim < 0 || dim >= int(f.dim) {
		raise("size", Index, "dimension out of range", t)
	}
	return int(f.shape[dim])
}

// Strides is the distance, in elements, between neighbours in each dimension.
func (t Tensor) Strides() []int {
	f := t.facts("strides")
	return toInts(f.stride[:f.dim])
}

// Dim is the number of dimensions.
func (t Tensor) Dim() int { return int(t.facts("dim").dim) }

// Numel is the number of elements.
func (t Tensor) Numel() int { return int(t.facts("numel").numel) }

// DType is the type of t's elements.
func (t Tensor) DType() DType { return DType(t.facts("dtype").dtype) }

// Device is where t is.
func (t Tensor) Device() Device { return Device(t.facts("device").device) }

// Options holds t's dtype and device.
func (t Tensor) Options() Options {
	f := t.facts("options")
	return Options{DType(f.dtype), Device(f.device)}
}

// Defined reports whether t was ever made; the zero Tensor was not.
func (t Tensor) Defined() bool { return t.h != 0 }

// Item returns the value of a tensor of one element. On a GPU it waits for the device, so read several at once with
// Items.
func (t Tensor) Item() float64 {
	var v C.double
	check("item", C.lt_items(&t.h, 1, &v), t)
	return float64(v)
}

// Items reads several tensors of one element each, with one wait for the device.
func Items(ts ...Tensor) []float64 {
	values := make([]float64, len(ts))
	if len(ts) == 0 {
		return values
	}
	p, n := handles(ts)
	check("items", C.lt_items(p, n, (*C.double)(unsafe.Pointer(&values[0]))), ts...)
	return values
}

// To converts to the given dtype and device. If nothing changes, the result shares t's memory.
func (t Tensor) To(o Options) Tensor {
	return made("to", C.lt_to(t.h, o.c(), 0), t)
}

// ToDType converts to the given dtype.
func (t Tensor) ToDType(d DType) Tensor { return t.To(Options{d, t.Device()}) }

// ToDevice moves to the given device.
func (t Tensor) ToDevice(d Device) Tensor { return t.To(Options{t.DType(), d}) }

// Upload is To without waiting, for a GPU; the host memory of t should be pinned. For the CPU it waits like To.
func (t Tensor) Upload(o Options) Tensor {
	return made("upload", C.lt_to(t.h, o.c(), 1), t)
}

// describe is for error messages, so it must not fail itself.
func (t Tensor) describe() string {
	if t.h == 0 {
		return "zero Tensor"
	}
	f := C.lt_info(t.h)
	if f.error != nil {
		C.lt_error_free(f.error)
		return "ended tensor"
	}
	return fmt.Sprintf("%v %v %v", toInts(f.shape[:f.dim]), DType(f.dtype), Device(f.device))
}

// String returns t's shape, dtype and device, and its elements if they are few.
func (t Tensor) String() string {
	s := "Tensor(" + t.describe()
	if t.h != 0 && !strings.HasPrefix(s, "Tensor(ended") && t.Numel() <= 16 {
		s += fmt.Sprintf(" %.4g", Slice[float64](t))
	}
	return s + ")"
}
