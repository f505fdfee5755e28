package main

import "github.com/losscorr/losscorr/torch"

// optimizers returns the operations that set gradients and make optimizer steps.
func optimizers() []operation {
	return []operation{
		{"SetGrad", setGrad},
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
			number := 1 + s.IntN(5)
			return step(s, 2, func(p []tensor, state [][]tensor) { o.Step(p, state[0], state[1], number) })
		}},
		{"Unscale", func(s *source) call {
			p := s.tensor(s.float(), s.shape(0, 3)...)
			scale := pick(s, 1, 2, 1<<16, s.real())
			return call{in: []tensor{p, s.tensor(p.DType(), p.Shape()...)}, layout: true, apart: s.strange || extreme(scale),
				run: double(func(p, g tensor) tensor {
					p = p.Detach()
					p.SetGrad(g.Detach().Clone())
					if !torch.Unscale([]tensor{p}, scale) {
						return p.Grad().MulScalar(0)
					}
					return p.Grad()
				})}
		}},
		{"ZeroGrad", func(s *source) call {
			p := s.tensor(s.float(), s.shape(0, 3)...)
			return call{in: []tensor{p, s.tensor(p.DType(), p.Shape()...)}, unused: true, run: double(func(p, g tensor) tensor {
				p = p.Detach()
				p.SetGrad(g.Detach().Clone())
				torch.ZeroGrad([]tensor{p})
				if p.Grad().Defined() {
					return p.Grad()
				}
				return p
			})}
		}},
	}
}

func setGrad(s *source) call {
	t := s.any(s.shape(0, 3)...)
	shape, dtype := t.Shape(), t.DType()
	if s.chance(.3) {
		shape = s.like(shape)
	}
	if s.chance(.3) {
		dtype = s.dtype()
	}
	return call{in: []tensor{t, s.tensor(dtype, shape...)}, run: double(func(t, g tensor) tensor {
		t = t.Detach()
		t.SetGrad(g.Detach())
		return t.Grad()
	})}
}

// step returns an optimizer's step of up to three parameters. Parameters, gradients and
// state each have random strides.
func step(s *source, states int, f func(params []tensor, state [][]tensor)) call {
	n := s.IntN(4)
	dtype := s.float()
	var in []tensor
	for range n {
		shape := s.shape(0, 4)
		for k := range 2 + states {
			own := shape
			if s.chance(.01) {
				own = s.like(shape)
			}
			in = append(in, s.laid(own, func(shape []int) tensor {
				t := s.values(dtype, shape)
				if k >= 2 { // squares
					t = t.Abs()
				}
				return t
			}))
		}
	}
	drop := 0
	if s.chance(.03) && states > 0 {
		drop = 1
	}
	return call{in: in, layout: true, unused: true, tolerance: 1e-3, apart: s.strange, run: func(in []tensor) []tensor {
		var params, out []tensor
		state := make([][]tensor, states)
		for i := 0; i < len(in); i += 2 + states {
			p := in[i].Detach()
			if i/(2+states)%3 < 2 {
				p.SetGrad(in[i+1].Detach())
			}
			params, out = append(params, p), append(out, p)
			for k := range states {
				t := in[i+2+k].Detach()
				state[k], out = append(state[k], t), append(out, t)
			}
		}
		if drop > 0 && len(state[states-1]) > 0 {
			state[states-1] = state[states-1][1:]
		}
		f(params, state)
		return out
	}}
}
