package main

import (
	"math"
)

// reductions is sums and what else goes along dimensions.
func reductions() []operation {
	var all []operation
	for name, f := range map[string]func(t tensor, dims ...int) tensor{
		"Sum": tensor.Sum, "SumKeep": tensor.SumKeep, "Mean": tensor.Mean, "MeanKeep": tensor.MeanKeep, "Amax": tensor.Amax,
		"Amin": tensor.Amin, "LogSumExp": tensor.LogSumExp,
		"LogSumExpKeep": tensor.LogSumExpKeep,
		"Norm":          func(t tensor, dims ...int) tensor { return t.Norm(2, dims...) },
		"Norm 1":        func(t tensor, dims ...int) tensor { return t.Norm(1, dims...) },
		"Norm max":      func(t tensor, dims ...int) tensor { return t.Norm(math.Inf(1), dims...) },
	} {
		all = append(all, operation{name, func(s *source) call {
			t := s.any(s.shape(0, 4)...)
			var dims []int
			for range s.IntN(t.Dim() + 2) {
				dims = append(dims, s.dim(t))
			}
			return call{in: []tensor{t}, tolerance: 1e-3, run: single(func(t tensor) tensor {
				return f(t, dims...)
			}), apart: s.strange}
		}})
	}
	picked := func(f func(t tensor, d int) tensor) func(tensor, int) tensor {
		return func(t tensor, d int) tensor {
			i := f(t, d)
			if t.Dim() == 0 {
				return i
			}
			return t.Gather(d, i.Unsqueeze(d))
		}
	}
	first := func(f func(t tensor, d int) (tensor, tensor)) func(tensor, int) tensor {
		return func(t tensor, d int) tensor {
			values, _ := f(t, d)
			return values
		}
	}
	for name, f := range map[string]func(t tensor, d int) tensor{
		"Softmax": tensor.Softmax, "LogSoftmax": tensor.LogSoftmax,
		"Argmax": picked(tensor.Argmax),
		"Sort":   first(func(t tensor, d int) (tensor, tensor) { return t.Sort(d, true) }),
		"Sort 2": first(func(t tensor, d int) (tensor, tensor) { return t.Sort(d, false) }),
	} {
		all = append(all, operation{name, func(s *source) call {
			t := s.any(s.shape(0, 4)...)
			d := s.dim(t)
			c := call{in: []tensor{t.Detach()}, tolerance: 1e-3, run: single(func(t tensor) tensor {
				return f(t, d)
			}), apart: s.strange}
			if name == "Argmax" { // the gradient goes to one of several equal elements
				c.run = single(func(t tensor) tensor { return f(t, d).Detach() })
			}
			return c
		}})
	}
	return append(all,
		unary("All", tensor.All),
		operation{"TopK", func(s *source) call {
			t := s.any(s.shape(0, 4)...)
			d, k := s.dim(t), s.number()
			return call{in: []tensor{t}, apart: s.strange, run: single(func(t tensor) tensor {
				values, _ := t.TopK(k, d)
				return values.Detach()
			})}
		}},
	)
}
