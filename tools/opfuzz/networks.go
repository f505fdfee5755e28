package main

import (
	"fmt"

	"github.com/losscorr/losscorr/torch"
)

// networks is libtorch's own layers and losses.
func networks() []operation {
	loss := func(name string, classes bool, f func(t, u tensor, r torch.Reduction) tensor) operation {
		return operation{name, func(s *source) call {
			r := pick(s, torch.ReduceMean, torch.ReduceNone, torch.ReduceSum)
			shape := s.shape(2, 2)
			t := s.tensor(s.float(), shape...)
			u := s.tensor(t.DType(), s.like(shape)...)
			if classes {
				u = s.index(shape[1], shape[0])
			}
			return call{in: []tensor{t, u}, tolerance: 1e-3, apart: s.strange, run: double(func(t, u tensor) tensor { return f(t, u, r) })}
		}}
	}
	return []operation{
		{"Embedding", func(s *source) call {
			t := s.tensor(s.float(), s.shape(2, 2)...)
			return call{in: []tensor{t, s.index(t.Size(0), s.shape(0, 3)...)}, tolerance: 1e-3, run: double(torch.Embedding)}
		}},
		{"LSTM", func(s *source) call {
			steps, n, d, h := s.IntN(6), s.IntN(5), s.IntN(7), s.IntN(7)
			layers, directions := 1+s.IntN(2), 1+s.IntN(2)
			dtype := s.float()
			in := []tensor{s.tensor(dtype, steps, n, d), s.tensor(dtype, layers*directions, n, h), s.tensor(dtype, layers*directions, n, h)}
			biases := s.chance(.8)
			for l := range layers {
				width := d
				if l > 0 {
					width = h * directions
				}
				for range directions {
					in = append(in, s.tensor(dtype, 4*h, width), s.tensor(dtype, 4*h, h))
					if biases {
						in = append(in, s.tensor(dtype, 4*h), s.tensor(dtype, 4*h))
					}
				}
			}
			if s.chance(.05) {
				in = in[:len(in)-1]
			}
			if s.chance(.05) {
				in[s.IntN(len(in))] = s.tensor(dtype, s.shape(0, 3)...)
			}
			told := layers
			if s.chance(.05) {
				told = int(int32(s.number()))
				told = min(told, 1<<16)
			}
			batchFirst := s.chance(.1)
			return call{in: in, tolerance: 1e-3, apart: s.strange, run: func(x []tensor) []tensor {
				out, h, c := x[0].LSTM(x[1], x[2], x[3:], told, directions == 2, batchFirst)
				return []tensor{out, h, c}
			}}
		}},
		{"CrossEntropyWith", func(s *source) call {
			shape := s.shape(2, 4)
			t := s.tensor(s.float(), shape...)
			o := torch.CrossEntropyOptions{Reduction: pick(s, torch.ReduceMean, torch.ReduceNone, torch.ReduceSum), Smoothing: pick(s, 0, 0, .1, s.real())}
			if s.chance(.4) {
				o.IgnoreIndex = new(pick(s, 0, 1, -1, s.number()))
			}
			in := []tensor{t, s.index(shape[1], append([]int{s.about(shape[0])}, shape[2:]...)...), {}}
			if s.chance(.6) {
				in[2] = s.positive(t.DType(), s.about(shape[1]))
			}
			return call{in: in, note: fmt.Sprintf(" %+v", o), tolerance: 1e-3, apart: s.strange, run: func(x []tensor) []tensor {
				o := o
				o.Weight = x[2]
				return []tensor{x[0].CrossEntropyWith(x[1], o)}
			}}
		}},
		loss("CrossEntropy", true, tensor.CrossEntropy),
		loss("CrossEntropySmooth", true, func(t, u tensor, r torch.Reduction) tensor { return t.CrossEntropySmooth(u, r, .1) }),
		loss("NLLLoss", true, tensor.NLLLoss),
		loss("MSELoss", false, tensor.MSELoss),
		loss("BCEWithLogits", false, tensor.BCEWithLogits),
	}
}
