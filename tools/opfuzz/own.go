package main

import (
	"fmt"

	"github.com/losscorr/losscorr/torch"
)

// own lists operations with the shim's own loops, each with the plain operations that they replace; Linear and
// Attention are in cgo/ops.go.
var own = []operation{
	{"Linear compressed", func(s *source) call {
		in, rows := s.linear(), 0
		if in[0].Dim() > 0 {
			rows = in[0].Size(0)
		}
		in = append(in, s.index(rows, s.size()))
		return call{in: in, wide: true, run: func(x []tensor) []tensor {
			input := x[0].Detach()
			if input.DType() == torch.Float32 && input.Dim() == 2 {
				input = input.ToSparseCSR()
			}
			return []tensor{input.IndexSelect(0, x[3]).Linear(x[1], x[2])}
		}}
	}},
	drawn("Dropout", func(s *source, g *torch.Generator, t tensor) tensor {
		return t.Dropout(s.probability(), g, s.axes(t)...)
	}),
	{"ReLUDropout", func(s *source) call {
		t, p, g := s.tensor(s.float(), s.shape(0, 4)...), s.probability(), s.generator()
		return call{
			in:   []tensor{t.Contiguous()}, // the draws follow the order in memory
			run:  single(func(t tensor) tensor { return t.ReLUDropout(p, g()) }),
			want: single(func(t tensor) tensor { return t.ReLU().Dropout(p, g()) }),
		}
	}},
	{"BatchNorm", func(s *source) call { return batchNorm(s, tensor.BatchNorm, nil) }},
	{"BatchNormReLU", func(s *source) call { return batchNorm(s, tensor.BatchNormReLU, tensor.ReLU) }},
	{"EmbeddingLinear", func(s *source) call {
		words, n, steps, dim, classes := 1+s.IntN(40), s.IntN(70), s.IntN(40), s.IntN(70), 1+s.IntN(5)
		in := s.tensors(torch.Float32, []int{words, dim}, nil, []int{classes, steps * dim}, []int{classes})
		in[1] = s.padded(words, n, steps)
		p, g, shared := s.probability(), s.generator(), []int{1}[:s.IntN(2)]
		return call{
			in: in, wide: true,
			run: func(x []tensor) []tensor {
				return []tensor{torch.EmbeddingLinear(x[0], x[1], x[2], x[3], p, g(), shared...)}
			},
			want: func(x []tensor) []tensor {
				y := torch.Embedding(x[0], x[1]).Dropout(p, g(), shared...).ReLU()
				return []tensor{y.Flatten(1, -1).Linear(x[2], x[3])}
			},
		}
	}},
	{"EmbeddingLSTM", func(s *source) call {
		words, n, steps, dim, hidden := 1+s.IntN(30), s.IntN(9), s.IntN(12), 1+s.IntN(20), 1+s.IntN(20)
		in := s.tensors(pick(s, torch.Float32, torch.Float32, torch.Float64), []int{words, dim}, nil,
			[]int{4 * hidden, dim}, []int{4 * hidden, hidden}, []int{4 * hidden}, []int{4 * hidden})
		in[1] = s.padded(words, n, steps)
		p, g := s.probability(), s.generator()
		return call{
			in: in, wide: true,
			run: func(x []tensor) []tensor { return []tensor{torch.EmbeddingLSTM(x[0], x[1], x[2:6], p, g())} },
			want: func(x []tensor) []tensor {
				y := torch.Embedding(x[0], x[1]).Dropout(p, g(), 1)
				zeros := torch.Zeros(y.Options(), 1, y.Size(0), hidden)
				_, last, _ := y.LSTM(zeros, zeros, x[2:6])
				return []tensor{last.Select(0, 0)}
			},
		}
	}},
	{"SGD", func(s *source) call {
		o := torch.SGD{LearningRate: .1, Momentum: pick(s, 0, .9), WeightDecay: .01}
		states := 1
		if o.Momentum == 0 {
			states = 0
		}
		return step(s, states, func(p []tensor, state [][]tensor) { o.Step(p, append(state, nil)[0]) })
	}},
	{"AdaGrad", func(s *source) call {
		o := torch.AdaGrad{LearningRate: .1, Epsilon: 1e-3, WeightDecay: .01}
		return step(s, 1, func(p []tensor, state [][]tensor) { o.Step(p, state[0]) })
	}},
	{"Adam", func(s *source) call {
		o := torch.Adam{LearningRate: .1, Beta1: .9, Beta2: .99, Epsilon: 1e-3, WeightDecay: .01}
		return step(s, 2, func(p []tensor, state [][]tensor) { o.Step(p, state[0], state[1], 3) })
	}},
	{"Unscale", func(s *source) call {
		return step(s, 0, func(p []tensor, _ [][]tensor) {
			torch.Unscale(p, 2)
			torch.ZeroGrad(p)
		})
	}},
}

// padded returns indices that may start with zeros.
func (s *source) padded(words, n, steps int) tensor {
	t := s.index(words, n, steps)
	if s.chance(.6) || n == 0 || steps == 0 {
		return t
	}
	return torch.Cat(1, torch.Zeros(t.Options(), n, steps/2), t.Narrow(1, steps/2, steps-steps/2))
}

type normalise func(x, weight, bias, mean, variance tensor, training bool, momentum, eps float64) tensor

// batchNorm returns a call of f, whose reference is BatchNorm and then another operation, if there is one.
func batchNorm(s *source, f normalise, then func(tensor) tensor) call {
	channels, dtype := pick(s, 0, 1, 3, 16, 16, 16, 32, 48, 128), s.float()
	in := s.tensors(dtype, []int{s.IntN(7), channels, s.IntN(10), s.IntN(10)})
	for range 4 { // of one dimension: libtorch asserts that
		n := channels
		if s.chance(.03) {
			n = s.size()
		}
		in = append(in, s.tensor(dtype, n))
	}
	in[4] = in[4].Abs().AddScalar(.1)
	if in[0].Dim() == 4 && s.chance(.6) {
		in[0] = in[0].ChannelsLast()
	}
	for i := 1; i < 5; i += 2 {
		if s.chance(.1) {
			in[i], in[i+1] = tensor{}, tensor{}
		}
	}
	training := s.chance(.7)
	run := func(f normalise) func(x []tensor) []tensor {
		return func(x []tensor) []tensor {
			if !x[3].Defined() || !x[4].Defined() {
				return []tensor{f(x[0], x[1], x[2], x[3], x[4], training, .1, 1e-2)}
			}
			mean, variance := x[3].Detach().Clone(), x[4].Detach().Clone()
			return []tensor{f(x[0], x[1], x[2], mean, variance, training, .1, 1e-2), mean, variance}
		}
	}
	c := call{in: in, note: fmt.Sprint(" training ", training), wide: true, run: run(f)}
	if then != nil {
		c.rough = true
		c.want = run(func(x, weight, bias, mean, variance tensor, training bool, momentum, eps float64) tensor {
			return then(x.BatchNorm(weight, bias, mean, variance, training, momentum, eps))
		})
	}
	return c
}

// step returns an optimizer's step of up to three parameters. Parameters, gradients and
// state each have random strides.
func step(s *source, states int, f func(params []tensor, state [][]tensor)) call {
	dtype, each := s.float(), 2+states
	var in []tensor
	for range s.IntN(4) {
		shape := s.shape(0, 4)
		for k := range each {
			t := s.tensor(dtype, s.about(shape...)...)
			if k >= 2 { // squares
				t = t.Abs()
			}
			in = append(in, t)
		}
	}
	return call{in: in, layout: true, unused: true, run: func(in []tensor) []tensor {
		var params, out []tensor
		state := make([][]tensor, states)
		for i := 0; i < len(in); i += each {
			p := in[i].Detach()
			if i/each < 2 {
				p.SetGrad(in[i+1].Detach())
			}
			params, out = append(params, p), append(out, p)
			for k := range states {
				t := in[i+2+k].Detach()
				state[k], out = append(state[k], t), append(out, t)
			}
		}
		f(params, state)
		return out
	}}
}
