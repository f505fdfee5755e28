package main

import "github.com/losscorr/losscorr/torch"

// draws returns the operations that draw random numbers.
func draws() []operation {
	drawn := func(name string, f func(s *source) func(g *torch.Generator, o torch.Options, shape []int) tensor) operation {
		return operation{name, func(s *source) call {
			g, o, shape, draw := s.generator(), torch.Options{DType: s.dtype()}, s.shape(0, 3), f(s)
			return call{run: func([]tensor) []tensor { return []tensor{draw(g(), o, shape)} }}
		}}
	}
	return []operation{
		drawn("Uniform", func(s *source) func(*torch.Generator, torch.Options, []int) tensor {
			a, b := s.real(), s.real()
			return func(g *torch.Generator, o torch.Options, shape []int) tensor { return g.Uniform(a, b, o, shape...) }
		}),
		drawn("Normal", func(s *source) func(*torch.Generator, torch.Options, []int) tensor {
			a, b := s.real(), s.real()
			return func(g *torch.Generator, o torch.Options, shape []int) tensor { return g.Normal(a, b, o, shape...) }
		}),
		drawn("Bernoulli", func(s *source) func(*torch.Generator, torch.Options, []int) tensor {
			p := s.real()
			return func(g *torch.Generator, o torch.Options, shape []int) tensor { return g.Bernoulli(p, o, shape...) }
		}),
		drawn("Integers", func(s *source) func(*torch.Generator, torch.Options, []int) tensor {
			a, b := s.number(), s.number()
			return func(g *torch.Generator, o torch.Options, shape []int) tensor { return g.Integers(a, b, o, shape...) }
		}),
		drawn("Permutation", func(s *source) func(*torch.Generator, torch.Options, []int) tensor {
			n := s.number()
			return func(g *torch.Generator, _ torch.Options, _ []int) tensor { return g.Permutation(n) }
		}),
		{"Restore", func(s *source) call {
			g := s.generator()
			state := g().State()
			for range s.IntN(4) {
				state[s.IntN(len(state))] = byte(s.Uint32())
			}
			if s.chance(.1) {
				state = state[:s.IntN(len(state))]
			}
			return call{run: func([]tensor) []tensor {
				g := g()
				g.Restore(state)
				return []tensor{g.Normal(0, 1, torch.Options{}, 40), g.Permutation(700), torch.Ones(torch.Options{}, 50).Dropout(.5,
					g)}
			}, apart: true}
		}},
	}
}
