package main

// pointwise is operations on each element for itself.
func pointwise() []operation {
	var all []operation
	for name, f := range map[string]func(tensor) tensor{
		"Neg": tensor.Neg, "Abs": tensor.Abs, "Exp": tensor.Exp, "Log": tensor.Log,
		"Log1p": tensor.Log1p, "Sqrt": tensor.Sqrt, "Square": tensor.Square,
		"Sigmoid": tensor.Sigmoid,
		"ReLU":    tensor.ReLU,
	} {
		all = append(all, unary(name, f))
	}
	for name, f := range map[string]func(a, b tensor) tensor{
		"Add": tensor.Add, "Sub": tensor.Sub, "Mul": tensor.Mul, "Div": tensor.Div, "Maximum": tensor.Maximum,
		"Eq": tensor.Eq, "Ne": tensor.Ne,
	} {
		all = append(all, operation{name, func(s *source) call {
			shape := s.shape(0, 4)
			a := s.any(shape...)
			b := s.tensor(a.DType(), s.like(shape)...)
			if s.chance(.3) {
				b = s.any(s.like(shape)...)
			}
			return call{in: []tensor{a, b}, run: double(f)}
		}})
	}
	for name, f := range map[string]func(t tensor, v float64) tensor{
		"EqScalar": tensor.EqScalar, "NeScalar": tensor.NeScalar,
	} {
		all = append(all, operation{name, func(s *source) call {
			v := s.real()
			return call{in: []tensor{s.any(s.shape(0, 4)...)}, run: single(func(t tensor) tensor { return f(t, v) })}
		}})
	}
	for name, f := range map[string]func(t tensor, v float64) tensor{
		"AddScalar": tensor.AddScalar, "MulScalar": tensor.MulScalar, "DivScalar": tensor.DivScalar,
		"SubScalar": tensor.SubScalar,
	} {
		all = append(all, operation{name, func(s *source) call {
			v := s.real()
			return call{in: []tensor{s.any(s.shape(0, 4)...)}, run: single(func(t tensor) tensor {
				return f(t, v)
			}), apart: extreme(v)}
		}})
	}
	// Infinity is infinity to vector loops, and NaN to scalar ones.
	for name, f := range map[string]func(tensor) tensor{"GELU": tensor.GELU} {
		all = append(all, operation{name, func(s *source) call {
			return call{in: []tensor{s.any(s.shape(0, 5)...)}, run: single(f), apart: s.strange}
		}})
	}
	return append(all,
		operation{"Clamp", func(s *source) call {
			low, high := s.real(), s.real()
			return call{in: []tensor{s.any(s.shape(0, 4)...)}, run: single(func(t tensor) tensor {
				return t.Clamp(low, high)
			}), apart: extreme(low) || extreme(high)}
		}},
		operation{"AddInPlace", func(s *source) call {
			shape := s.shape(0, 4)
			alpha := s.real()
			return call{in: []tensor{s.any(shape...), s.any(s.like(shape)...)}, layout: true, run: changing(func(x []tensor) {
				x[0].AddInPlace(x[1], alpha)
			}), apart: extreme(alpha)}
		}},
		operation{"MulScalarInPlace", func(s *source) call {
			v := s.real()
			return call{in: []tensor{s.any(s.shape(0, 4)...)}, layout: true, run: changing(func(x []tensor) {
				x[0].MulScalarInPlace(v)
			}), apart: extreme(v)}
		}},
	)
}
