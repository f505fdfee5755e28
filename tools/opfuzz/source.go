package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/losscorr/losscorr/torch"
)

// source draws operands.
type source struct {
	*rand.Rand
	strange bool // also draw infinities, NaN and extreme integers
}

func newSource(number uint64) *source {
	s := &source{Rand: rand.New(rand.NewPCG(number, 0x9e3779b97f4a7c15))}
	s.strange = s.chance(.05)
	return s
}

func (s *source) chance(p float64) bool { return s.Float64() < p }

func pick[E any](s *source, from ...E) E { return from[s.IntN(len(from))] }

// size returns the size of a dimension.
func (s *source) size() int {
	switch r := s.IntN(20); {
	case r == 0:
		return 0
	case r < 4:
		return 1
	case r < 16:
		return 2 + s.IntN(8)
	case r < 19:
		return pick(s, 15, 16, 17, 31, 32, 33, 64)
	}
	return 100 + s.IntN(200)
}

// shape returns a shape of least to most dimensions, with few enough elements for a quick call.
func (s *source) shape(least, most int) []int {
	shape := make([]int, least+s.IntN(most-least+1))
	n := 1
	for i := range shape {
		shape[i] = s.size()
		for n*shape[i] > 1<<16 {
			shape[i] = (shape[i] + 1) / 2
		}
		n *= max(shape[i], 1)
	}
	return shape
}

// like returns a shape that mostly broadcasts with another.
func (s *source) like(shape []int) []int {
	out := slices.Clone(shape)
	for i := range out {
		if s.chance(.15) {
			out[i] = 1
		} else if s.chance(.03) {
			out[i] = s.size()
		}
	}
	if len(out) > 0 && s.chance(.2) {
		out = out[s.IntN(len(out)):]
	}
	return out
}

// about returns a shape, rarely another one.
func (s *source) about(shape ...int) []int {
	if s.chance(.03) {
		return s.shape(0, 4)
	}
	return slices.Clone(shape)
}

// number returns a small number, rarely an extreme one.
func (s *source) number() int {
	if s.chance(.1) {
		return pick(s, math.MaxInt64, math.MinInt64, 1<<40, -1<<40)
	}
	return s.IntN(12) - 3
}

// place returns a dimension of the first operand, or another small number.
func (s *source) place(in ...tensor) int {
	if len(in) == 0 || s.chance(.3) {
		return s.number()
	}
	n := max(in[0].Dim(), 1)
	return s.IntN(2*n) - n
}

// axes returns some dimensions of t.
func (s *source) axes(t tensor) []int {
	dims := make([]int, s.IntN(t.Dim()+2))
	for i := range dims {
		dims[i] = s.place(t)
	}
	return dims
}

// sizes returns a shape that the first operand may be reshaped to.
func (s *source) sizes(in ...tensor) []int {
	if len(in) == 0 || s.chance(.2) {
		return s.shape(0, 5)
	}
	shape := in[0].Shape()
	s.Shuffle(len(shape), func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
	if len(shape) > 1 && s.chance(.5) {
		shape = append([]int{shape[0] * shape[1]}, shape[2:]...)
	}
	if len(shape) > 0 && s.chance(.4) {
		shape[s.IntN(len(shape))] = s.number()
	}
	return shape
}

func (s *source) real() float64 {
	if s.strange {
		return pick(s, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, 1e-300, math.Copysign(0, -1))
	}
	return pick(s, 0, 1, -1, .5, 2, 3, s.Float64(), 10*s.Float64()-5)
}

// probability is one, rarely another number.
func (s *source) probability() float64 { return pick(s, 0, 1, .5, .2, .8, s.Float64(), s.real()) }

func (s *source) dtype() torch.DType {
	if s.chance(.55) {
		return torch.Float32
	}
	return torch.DType(s.IntN(8))
}

func (s *source) float() torch.DType {
	if s.chance(.6) {
		return torch.Float32
	}
	return pick(s, torch.Float64, torch.Float64, torch.BFloat16, torch.Float16)
}

func (s *source) options() torch.Options { return torch.Options{DType: s.dtype()} }

// generator makes one of a seed that the reference can use too.
func (s *source) generator() func() *torch.Generator {
	seed := s.Uint64()
	return func() *torch.Generator { return torch.NewGenerator(seed, torch.CPU) }
}

// tensor returns random values with random strides.
func (s *source) tensor(dtype torch.DType, shape ...int) tensor {
	return s.laid(shape, func(shape []int) tensor { return s.values(dtype, shape) })
}

// tensors returns tensors of one dtype and about the given shapes.
func (s *source) tensors(dtype torch.DType, shapes ...[]int) (in []tensor) {
	for _, shape := range shapes {
		in = append(in, s.tensor(dtype, s.about(shape...)...))
	}
	return in
}

// index returns numbers below n, rarely others.
func (s *source) index(n int, shape ...int) tensor {
	beyond := s.chance(.06)
	return s.laid(shape, func(shape []int) tensor {
		values := make([]int64, count(shape))
		for i := range values {
			values[i] = s.Int64N(int64(max(n, 1)))
			if beyond && s.chance(.1) {
				values[i] = pick(s, -1, int64(n), math.MaxInt64, math.MinInt64, 1<<40, 1<<32)
			}
		}
		return torch.FromSlice(values, shape...)
	}).ToDType(pick(s, torch.Int64, torch.Int64, torch.Int64, torch.Int32))
}

// laid returns a tensor of the given shape, as a random view of a tensor that f makes.
func (s *source) laid(shape []int, f func(shape []int) tensor) tensor {
	n := len(shape)
	if n == 0 {
		return f([]int{1}).Reshape()
	}
	other := slices.Clone(shape)
	d := s.IntN(n)
	switch s.IntN(12) {
	case 0, 1: // transposed
		e := s.IntN(n)
		other[d], other[e] = other[e], other[d]
		return f(other).Transpose(d, e)
	case 2: // the middle of something longer
		other[d] += 3
		return f(other).Narrow(d, 1+s.IntN(2), shape[d])
	case 3: // every second
		other[d] = 2*shape[d] + 1
		return f(other).SliceDim(d, s.IntN(2), 2*shape[d], 2)
	case 4: // one repeated
		if shape[d] > 0 {
			other[d] = 1
			return f(other).Expand(shape...)
		}
	case 5: // part of more dimensions
		return f(append(other, 2)).Select(n, s.IntN(2))
	case 6, 7, 8:
		if n == 4 {
			return f(shape).ChannelsLast()
		}
	}
	return f(shape)
}

func count(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

func (s *source) values(dtype torch.DType, shape []int) tensor {
	values := make([]float64, count(shape))
	zeros := pick(s, 0, 0, 0, .3, .9)
	whole := s.chance(.1) || !dtype.IsFloat() // many equal ones
	for i := range values {
		switch {
		case s.chance(zeros):
		case s.strange && s.chance(.05):
			values[i] = pick(s, math.NaN(), math.Inf(1), math.Inf(-1), 1e30, -1e30, math.MinInt32, math.MaxInt32)
		case whole:
			values[i] = float64(s.IntN(9) - 4)
		default:
			values[i] = 6*s.Float64() - 3
		}
		if dtype == torch.Uint8 {
			values[i] = math.Abs(values[i])
		}
	}
	return torch.FromSlice(values, shape...).ToDType(dtype)
}
