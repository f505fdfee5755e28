package main

import "github.com/losscorr/losscorr/torch"

// shapes is views, and what moves elements without looking at them.
func shapes() []operation {
	over := func(name string, f func(t tensor, d, a, b int) tensor) operation {
		return operation{name, func(s *source) call {
			t := s.any(s.shape(0, 4)...)
			d, a, b := s.dim(t), s.number(), s.number()
			if s.chance(.5) {
				a, b = s.dim(t), s.dim(t)
			}
			return call{in: []tensor{t}, run: single(func(t tensor) tensor { return f(t, d, a, b) })}
		}}
	}
	list := func(name string, layout bool, f func(t tensor, v ...int) tensor,
		draw func(s *source, t tensor) []int) operation {
		return operation{name, func(s *source) call {
			t := s.any(s.shape(0, 4)...)
			v := draw(s, t)
			return call{in: []tensor{t}, layout: layout, run: single(func(t tensor) tensor { return f(t, v...) })}
		}}
	}
	reshaped := func(s *source, t tensor) []int {
		if s.chance(.2) {
			return s.shape(0, 5)
		}
		shape := t.Shape()
		s.Shuffle(len(shape), func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
		if len(shape) > 1 && s.chance(.5) {
			shape = append([]int{shape[0] * shape[1]}, shape[2:]...)
		}
		if len(shape) > 0 && s.chance(.4) {
			shape[s.IntN(len(shape))] = -1
		}
		if s.chance(.1) {
			shape = append(shape, s.number())
		}
		return shape
	}
	several := func(name string, f func(dim int, ts ...tensor) tensor) operation {
		return operation{name, func(s *source) call {
			shape := s.shape(1, 4)
			dtype, d := s.dtype(), s.IntN(len(shape))
			var in []tensor
			for range 1 + s.IntN(4) {
				own := append([]int(nil), shape...)
				if s.chance(.3) {
					own[d] = s.size() % 20
				}
				in = append(in, s.tensor(dtype, own...))
			}
			if s.chance(.1) {
				d = s.number()
			}
			return call{in: in, run: func(in []tensor) []tensor { return []tensor{f(d, in...)} }}
		}}
	}
	return []operation{
		list("Reshape", false, tensor.Reshape, reshaped),
		list("View", true, tensor.View, reshaped),
		list("Expand", false, tensor.Expand, func(s *source, t tensor) []int {
			shape := t.Shape()
			for i := range shape {
				if shape[i] == 1 || s.chance(.1) {
					shape[i] = s.number()
				}
			}
			if s.chance(.3) {
				shape = append([]int{s.number()}, shape...)
			}
			return shape
		}),
		list("Pad", false, func(t tensor, pads ...int) tensor {
			return t.Pad(1.5, pads...)
		}, func(s *source, t tensor) []int {
			pads := make([]int, s.IntN(2*t.Dim()+2))
			for i := range pads {
				pads[i] = s.number()
			}
			return pads
		}),
		over("Transpose", func(t tensor, d, a, _ int) tensor { return t.Transpose(d, a) }),
		over("Squeeze", func(t tensor, d, _, _ int) tensor { return t.Squeeze(d) }),
		over("Unsqueeze", func(t tensor, d, _, _ int) tensor { return t.Unsqueeze(d) }),
		over("Flatten", func(t tensor, d, a, _ int) tensor { return t.Flatten(d, a) }),
		over("Narrow", func(t tensor, d, a, b int) tensor { return t.Narrow(d, a, b) }),
		over("Select", func(t tensor, d, a, _ int) tensor { return t.Select(d, a) }),
		{"SliceDim", func(s *source) call {
			t := s.any(s.shape(0, 4)...)
			d, a, b, step := s.dim(t), s.number(), s.number(), s.number()
			return call{in: []tensor{t}, run: single(func(t tensor) tensor { return t.SliceDim(d, a, b, step) }), layout: true}
		}},
		unary("Diagonal", tensor.Diagonal),
		several("Cat", torch.Cat),
		several("Stack", torch.Stack),
	}
}
