package main

import (
	"fmt"

	"github.com/losscorr/losscorr/torch"
)

// transformers is attention and what normalises each example for itself.
func transformers() []operation {
	return []operation{
		{"Attention", attention},
		{"LayerNorm", func(s *source) call {
			t := s.tensor(s.float(), s.shape(0, 4)...)
			shape := t.Shape()[s.IntN(t.Dim()+1):]
			if s.chance(.05) {
				shape = s.shape(0, 3)
			}
			in := []tensor{t, {}, {}}
			for i := range 2 {
				if s.chance(.7) {
					in[1+i] = s.tensor(t.DType(), s.other(shape)...)
				}
			}
			return call{in: in, note: fmt.Sprint(" over ", shape), tolerance: 5e-3, apart: s.strange,
				run: func(x []tensor) []tensor {
					return []tensor{x[0].LayerNorm(shape, x[1], x[2], 1e-2)}
				}}
		}},
	}
}

// other is shape, seldom another one.
func (s *source) other(shape []int) []int {
	if s.chance(.03) {
		return s.shape(0, 3)
	}
	return shape
}

func attention(s *source) call {
	dtype := s.float()
	batch := []int{s.IntN(4), 1 + s.IntN(3)}[:pick(s, 2, 2, 2, 1, 0)]
	queries, keys, width, values := s.IntN(70), s.IntN(70), pick(s, 1, 3, 8, 16, 32, 33, s.IntN(9)), s.IntN(33)
	if s.chance(.6) {
		values = width
	}
	of := func(steps, width int) tensor {
		return s.tensor(dtype, s.other(append(append([]int(nil), batch...), s.about(steps), s.about(width)))...)
	}
	in := []tensor{of(queries, width), of(keys, width), of(keys, values), {}}
	if s.chance(.05) {
		in[s.IntN(3)] = s.any(s.shape(0, 4)...)
	}
	if s.chance(.4) {
		in[3] = s.tensor(pick(s, torch.Bool, dtype, s.dtype()),
			s.like(append(append([]int(nil), batch...), queries, keys))...)
	}
	return call{in: in, wide: dtype == torch.Float32, layout: true, tolerance: 2e-3, apart: s.strange,
		run: func(x []tensor) []tensor {
			return []tensor{torch.Attention(x[0], x[1], x[2], x[3])}
		}}
}
