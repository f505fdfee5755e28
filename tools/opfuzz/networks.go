package main

import "github.com/losscorr/losscorr/torch"

// networks is libtorch's own layers and losses.
func networks() []operation {
	loss := func(name string, f func(t, u tensor) tensor) operation {
		return operation{name, func(s *source) call {
			shape := s.shape(2, 2)
			t := s.tensor(s.float(), shape...)
			return call{in: []tensor{t, s.index(shape[1], shape[0])}, tolerance: 1e-3, apart: s.strange, run: double(f)}
		}}
	}
	return []operation{
		{"Embedding", func(s *source) call {
			t := s.tensor(s.float(), s.shape(2, 2)...)
			return call{in: []tensor{t, s.index(t.Size(0), s.shape(0, 3)...)}, tolerance: 1e-3, run: double(torch.Embedding)}
		}},
		{"LSTM", func(s *source) call {
			steps, n, d, h := s.IntN(6), s.IntN(5), s.IntN(7), s.IntN(7)
			dtype := s.float()
			in := []tensor{
				s.tensor(dtype, n, steps, d), s.tensor(dtype, 1, n, h), s.tensor(dtype, 1, n, h),
				s.tensor(dtype, 4*h, d), s.tensor(dtype, 4*h, h), s.tensor(dtype, 4*h), s.tensor(dtype, 4*h),
			}
			if s.chance(.05) {
				in = in[:len(in)-1]
			}
			if s.chance(.05) {
				in[s.IntN(len(in))] = s.tensor(dtype, s.shape(0, 3)...)
			}
			return call{in: in, tolerance: 1e-3, apart: s.strange, run: func(x []tensor) []tensor {
				out, h, c := x[0].LSTM(x[1], x[2], x[3:])
				return []tensor{out, h, c}
			}}
		}},
		loss("CrossEntropy", tensor.CrossEntropy),
		loss("NLLLoss", tensor.NLLLoss),
	}
}
