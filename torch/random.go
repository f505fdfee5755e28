package torch

// #include "loader.h"
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Generator is a stream of random numbers on one device. Every draw names its stream. libtorch's global generator is
// never used, so parallel runs repeat exactly and streams do not affect each other. Use a Generator in one goroutine
// at a time.
type Generator struct {
	g      *C.lt_generator
	device Device
}

// NewGenerator starts a stream from a seed. Streams of different seeds are independent.
func NewGenerator(seed uint64, device Device) *Generator {
	mustOpen("generator")
	g := &Generator{device: device}
	check("generator", C.lt_generator_new(C.uint64_t(seed), C.int32_t(device), &g.g))
	runtime.AddCleanup(g, func(p *C.lt_generator) { C.lt_generator_free(p) }, g.g)
	return g
}

// Device is where the stream's draws are made.
func (g *Generator) Device() Device { return g.device }

// State returns the bytes that determine all further draws.
func (g *Generator) State() []byte {
	var n C.int64_t
	check("generator_state", C.lt_generator_state(g.g, nil, &n))
	state := make([]byte, n)
	check("generator_state", C.lt_generator_state(g.g, unsafe.Pointer(&state[0]), &n))
	runtime.KeepAlive(g)
	return state
}

// Restore goes back to a State. Panics if the state belongs to another kind of device.
func (g *Generator) Restore(state []byte) {
	check("generator_restore", C.lt_generator_restore(g.g, unsafe.Pointer(unsafe.SliceData(state)), C.int64_t(len(state))))
	runtime.KeepAlive(g)
}

// Uniform makes a tensor of draws from [low, high). o.Device must be the generator's, here and in the methods below.
func (g *Generator) Uniform(low, high float64, o Options, shape ...int) Tensor {
	t := Empty(o, shape...)
	check("uniform_", C.lt_uniform_(t.h, C.double(low), C.double(high), g.g), t)
	runtime.KeepAlive(g)
	return t
}

// Normal makes a tensor of normal draws.
func (g *Generator) Normal(mean, std float64, o Options, shape ...int) Tensor {
	t := Empty(o, shape...)
	check("normal_", C.lt_normal_(t.h, C.double(mean), C.double(std), g.g), t)
	runtime.KeepAlive(g)
	return t
}

// Bernoulli makes a tensor of ones with probability p and zeros otherwise.
func (g *Generator) Bernoulli(p float64, o Options, shape ...int) Tensor {
	t := Empty(o, shape...)
	check("bernoulli_", C.lt_bernoulli_(t.h, C.double(p), g.g), t)
	runtime.KeepAlive(g)
	return t
}

// Integers makes a tensor of whole numbers drawn from [low, high), of o's dtype: Int64 for
// indices.
func (g *Generator) Integers(low, high int, o Options, shape ...int) Tensor {
	t := Empty(o, shape...)
	check("random_", C.lt_random_(t.h, C.int64_t(low), C.int64_t(high), g.g), t)
	runtime.KeepAlive(g)
	return t
}

// Permutation makes a random order of 0..n-1 (Int64).
func (g *Generator) Permutation(n int) Tensor {
	defer runtime.KeepAlive(g)
	return made("randperm", C.lt_randperm(C.int64_t(n), Options{Int64, g.device}.c(), g.g))
}

// Dropout zeroes each element of t with probability p in [0, 1] and scales the others by 1 / (1 - p), which keeps the
// expectation; with p 1 all are 0. With p 0 g may be nil. On the CPU p is first rounded to a multiple of 1/65536. One
// draw covers a whole shared dimension: for spatial dropout, share 2 and 3 of images [N C H W] and 1 of sequences [N
// T D].
func (t Tensor) Dropout(p float64, g *Generator, shared ...int) Tensor {
	var bits C.uint32_t
	for _, d := range shared {
		if d < 0 || d >= t.Dim() {
			raise("dropout", Index, fmt.Sprintf("shared dimension %d is out of range", d), t)
		}
		bits |= 1 << d
	}
	defer runtime.KeepAlive(g)
	return made("dropout", C.lt_dropout(t.h, C.double(p), bits, streamOf("dropout", p, g, t)), t)
}

// streamOf returns the stream behind g, which may be nil if p is 0. The caller keeps g alive.
func streamOf(op string, p float64, g *Generator, args ...Tensor) *C.lt_generator {
	if g != nil {
		return g.g
	}
	if p != 0 {
		raise(op, Value, "dropout needs a stream to draw from", args...)
	}
	return nil
}

// ReLUDropout is t.ReLU().Dropout(p, g) in fewer passes over memory.
func (t Tensor) ReLUDropout(p float64, g *Generator) Tensor {
	defer runtime.KeepAlive(g)
	return made("relu_dropout", C.lt_relu_dropout(t.h, C.double(p), streamOf("relu_dropout", p, g, t)), t)
}
