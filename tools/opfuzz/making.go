package main

import "github.com/losscorr/losscorr/torch"

// making returns the operations that make, copy and free tensors.
func making() []operation {
	made := func(name string, f func(s *source) func() tensor) operation {
		return operation{name, func(s *source) call {
			g := f(s)
			return call{run: func([]tensor) []tensor { return []tensor{g()} }}
		}}
	}
	options := func(s *source) torch.Options { return torch.Options{DType: s.dtype()} }
	sizes := func(s *source) []int {
		shape := s.shape(0, 4)
		if len(shape) > 0 && s.chance(.1) {
			shape[s.IntN(len(shape))] = s.number()
		}
		return shape
	}
	return []operation{
		made("FromSlice", func(s *source) func() tensor {
			shape := sizes(s)
			n := min(max(count(shape), 0), 1<<18)
			if s.chance(.1) {
				n++
			}
			data := make([]float32, n)
			return func() tensor { return torch.FromSlice(data, shape...) }
		}),
		made("Empty", func(s *source) func() tensor { // has arbitrary values
			o, shape := options(s), sizes(s)
			return func() tensor {
				t := torch.Empty(o, shape...)
				t.Fill(1)
				return t
			}
		}),
		made("Arange", func(s *source) func() tensor {
			a, b, step, o := s.real(), s.real(), s.real(), options(s)
			return func() tensor { return torch.Arange(a, b, step, o) }
		}),
		{"ToDType", func(s *source) call {
			d := s.dtype()
			return call{in: []tensor{s.any(s.shape(0, 4)...)}, run: single(func(t tensor) tensor {
				return t.ToDType(d)
			}), apart: s.strange}
		}},
		{"To", func(s *source) call {
			o := options(s)
			return call{in: []tensor{s.any(s.shape(0, 4)...)}, run: single(func(t tensor) tensor {
				return t.To(o)
			}), apart: s.strange}
		}},
		unary("ZerosLike", torch.ZerosLike),
		{"Items", func(s *source) call {
			return call{in: []tensor{s.any(s.shape(0, 2)...), s.any()}, run: func(in []tensor) []tensor {
				return []tensor{torch.FromSlice(torch.Items(in...))}
			}}
		}},
		{"Free", func(s *source) call {
			twice := s.chance(.5)
			return call{run: func([]tensor) []tensor {
				t := torch.Ones(torch.Options{}, 3)
				t.Free()
				if twice {
					t.Free()
				}
				return nil
			}}
		}},
		{"Keep", func(s *source) call {
			return call{in: []tensor{s.any(s.shape(0, 3)...)}, run: single(func(t tensor) tensor {
				var kept tensor
				torch.Scope(func() {
					torch.Scope(func() { kept = t.Clone().Keep().Keep() })
				})
				return kept
			})}
		}},
	}
}
