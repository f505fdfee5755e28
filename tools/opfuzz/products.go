package main

import "github.com/losscorr/losscorr/torch"

// products is matrix products and linear algebra.
func products() []operation {
	matrices := func(name string, tolerance float64, f func([]tensor) []tensor, shapes func(s *source) [][]int) operation {
		return operation{name, func(s *source) call {
			dtype := s.float()
			if s.chance(.1) {
				dtype = s.dtype()
			}
			var in []tensor
			for _, shape := range shapes(s) {
				if s.chance(.03) {
					shape = s.shape(0, 4)
				}
				in = append(in, s.tensor(dtype, shape...))
			}
			return call{in: in, run: f, tolerance: tolerance, apart: s.strange}
		}}
	}
	square := func(s *source) [][]int {
		n := s.IntN(9)
		return [][]int{append(s.shape(0, 1), n, n)}
	}
	small := func(s *source) int { return s.size() }
	return []operation{
		matrices("Mm", 1e-3, double(tensor.Mm), func(s *source) [][]int {
			n, k, m := small(s), small(s), small(s)
			return [][]int{{n, k}, {k, m}}
		}),
		matrices("Bmm", 1e-3, double(tensor.Bmm), func(s *source) [][]int {
			b, n, k, m := s.IntN(5), small(s), small(s), small(s)
			return [][]int{{b, n, k}, {b, k, m}}
		}),
		// The derivative of a singular matrix's is anything.
		matrices("Inverse", 1e9, single(func(t tensor) tensor { return t.Inverse().MulScalar(0).Detach() }), square),
		{"SLogDet", func(s *source) call {
			t := s.tensor(torch.Float64, square(s)[0]...)
			return call{in: []tensor{t}, apart: true, run: func(x []tensor) []tensor {
				sign, logabs := x[0].SLogDet()
				return []tensor{sign.Detach(), logabs.Detach()}
			}}
		}},
		{"Solve", func(s *source) call {
			shape := square(s)[0]
			return call{in: []tensor{s.tensor(torch.Float64, shape...),
				s.tensor(torch.Float64, append(s.like(shape[:len(shape)-1]), s.IntN(4))...)}, apart: true,
				run: double(func(a, b tensor) tensor {
					return a.Solve(b).Detach()
				})}
		}},
	}
}
