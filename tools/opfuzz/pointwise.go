package main

// pointwise is operations on each element for itself.
func pointwise() []operation {
	var all []operation
	for name, f := range map[string]func(tensor) tensor{
		"Neg": tensor.Neg, "Abs": tensor.Abs, "Sign": tensor.Sign, "Exp": tensor.Exp, "Expm1": tensor.Expm1, "Log": tensor.Log,
		"Log1p": tensor.Log1p, "Sqrt": tensor.Sqrt, "Rsqrt": tensor.Rsqrt, "Square": tensor.Square, "Reciprocal": tensor.Reciprocal,
		"Sin": tensor.Sin, "Cos": tensor.Cos, "Tanh": tensor.Tanh, "Sigmoid": tensor.Sigmoid, "LogSigmoid": tensor.LogSigmoid,
		"Softplus": tensor.Softplus, "ReLU": tensor.ReLU, "Floor": tensor.Floor, "Ceil": tensor.Ceil, "Round": tensor.Round,
		"Erf": tensor.Erf, "SiLU": tensor.SiLU,
		"IsNaN": tensor.IsNaN, "IsFinite": tensor.IsFinite, "LogicalNot": tensor.LogicalNot,
	} {
		all = append(all, unary(name, f))
	}
	for name, f := range map[string]func(a, b tensor) tensor{
		"Add": tensor.Add, "Sub": tensor.Sub, "Mul": tensor.Mul, "Div": tensor.Div, "Pow": tensor.Pow, "Maximum": tensor.Maximum,
		"Minimum": tensor.Minimum, "Remainder": tensor.Remainder, "Eq": tensor.Eq, "Ne": tensor.Ne, "Lt": tensor.Lt, "Le": tensor.Le,
		"Gt": tensor.Gt, "Ge": tensor.Ge, "LogicalAnd": tensor.LogicalAnd, "LogicalOr": tensor.LogicalOr, "LogicalXor": tensor.LogicalXor,
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
		"EqScalar": tensor.EqScalar, "NeScalar": tensor.NeScalar, "LtScalar": tensor.LtScalar, "LeScalar": tensor.LeScalar,
		"GtScalar": tensor.GtScalar, "GeScalar": tensor.GeScalar,
	} {
		all = append(all, operation{name, func(s *source) call {
			v := s.real()
			return call{in: []tensor{s.any(s.shape(0, 4)...)}, run: single(func(t tensor) tensor { return f(t, v) })}
		}})
	}
	for name, f := range map[string]func(t tensor, v float64) tensor{
		"AddScalar": tensor.AddScalar, "MulScalar": tensor.MulScalar, "DivScalar": tensor.DivScalar, "PowScalar": tensor.PowScalar,
		"SubScalar": tensor.SubScalar, "LeakyReLU": tensor.LeakyReLU,
	} {
		all = append(all, operation{name, func(s *source) call {
			v := s.real()
			return call{in: []tensor{s.any(s.shape(0, 4)...)}, run: single(func(t tensor) tensor { return f(t, v) }), apart: extreme(v)}
		}})
	}
	// Infinity is infinity to vector loops, and NaN to scalar ones.
	for name, f := range map[string]func(tensor) tensor{"GELU": tensor.GELU, "GELUTanh": tensor.GELUTanh} {
		all = append(all, operation{name, func(s *source) call {
			return call{in: []tensor{s.any(s.shape(0, 5)...)}, run: single(f), apart: s.strange}
		}})
	}
	return append(all,
		operation{"Clamp", func(s *source) call {
			low, high := s.real(), s.real()
			return call{in: []tensor{s.any(s.shape(0, 4)...)}, run: single(func(t tensor) tensor { return t.Clamp(low, high) }), apart: extreme(low) || extreme(high)}
		}},
		operation{"AddInPlace", func(s *source) call {
			shape := s.shape(0, 4)
			alpha := s.real()
			return call{in: []tensor{s.any(shape...), s.any(s.like(shape)...)}, layout: true, run: changing(func(x []tensor) { x[0].AddInPlace(x[1], alpha) }), apart: extreme(alpha)}
		}},
		operation{"MulInPlace", func(s *source) call {
			shape := s.shape(0, 4)
			return call{in: []tensor{s.any(shape...), s.any(s.like(shape)...)}, layout: true, run: changing(func(x []tensor) { x[0].MulInPlace(x[1]) })}
		}},
		operation{"MulScalarInPlace", func(s *source) call {
			v := s.real()
			return call{in: []tensor{s.any(s.shape(0, 4)...)}, layout: true, run: changing(func(x []tensor) { x[0].MulScalarInPlace(v) }), apart: extreme(v)}
		}},
	)
}
