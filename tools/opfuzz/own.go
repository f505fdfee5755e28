package main

import (
	"fmt"
	"math"

	"github.com/losscorr/losscorr/torch"
)

// own returns the operations with the shim's own loops, each with the plain operations
// that they replace.
func own() []operation {
	return []operation{
		{"Linear", linear},
		{"Linear sparse", sparse},
		{"Linear compressed", compressed},
		{"Dropout", dropout},
		{"ReLUDropout", reluDropout},
		{"BatchNorm", func(s *source) call { return batchNorm(s, tensor.BatchNorm, false) }},
		{"BatchNormReLU", func(s *source) call { return batchNorm(s, tensor.BatchNormReLU, true) }},
		{"EmbeddingLinear", embeddingLinear},
		{"EmbeddingLSTM", embeddingLSTM},
	}
}

// about returns n, rarely another size.
func (s *source) about(n int) int {
	if s.chance(.02) {
		return s.size()
	}
	return n
}

func linear(s *source) call {
	dtype := s.float()
	n, k, m := s.size(), s.size(), s.size()
	in := []tensor{s.tensor(dtype, s.about(n), s.about(k)), s.tensor(dtype, s.about(m), k), s.tensor(dtype, s.about(m))}
	if s.chance(.1) {
		in[0] = s.tensor(dtype, append(s.shape(0, 2), k)...)
	}
	if s.chance(.1) {
		in[2] = tensor{}
	}
	if s.chance(.03) {
		in[s.IntN(2)] = s.any(s.shape(0, 3)...)
	}
	return call{
		in: in, wide: true, tolerance: 1e-3, apart: s.strange, layout: in[0].DType() != in[1].DType(),
		run: func(x []tensor) []tensor { return []tensor{x[0].Linear(x[1], x[2])} },
	}
}

// sparse returns a call of the sparse product: a wide input of mostly zeros, with a
// supported number of outputs.
func sparse(s *source) call {
	n, k, m := s.IntN(140), 250+s.IntN(300), 64*(1+s.IntN(3))
	rate := pick(s, 0, .01, .1, .3)
	x := make([]float32, n*k)
	for i := range x {
		if s.chance(rate) {
			x[i] = float32(s.NormFloat64())
		}
	}
	in := []tensor{torch.FromSlice(x, n, k), s.tensor(torch.Float32, m, k), s.tensor(torch.Float32, m)}
	return call{in: in, wide: true, tolerance: 1e-3, apart: s.strange, run: func(x []tensor) []tensor {
		return []tensor{x[0].Linear(x[1], x[2])}
	}}
}

// compressed returns a call like sparse with rows of a compressed sparse input, always
// float32.
func compressed(s *source) call {
	c := sparse(s)
	n := c.in[0].Size(0)
	c.in = append(c.in, s.index(n, s.about(n)))
	c.run = func(x []tensor) []tensor {
		input := x[0].Detach()
		if input.DType() == torch.Float32 {
			input = input.ToSparseCSR()
		}
		return []tensor{input.IndexSelect(0, x[3]).Linear(x[1], x[2])}
	}
	return c
}

// dropped panics unless y is x with some elements zero and the rest scaled by the same
// factor.
func dropped(x, y tensor, p float64) tensor {
	a, b := torch.Slice[float64](x.Detach()), torch.Slice[float64](y.Detach())
	kept, scale := 0, 0.
	for i := range a {
		if a[i] == 0 {
			continue
		}
		if b[i] == 0 {
			continue
		}
		kept++
		if scale == 0 {
			scale = b[i] / a[i]
		}
		if math.Abs(b[i]/a[i]-scale) > .02*math.Abs(scale) {
			panic(fmt.Sprintf("dropout scales %v to %v, others by %v", a[i], b[i], scale))
		}
	}
	if kept > 0 && p < .999 && math.Abs(scale*(1-p)-1) > .02 {
		panic(fmt.Sprintf("dropout of %v scales by %v", p, scale))
	}
	return y
}

func dropout(s *source) call {
	t := s.any(s.shape(0, 4)...)
	p := pick(s, 0, 1, .5, .2, s.Float64(), s.real())
	var shared []int
	for d := range t.Dim() {
		if s.chance(.2) {
			shared = append(shared, d)
		}
	}
	if s.chance(.03) {
		shared = append(shared, s.number())
	}
	g := s.generator()
	return call{in: []tensor{t}, apart: true, run: single(func(t tensor) tensor {
		y := t.Dropout(p, g(), shared...)
		if s.strange || !t.DType().IsFloat() {
			return y
		}
		return dropped(t, y, p)
	})}
}

// reluDropout draws in memory order, so only dense inputs can be compared, with the two
// operations on the same strides.
func reluDropout(s *source) call {
	t := s.tensor(s.float(), s.shape(0, 4)...)
	p := pick(s, 0, 1, .5, .2, s.Float64(), s.real())
	g := s.generator()
	return call{in: []tensor{t}, apart: true, run: single(func(t tensor) tensor {
		y, want := t.ReLUDropout(p, g()), t.ReLU().Dropout(p, g())
		if err := equal([]tensor{y}, []tensor{want}, 1e-6, false); err != nil && !s.strange {
			panic(err)
		}
		if t.RequiresGrad() {
			a, b := torch.Grad(y.Sum(), []tensor{t}, false), torch.Grad(want.Sum(), []tensor{t}, false)
			if err := equal(a, b, 1e-6, false); err != nil && !s.strange {
				panic(err)
			}
		}
		return y.Detach()
	})}
}

func batchNorm(s *source, f func(x, weight, bias, mean, variance tensor, training bool, momentum, eps float64) tensor,
	relu bool) call {
	channels := pick(s, 0, 1, 3, 16, 16, 16, 32, 48, 128)
	shape := []int{s.IntN(7), s.about(channels), s.IntN(10), s.IntN(10)}
	if s.chance(.15) {
		shape = append([]int{s.IntN(7), channels}, s.shape(0, 3)...)
	}
	if s.chance(.03) {
		shape = s.shape(0, 4)
	}
	dtype := s.float()
	x := s.tensor(dtype, shape...)
	if s.chance(.6) && len(shape) == 4 {
		x = x.ChannelsLast()
	}
	in := []tensor{x, {}, {}, {}, {}}
	if s.chance(.9) {
		in[1], in[2] = s.tensor(dtype, s.about(channels)), s.tensor(dtype, s.about(channels))
	}
	if s.chance(.9) {
		in[3], in[4] = s.tensor(dtype, s.about(channels)), s.positive(dtype, s.about(channels))
	}
	if s.chance(.03) {
		in[1+s.IntN(4)] = s.any(channels)
	}
	training := s.chance(.7)
	eps := pick(s, 1e-3, 1e-2)
	run := func(f func(x, weight, bias, mean, variance tensor, training bool, momentum,
		eps float64) tensor) func(in []tensor) []tensor {
		return func(in []tensor) []tensor {
			if !in[3].Defined() || !in[4].Defined() || in[3].RequiresGrad() || in[4].RequiresGrad() {
				return []tensor{f(in[0], in[1], in[2], in[3], in[4], training, .1, eps)}
			}
			mean, variance := in[3].Clone(), in[4].Clone()
			y := f(in[0], in[1], in[2], mean, variance, training, .1, eps)
			return []tensor{y, mean, variance}
		}
	}
	c := call{in: in, note: fmt.Sprintf(" training %v eps %v", training, eps), run: run(f), tolerance: 5e-3,
		apart: s.strange, layout: true}
	if dtype == torch.Float32 {
		c.wide = true
	}
	if relu {
		c.apart = c.apart || tied(in, training, eps)
		c.want = run(func(x, weight, bias, mean, variance tensor, training bool, momentum, eps float64) tensor {
			return x.BatchNorm(weight, bias, mean, variance, training, momentum, eps).ReLU()
		})
	}
	return c
}

// tied reports whether some value before the ReLU is 0 except for rounding, as with equal
// inputs and a bias of 0. Rounding then decides about its gradient.
func tied(in []tensor, training bool, eps float64) (near bool) {
	torch.Scope(func() {
		wide := make([]tensor, len(in))
		err := torch.Try(func() error {
			for i, t := range in {
				if t.Defined() {
					wide[i] = t.Contiguous().Clone().ToDType(torch.Float64)
				}
			}
			y := wide[0].BatchNorm(wide[1], wide[2], wide[3], wide[4], training, .1, eps).Abs()
			near = y.Numel() > 0 && y.Amin().Item() < 1e-5
			return nil
		})
		near = near && err == nil
	})
	return near
}

func embeddingLinear(s *source) call {
	words, n, steps, dim, classes := 1+s.IntN(40), s.IntN(70), s.IntN(40), s.IntN(70), 1+s.IntN(5)
	in := []tensor{
		s.tensor(torch.Float32, words, dim), s.index(words, n, steps), s.tensor(torch.Float32, s.about(classes),
			s.about(steps*dim)), s.tensor(torch.Float32, s.about(classes)),
	}
	if s.chance(.3) && n > 0 && steps > 0 { // padding
		in[1] = torch.Cat(1, torch.Zeros(torch.Options{DType: in[1].DType()}, n, steps/2),
			in[1].Narrow(1, steps/2, steps-steps/2))
	}
	if s.chance(.05) {
		in[s.IntN(4)] = s.any(s.shape(0, 3)...)
	}
	if s.chance(.1) {
		for i := range in {
			if in[i].DType() == torch.Float32 {
				in[i] = in[i].ToDType(torch.Float64)
			}
		}
	}
	p := pick(s, 0, 0, .5, .8, .1, 1, s.real())
	var shared []int
	if s.chance(.5) {
		shared = []int{1}
	}
	g := s.generator()
	return call{
		in: in, wide: true, tolerance: 1e-3, apart: s.strange, layout: true,
		run: func(x []tensor) []tensor {
			return []tensor{torch.EmbeddingLinear(x[0], x[1], x[2], x[3], p, g(), shared...)}
		},
		want: func(x []tensor) []tensor {
			return []tensor{torch.Embedding(x[0], x[1]).Dropout(p, g(), shared...).ReLU().Flatten(1, -1).Linear(x[2], x[3])}
		},
	}
}

func embeddingLSTM(s *source) call {
	words, n, steps, dim, hidden := 1+s.IntN(30), s.IntN(9), s.IntN(12), 1+s.IntN(20), 1+s.IntN(20)
	dtype := pick(s, torch.Float32, torch.Float32, torch.Float64)
	in := []tensor{
		s.tensor(dtype, words, dim), s.index(words, n, steps),
		s.tensor(dtype, s.about(4*hidden), s.about(dim)), s.tensor(dtype, 4*hidden, s.about(hidden)),
		s.tensor(dtype, s.about(4*hidden)), s.tensor(dtype, 4*hidden),
	}
	if s.chance(.4) && n > 0 && steps > 0 {
		in[1] = torch.Cat(1, torch.Zeros(torch.Options{DType: in[1].DType()}, n, steps/2),
			in[1].Narrow(1, steps/2, steps-steps/2))
	}
	if s.chance(.05) {
		in[s.IntN(len(in))] = s.any(s.shape(0, 3)...)
	}
	p := pick(s, 0, 0, .5, .8, .1, 1, s.real())
	g := s.generator()
	return call{
		in: in, wide: true, tolerance: 2e-3, apart: s.strange, layout: true,
		run: func(x []tensor) []tensor { return []tensor{torch.EmbeddingLSTM(x[0], x[1], x[2:6], p, g())} },
		want: func(x []tensor) []tensor {
			y := torch.Embedding(x[0], x[1]).Dropout(p, g(), 1)
			h := 0
			if x[3].Dim() == 2 {
				h = x[3].Size(1)
			}
			zeros := torch.Zeros(y.Options(), 1, y.Size(0), h)
			_, last, _ := y.LSTM(zeros, zeros, x[2:6])
			return []tensor{last.Select(0, 0)}
		},
	}
}
