package main

import "github.com/losscorr/losscorr/torch"

// shapes returns the operations that join and pad tensors.
func shapes() []operation {
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
		several("Cat", torch.Cat),
		several("Stack", torch.Stack),
		{"Pad", func(s *source) call {
			t := s.any(s.shape(0, 4)...)
			pads := make([]int, s.IntN(2*t.Dim()+2))
			for i := range pads {
				pads[i] = s.number()
			}
			return call{in: []tensor{t}, run: single(func(t tensor) tensor { return t.Pad(1.5, pads...) })}
		}},
	}
}
