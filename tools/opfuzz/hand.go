package main

import (
	"fmt"

	"github.com/losscorr/losscorr/torch"
)

func both(a, b tensor) []tensor { return []tensor{a, b} }

func single(f func(tensor) tensor) func([]tensor) []tensor {
	return func(in []tensor) []tensor { return []tensor{f(in[0])} }
}

// changing calls an in-place operation on a copy of the first operand with the same strides.
func changing(f func(in []tensor)) func([]tensor) []tensor {
	return func(in []tensor) []tensor {
		moved := append([]tensor{in[0].Detach()}, in[1:]...)
		f(moved)
		return moved[:1]
	}
}

// drawn is an operation with a random result, which is not compared.
func drawn(name string, f func(s *source, g *torch.Generator, t tensor) tensor) operation {
	return operation{name, func(s *source) call {
		g := s.generator()
		return call{in: s.operands(1), apart: true, unused: true, run: single(func(t tensor) tensor {
			return f(s, g(), t)
		})}
	}}
}

// making lists the operations outside of cgo/ops.go that libtorch computes.
var making = []operation{
	{"To", func(s *source) call {
		o := s.options()
		return call{in: s.operands(1), run: single(func(t tensor) tensor { return t.To(o) })}
	}},
	{"Keep", func(s *source) call {
		return call{in: s.operands(1), run: single(func(t tensor) (kept tensor) {
			torch.Scope(func() {
				torch.Scope(func() { kept = t.Clone().Keep().Keep() })
			})
			return kept
		})}
	}},
	drawn("Draw", func(s *source, g *torch.Generator, t tensor) tensor {
		o, shape := s.options(), t.Shape()
		torch.Cat(0, g.Permutation(s.number()), g.Integers(s.IntN(9), s.IntN(200), o, 3))
		return g.Uniform(s.real(), s.real(), o, shape...).Add(g.Normal(s.real(), s.real(), o, shape...))
	}),
	drawn("Restore", func(s *source, g *torch.Generator, t tensor) tensor {
		state := g.State()
		for range s.IntN(4) {
			state[s.IntN(len(state))] = byte(s.Uint32())
		}
		g.Restore(state[:pick(s, len(state), len(state), s.IntN(len(state)))])
		return g.Bernoulli(s.probability(), s.options(), t.Shape()...)
	}),
	{"Conv2d", func(s *source) call {
		w := torch.Window{Stride: s.IntN(4), Padding: s.IntN(3), Groups: pick(s, 0, 0, 0, 1, 2, s.number())}
		in, out, side, dtype := s.channels(), s.channels(), 1+s.IntN(3), s.float()
		operands := s.tensors(dtype, []int{s.IntN(5), in, s.IntN(12), s.IntN(12)},
			[]int{out, in / max(w.Groups, 1), side, side}, []int{out})
		return call{in: operands, note: fmt.Sprintf(" %+v", w), run: func(x []tensor) []tensor {
			return []tensor{x[0].Conv2d(x[1], x[2], w)}
		}}
	}},
	{"MaxPool2d", func(s *source) call {
		w, kernel := torch.Window{Stride: s.IntN(4), Padding: s.IntN(3)}, s.number()
		return call{in: []tensor{s.images()}, note: fmt.Sprintf(" %d %+v", kernel, w), run: single(func(t tensor) tensor {
			return t.MaxPool2d(kernel, w).Detach()
		})}
	}},
	{"LSTM", func(s *source) call {
		steps, n, d, h := s.IntN(6), s.IntN(5), s.IntN(7), s.IntN(7)
		in := s.tensors(s.float(), []int{n, steps, d}, []int{1, n, h}, []int{1, n, h}, []int{4 * h, d}, []int{4 * h, h},
			[]int{4 * h}, []int{4 * h})
		return call{in: in[:pick(s, 7, 7, 7, 7, 6)], run: func(x []tensor) []tensor {
			out, h, c := x[0].LSTM(x[1], x[2], x[3:])
			return []tensor{out, h, c}
		}}
	}},
	{"LayerNorm", func(s *source) call {
		t := s.tensor(s.float(), s.shape(0, 4)...)
		shape := s.about(t.Shape()[s.IntN(t.Dim()+1):]...)
		in := append([]tensor{t}, s.tensors(t.DType(), shape, shape)...)
		return call{in: in, note: fmt.Sprint(" over ", shape), run: func(x []tensor) []tensor {
			return []tensor{x[0].LayerNorm(shape, x[1], x[2], 1e-2)}
		}}
	}},
}
