package main

// reductions returns the reductions along one dimension whose index depends on the order of equal elements. Only the
// values are compared, not the indices.
func reductions() []operation {
	along := func(name string, f func(s *source) func(t tensor, d int) tensor) operation {
		return operation{name, func(s *source) call {
			t, f := s.any(s.shape(0, 4)...), f(s)
			d := s.dim(t)
			return call{in: []tensor{t}, tolerance: 1e-3, apart: s.strange, run: single(func(t tensor) tensor {
				return f(t, d).Detach()
			})}
		}}
	}
	return []operation{
		along("Argmax", func(*source) func(tensor, int) tensor {
			return func(t tensor, d int) tensor {
				i := t.Argmax(d)
				if t.Dim() == 0 {
					return i
				}
				return t.Gather(d, i.Unsqueeze(d))
			}
		}),
		along("Sort", func(s *source) func(tensor, int) tensor {
			descending := s.chance(.5)
			return func(t tensor, d int) tensor {
				values, _ := t.Sort(d, descending)
				return values
			}
		}),
		along("TopK", func(s *source) func(tensor, int) tensor {
			k := s.number()
			return func(t tensor, d int) tensor {
				values, _ := t.TopK(k, d)
				return values
			}
		}),
	}
}
