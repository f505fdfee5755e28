package main

import (
	"fmt"

	"github.com/losscorr/losscorr/torch"
)

// networks is libtorch's own layers and losses.
func networks() []operation {
	window := func(s *source) torch.Window {
		w := torch.Window{Stride: s.IntN(4), Padding: s.IntN(3), Dilation: s.IntN(3)}
		if s.chance(.05) {
			w.Stride = s.number()
		}
		if s.chance(.05) {
			w.Padding = s.number()
		}
		if s.chance(.05) {
			w.Dilation = s.number()
		}
		return w
	}
	images := func(s *source) (tensor, int) {
		c := pick(s, 0, 1, 2, 3, 4, 8, 16)
		shape := []int{s.IntN(5), c, s.IntN(12), s.IntN(12)}
		if s.chance(.05) {
			shape = s.shape(0, 5)
		}
		return s.tensor(s.float(), shape...), c
	}
	pool := func(name string, f func(t tensor, kernel int, w torch.Window) tensor) operation {
		return operation{name, func(s *source) call {
			t, _ := images(s)
			w, kernel := window(s), s.IntN(5)
			if s.chance(.05) {
				kernel = s.number()
			}
			return call{in: []tensor{t}, tolerance: 1e-3, apart: s.strange, run: single(func(t tensor) tensor { return f(t, kernel, w) })}
		}}
	}
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
		{"Conv2d", func(s *source) call {
			t, c := images(s)
			w := window(s)
			w.Groups = pick(s, 0, 0, 0, 1, 2, c)
			if s.chance(.05) {
				w.Groups = s.number()
			}
			out, kernel := pick(s, 0, 1, 2, 4, 16), s.IntN(4)
			channels := c
			if w.Groups > 1 {
				channels = c / w.Groups
			}
			in := []tensor{t, s.tensor(t.DType(), out, channels, kernel, kernel), {}}
			if s.chance(.5) {
				in[2] = s.tensor(t.DType(), out)
			}
			return call{in: in, note: fmt.Sprintf(" %+v", w), tolerance: 2e-3, apart: s.strange, run: func(x []tensor) []tensor { return []tensor{x[0].Conv2d(x[1], x[2], w)} }}
		}},
		pool("MaxPool2d", func(t tensor, k int, w torch.Window) tensor { return t.MaxPool2d(k, w).Detach() }),
		pool("AvgPool2d", tensor.AvgPool2d),
		pool("AdaptiveAvgPool2d", func(t tensor, k int, w torch.Window) tensor { return t.AdaptiveAvgPool2d(k, w.Padding) }),
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
		loss("CrossEntropy", true, tensor.CrossEntropy),
		loss("CrossEntropySmooth", true, func(t, u tensor, r torch.Reduction) tensor { return t.CrossEntropySmooth(u, r, .1) }),
		loss("NLLLoss", true, tensor.NLLLoss),
		loss("MSELoss", false, tensor.MSELoss),
		loss("BCEWithLogits", false, tensor.BCEWithLogits),
	}
}
