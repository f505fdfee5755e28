package main

// indexing returns the operations that take indices or masks.
func indexing() []operation {
	// target is a tensor, a dimension of it, and an index into that.
	target := func(s *source) (t tensor, d int) {
		t = s.any(s.shape(1, 4)...)
		return t, s.IntN(t.Dim())
	}
	return []operation{
		{"IndexSelect", func(s *source) call {
			t, d := target(s)
			return call{in: []tensor{t, s.index(t.Size(d), s.shape(0, 1)...)}, run: double(func(t, i tensor) tensor {
				return t.IndexSelect(d, i)
			})}
		}},
		{"Gather", func(s *source) call {
			t, d := target(s)
			shape := s.below(t.Shape(), d)
			return call{in: []tensor{t, s.index(t.Size(d), shape...)}, run: double(func(t, i tensor) tensor {
				return t.Gather(d, i)
			})}
		}},
		{"ScatterValue", func(s *source) call {
			t, d := target(s)
			v := float64(s.IntN(5))
			return call{in: []tensor{t, s.index(t.Size(d), s.below(t.Shape(), d)...)}, run: double(func(t, i tensor) tensor {
				return t.ScatterValue(d, i, v)
			})}
		}},
		{"ScatterInPlace", func(s *source) call { // indices may repeat, and either value may stay
			t, d := target(s)
			shape := s.below(t.Shape(), d)
			in := []tensor{t, s.index(t.Size(d), shape...), s.tensor(t.DType(), shape...)}
			return call{in: in, apart: true, run: changing(func(x []tensor) { x[0].ScatterInPlace(d, x[1], x[2]) })}
		}},
	}
}

// below returns a shape no larger than another in all dimensions except d.
func (s *source) below(shape []int, d int) []int {
	out := append([]int(nil), shape...)
	for i := range out {
		switch {
		case i == d:
			out[i] = s.size()
			for out[i] > 1 && count(out) > 1<<16 { // the others may exceed it
				out[i] = (out[i] + 1) / 2
			}
		case out[i] > 0 && s.chance(.3):
			out[i] = 1 + s.IntN(out[i])
		case s.chance(.03):
			out[i]++
		}
	}
	return out
}
