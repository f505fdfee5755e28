package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/torch"
)

// table is every operation, those with loops of the shim's own several times as
// often.
func table() []operation {
	var all []operation
	for _, group := range [][]operation{making(), shapes(), indexing(), pointwise(), reductions(), products(), networks(), draws()} {
		all = append(all, group...)
	}
	for range 4 {
		all = append(all, own()...)
	}
	// A case's number must mean the same in every process.
	slices.SortStableFunc(all, func(a, b operation) int { return strings.Compare(a.name, b.name) })
	return all
}

func single(f func(tensor) tensor) func([]tensor) []tensor {
	return func(in []tensor) []tensor { return []tensor{f(in[0])} }
}

func double(f func(a, b tensor) tensor) func([]tensor) []tensor {
	return func(in []tensor) []tensor { return []tensor{f(in[0], in[1])} }
}

// changing is for operations on a copy of the first operand, which has its strides.
func changing(f func(in []tensor)) func([]tensor) []tensor {
	return func(in []tensor) []tensor {
		moved := append([]tensor{in[0].Detach()}, in[1:]...)
		f(moved)
		return moved[:1]
	}
}

// extreme is a scalar that libtorch's vector loops and scalar ones round differently.
func extreme(v float64) bool { return math.Abs(v) > 100 || v != 0 && math.Abs(v) < 1e-6 }

func unary(name string, f func(tensor) tensor) operation {
	return operation{name, func(s *source) call {
		return call{in: []tensor{s.any(s.shape(0, 5)...)}, run: single(f)}
	}}
}

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
		made("Full", func(s *source) func() tensor {
			v, o, shape := s.real(), options(s), sizes(s)
			return func() tensor { return torch.Full(v, o, shape...) }
		}),
		made("FromSlice", func(s *source) func() tensor {
			shape := sizes(s)
			n := min(max(count(shape), 0), 1<<18)
			if s.chance(.1) {
				n++
			}
			data := make([]float32, n)
			return func() tensor { return torch.FromSlice(data, shape...) }
		}),
		made("Arange", func(s *source) func() tensor {
			a, b, step, o := s.real(), s.real(), s.real(), options(s)
			return func() tensor { return torch.Arange(a, b, step, o) }
		}),
		made("Linspace", func(s *source) func() tensor {
			a, b, n, o := s.real(), s.real(), s.number(), options(s)
			return func() tensor { return torch.Linspace(a, b, n, o) }
		}),
		made("Eye", func(s *source) func() tensor {
			n, o := s.number(), options(s)
			return func() tensor { return torch.Eye(n, o) }
		}),
		{"ToDType", func(s *source) call {
			d := s.dtype()
			return call{in: []tensor{s.any(s.shape(0, 4)...)}, run: single(func(t tensor) tensor { return t.ToDType(d) }), apart: s.strange}
		}},
		unary("Clone", tensor.Clone),
		unary("Contiguous", tensor.Contiguous),
		unary("ChannelsLast", tensor.ChannelsLast),
		unary("ZerosLike", torch.ZerosLike),
		unary("Detach", tensor.Detach),
		{"CopyFrom", func(s *source) call {
			shape := s.shape(0, 4)
			return call{
				in: []tensor{s.any(shape...), s.any(s.like(shape)...)}, layout: true, apart: s.strange,
				run: changing(func(x []tensor) { x[0].CopyFrom(x[1]) }),
			}
		}},
		{"Fill", func(s *source) call {
			v := s.real()
			return call{in: []tensor{s.any(s.shape(0, 4)...)}, layout: true, run: changing(func(x []tensor) { x[0].Fill(v) }), apart: extreme(v)}
		}},
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

func shapes() []operation {
	over := func(name string, f func(t tensor, d, a, b int) tensor) operation {
		return operation{name, func(s *source) call {
			t := s.any(s.shape(0, 4)...)
			d, a, b := s.dim(t), s.number(), s.number()
			if s.chance(.5) {
				a, b = s.dim(t), s.dim(t)
			}
			return call{in: []tensor{t}, run: single(func(t tensor) tensor { return f(t, d, a, b) })}
		}}
	}
	list := func(name string, layout bool, f func(t tensor, v ...int) tensor, draw func(s *source, t tensor) []int) operation {
		return operation{name, func(s *source) call {
			t := s.any(s.shape(0, 4)...)
			v := draw(s, t)
			return call{in: []tensor{t}, layout: layout, run: single(func(t tensor) tensor { return f(t, v...) })}
		}}
	}
	reshaped := func(s *source, t tensor) []int {
		if s.chance(.2) {
			return s.shape(0, 5)
		}
		shape := t.Shape()
		s.Shuffle(len(shape), func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
		if len(shape) > 1 && s.chance(.5) {
			shape = append([]int{shape[0] * shape[1]}, shape[2:]...)
		}
		if len(shape) > 0 && s.chance(.4) {
			shape[s.IntN(len(shape))] = -1
		}
		if s.chance(.1) {
			shape = append(shape, s.number())
		}
		return shape
	}
	dims := func(s *source, t tensor) []int {
		order := s.Perm(t.Dim())
		if s.chance(.1) {
			order = append(order, s.dim(t))
		}
		return order
	}
	several := func(name string, f func(dim int, ts ...tensor) tensor) operation {
		return operation{name, func(s *source) call {
			shape := s.shape(1, 4)
			dtype, d := s.dtype(), s.IntN(len(shape))
			var in []tensor
			for range 1 + s.IntN(4) {
				own := append([]int(nil), shape...)
				if s.chance(.3) {
					own[d] = s.size() % 20
				}
				in = append(in, s.tensor(dtype, own...))
			}
			if s.chance(.1) {
				d = s.number()
			}
			return call{in: in, run: func(in []tensor) []tensor { return []tensor{f(d, in...)} }}
		}}
	}
	return []operation{
		list("Reshape", false, tensor.Reshape, reshaped),
		list("View", true, tensor.View, reshaped),
		list("Expand", false, tensor.Expand, func(s *source, t tensor) []int {
			shape := t.Shape()
			for i := range shape {
				if shape[i] == 1 || s.chance(.1) {
					shape[i] = s.number()
				}
			}
			if s.chance(.3) {
				shape = append([]int{s.number()}, shape...)
			}
			return shape
		}),
		list("Permute", false, tensor.Permute, dims),
		list("Flip", false, tensor.Flip, dims),
		list("Pad", false, func(t tensor, pads ...int) tensor { return t.Pad(1.5, pads...) }, func(s *source, t tensor) []int {
			pads := make([]int, s.IntN(2*t.Dim()+2))
			for i := range pads {
				pads[i] = s.number()
			}
			return pads
		}),
		over("Transpose", func(t tensor, d, a, _ int) tensor { return t.Transpose(d, a) }),
		over("Squeeze", func(t tensor, d, _, _ int) tensor { return t.Squeeze(d) }),
		over("Unsqueeze", func(t tensor, d, _, _ int) tensor { return t.Unsqueeze(d) }),
		over("Flatten", func(t tensor, d, a, _ int) tensor { return t.Flatten(d, a) }),
		over("Narrow", func(t tensor, d, a, b int) tensor { return t.Narrow(d, a, b) }),
		over("Select", func(t tensor, d, a, _ int) tensor { return t.Select(d, a) }),
		{"SliceDim", func(s *source) call {
			t := s.any(s.shape(0, 4)...)
			d, a, b, step := s.dim(t), s.number(), s.number(), s.number()
			return call{in: []tensor{t}, run: single(func(t tensor) tensor { return t.SliceDim(d, a, b, step) }), layout: true}
		}},
		over("Tril", func(t tensor, _, a, _ int) tensor { return t.Tril(a) }),
		over("Triu", func(t tensor, _, a, _ int) tensor { return t.Triu(a) }),
		unary("Diagonal", tensor.Diagonal),
		several("Cat", torch.Cat),
		several("Stack", torch.Stack),
	}
}

func indexing() []operation {
	// target is a tensor, a dimension of it, and an index into that.
	target := func(s *source) (t tensor, d int) {
		t = s.any(s.shape(1, 4)...)
		return t, s.IntN(t.Dim())
	}
	return []operation{
		{"IndexSelect", func(s *source) call {
			t, d := target(s)
			return call{in: []tensor{t, s.index(t.Size(d), s.shape(0, 1)...)}, run: double(func(t, i tensor) tensor { return t.IndexSelect(d, i) })}
		}},
		{"Gather", func(s *source) call {
			t, d := target(s)
			shape := s.below(t.Shape(), d)
			return call{in: []tensor{t, s.index(t.Size(d), shape...)}, run: double(func(t, i tensor) tensor { return t.Gather(d, i) })}
		}},
		{"ScatterValue", func(s *source) call {
			t, d := target(s)
			v := float64(s.IntN(5))
			return call{in: []tensor{t, s.index(t.Size(d), s.below(t.Shape(), d)...)}, run: double(func(t, i tensor) tensor { return t.ScatterValue(d, i, v) })}
		}},
		{"Scatter", func(s *source) call { // one index may come twice: which of two values stays is open
			t, d := target(s)
			shape := s.below(t.Shape(), d)
			return call{in: []tensor{t, s.index(t.Size(d), shape...), s.tensor(t.DType(), shape...)}, apart: true, run: func(x []tensor) []tensor {
				return []tensor{x[0].Scatter(d, x[1], x[2])}
			}}
		}},
		{"ScatterAdd", func(s *source) call {
			t, d := target(s)
			shape := s.below(t.Shape(), d)
			return call{in: []tensor{t, s.index(t.Size(d), shape...), s.tensor(t.DType(), shape...)}, tolerance: 1e-3, run: func(x []tensor) []tensor {
				return []tensor{x[0].ScatterAdd(d, x[1], x[2])}
			}}
		}},
		{"IndexAdd", func(s *source) call {
			t, d := target(s)
			shape := t.Shape()
			shape[d] = s.size()
			return call{in: []tensor{t, s.index(t.Size(d), shape[d]), s.tensor(t.DType(), shape...)}, tolerance: 1e-3, run: func(x []tensor) []tensor {
				return []tensor{x[0].IndexAdd(d, x[1], x[2])}
			}}
		}},
		{"MaskedSelect", func(s *source) call {
			shape := s.shape(0, 4)
			return call{in: []tensor{s.any(shape...), s.tensor(torch.Bool, s.like(shape)...)}, run: double(tensor.MaskedSelect)}
		}},
		{"MaskedFill", func(s *source) call {
			shape := s.shape(0, 4)
			v := float64(s.IntN(5))
			return call{in: []tensor{s.any(shape...), s.tensor(torch.Bool, s.like(shape)...)}, run: double(func(t, m tensor) tensor { return t.MaskedFill(m, v) })}
		}},
		{"Where", func(s *source) call {
			shape := s.shape(0, 4)
			return call{in: []tensor{s.tensor(torch.Bool, s.like(shape)...), s.any(shape...), s.any(s.like(shape)...)}, run: func(x []tensor) []tensor {
				return []tensor{torch.Where(x[0], x[1], x[2])}
			}}
		}},
		unary("NonZero", tensor.NonZero),
		{"OneHot", func(s *source) call {
			classes := s.number()
			return call{in: []tensor{s.index(7, s.shape(0, 3)...)}, run: single(func(t tensor) tensor { return t.OneHot(classes) })}
		}},
		{"Bincount", func(s *source) call {
			least := s.number()
			if least > 1<<20 && least < 1<<40 { // 16 GiB of zeros are a value
				least = 5
			}
			return call{in: []tensor{s.index(9, s.shape(0, 2)...).ToDType(torch.Int64)}, run: single(func(t tensor) tensor {
				if t.Numel() > 0 && t.Amax().Item() > 1<<20 && t.Amax().Item() < 1<<40 {
					return t
				}
				return t.Bincount(least)
			})}
		}},
	}
}

// below is a shape no larger than another in all dimensions but d.
func (s *source) below(shape []int, d int) []int {
	out := append([]int(nil), shape...)
	for i := range out {
		switch {
		case i == d:
			out[i] = s.size()
			for count(out) > 1<<16 {
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

func pointwise() []operation {
	var all []operation
	for name, f := range map[string]func(tensor) tensor{
		"Neg": tensor.Neg, "Abs": tensor.Abs, "Sign": tensor.Sign, "Exp": tensor.Exp, "Expm1": tensor.Expm1, "Log": tensor.Log,
		"Log1p": tensor.Log1p, "Sqrt": tensor.Sqrt, "Rsqrt": tensor.Rsqrt, "Square": tensor.Square, "Reciprocal": tensor.Reciprocal,
		"Sin": tensor.Sin, "Cos": tensor.Cos, "Tanh": tensor.Tanh, "Sigmoid": tensor.Sigmoid, "LogSigmoid": tensor.LogSigmoid,
		"Softplus": tensor.Softplus, "ReLU": tensor.ReLU, "Floor": tensor.Floor, "Ceil": tensor.Ceil, "Round": tensor.Round,
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
		"AddScalar": tensor.AddScalar, "MulScalar": tensor.MulScalar, "DivScalar": tensor.DivScalar, "PowScalar": tensor.PowScalar,
		"EqScalar": tensor.EqScalar, "NeScalar": tensor.NeScalar, "LtScalar": tensor.LtScalar, "LeScalar": tensor.LeScalar,
		"GtScalar": tensor.GtScalar, "GeScalar": tensor.GeScalar, "SubScalar": tensor.SubScalar,
	} {
		all = append(all, operation{name, func(s *source) call {
			v := s.real()
			return call{in: []tensor{s.any(s.shape(0, 4)...)}, run: single(func(t tensor) tensor { return f(t, v) }), apart: extreme(v)}
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

func reductions() []operation {
	var all []operation
	for name, f := range map[string]func(t tensor, dims ...int) tensor{
		"Sum": tensor.Sum, "SumKeep": tensor.SumKeep, "Mean": tensor.Mean, "MeanKeep": tensor.MeanKeep, "Amax": tensor.Amax,
		"AmaxKeep": tensor.AmaxKeep, "Amin": tensor.Amin, "AminKeep": tensor.AminKeep, "LogSumExp": tensor.LogSumExp,
		"LogSumExpKeep": tensor.LogSumExpKeep,
		"Var":           func(t tensor, dims ...int) tensor { return t.Var(1, dims...) },
		"Std":           func(t tensor, dims ...int) tensor { return t.Std(0, dims...).Detach() }, // no slope at 0
		"Norm":          func(t tensor, dims ...int) tensor { return t.Norm(2, dims...) },
		"Norm 1":        func(t tensor, dims ...int) tensor { return t.Norm(1, dims...) },
		"Norm max":      func(t tensor, dims ...int) tensor { return t.Norm(math.Inf(1), dims...) },
	} {
		all = append(all, operation{name, func(s *source) call {
			t := s.any(s.shape(0, 4)...)
			var dims []int
			for range s.IntN(t.Dim() + 2) {
				dims = append(dims, s.dim(t))
			}
			return call{in: []tensor{t}, tolerance: 1e-3, run: single(func(t tensor) tensor { return f(t, dims...) }), apart: s.strange}
		}})
	}
	picked := func(f func(t tensor, d int) tensor) func(tensor, int) tensor {
		return func(t tensor, d int) tensor {
			i := f(t, d)
			if t.Dim() == 0 {
				return i
			}
			return t.Gather(d, i.Unsqueeze(d))
		}
	}
	first := func(f func(t tensor, d int) (tensor, tensor)) func(tensor, int) tensor {
		return func(t tensor, d int) tensor {
			values, _ := f(t, d)
			return values
		}
	}
	for name, f := range map[string]func(t tensor, d int) tensor{
		"Prod": tensor.Prod, "Cumsum": tensor.Cumsum, "Softmax": tensor.Softmax, "LogSoftmax": tensor.LogSoftmax,
		"Argmax": picked(tensor.Argmax), "Argmin": picked(tensor.Argmin),
		"Max": first(tensor.Max), "Min": first(tensor.Min), "Median": first(tensor.Median),
		"Sort":   first(func(t tensor, d int) (tensor, tensor) { return t.Sort(d, true) }),
		"Sort 2": first(func(t tensor, d int) (tensor, tensor) { return t.Sort(d, false) }),
	} {
		all = append(all, operation{name, func(s *source) call {
			t := s.any(s.shape(0, 4)...)
			d := s.dim(t)
			c := call{in: []tensor{t.Detach()}, tolerance: 1e-3, run: single(func(t tensor) tensor { return f(t, d) }), apart: s.strange}
			if name == "Prod" { // overflows or not by the order
				c.apart = true
			}
			switch name { // the gradient is that of one of several equal elements
			case "Max", "Min", "Median", "Argmax", "Argmin":
				c.run = single(func(t tensor) tensor { return f(t, d).Detach() })
			}
			return c
		}})
	}
	return append(all,
		unary("Any", tensor.Any), unary("All", tensor.All),
		operation{"TopK", func(s *source) call {
			t := s.any(s.shape(0, 4)...)
			d, k := s.dim(t), s.number()
			return call{in: []tensor{t}, apart: s.strange, run: single(func(t tensor) tensor {
				values, _ := t.TopK(k, d)
				return values.Detach()
			})}
		}},
		operation{"Quantile", func(s *source) call {
			t := s.tensor(pick(s, torch.Float32, torch.Float64, torch.Float64, s.dtype()), s.shape(0, 3)...)
			d, q := s.dim(t), pick(s, 0, 1, .5, s.Float64(), s.real())
			return call{in: []tensor{t}, apart: s.strange, run: single(func(t tensor) tensor { return t.Quantile(q, d).Detach() })}
		}},
	)
}

func products() []operation {
	matrices := func(name string, tolerance float64, f func([]tensor) []tensor, shapes func(s *source) [][]int) operation {
		return operation{name, func(s *source) call {
			dtype := s.float()
			if s.chance(.1) {
				dtype = s.dtype()
			}
			var in []tensor
			for _, shape := range shapes(s) {
				if s.chance(.03) {
					shape = s.shape(0, 4)
				}
				in = append(in, s.tensor(dtype, shape...))
			}
			return call{in: in, run: f, tolerance: tolerance, apart: s.strange}
		}}
	}
	square := func(s *source) [][]int {
		n := s.IntN(9)
		return [][]int{append(s.shape(0, 1), n, n)}
	}
	small := func(s *source) int { return s.size() }
	return []operation{
		matrices("Mm", 1e-3, double(tensor.Mm), func(s *source) [][]int {
			n, k, m := small(s), small(s), small(s)
			return [][]int{{n, k}, {k, m}}
		}),
		matrices("Matmul", 1e-3, double(tensor.Matmul), func(s *source) [][]int {
			n, k, m := small(s), small(s), small(s)
			return [][]int{append(s.shape(0, 1), n, k), {k, m}}
		}),
		matrices("Bmm", 1e-3, double(tensor.Bmm), func(s *source) [][]int {
			b, n, k, m := s.IntN(5), small(s), small(s), small(s)
			return [][]int{{b, n, k}, {b, k, m}}
		}),
		matrices("Addmm", 1e-3, func(x []tensor) []tensor { return []tensor{torch.Addmm(x[0], x[1], x[2], .5, 2)} }, func(s *source) [][]int {
			n, k, m := small(s), small(s), small(s)
			return [][]int{s.like([]int{n, m}), {n, k}, {k, m}}
		}),
		// The derivative of a singular matrix's is anything.
		matrices("Inverse", 1e9, single(func(t tensor) tensor { return t.Inverse().MulScalar(0).Detach() }), square),
		matrices("SVDVals", 1e-3, single(func(t tensor) tensor { return t.SVDVals().Detach() }), square),
		matrices("EigvalsH", 1e-3, single(func(t tensor) tensor { return t.EigvalsH().Detach() }), square),
		{"SLogDet", func(s *source) call {
			t := s.tensor(torch.Float64, square(s)[0]...)
			return call{in: []tensor{t}, apart: true, run: func(x []tensor) []tensor {
				sign, logabs := x[0].SLogDet()
				return []tensor{sign.Detach(), logabs.Detach()}
			}}
		}},
		{"Solve", func(s *source) call {
			shape := square(s)[0]
			return call{in: []tensor{s.tensor(torch.Float64, shape...), s.tensor(torch.Float64, append(s.like(shape[:len(shape)-1]), s.IntN(4))...)}, apart: true, run: double(func(a, b tensor) tensor {
				return a.Solve(b).Detach()
			})}
		}},
	}
}

func networks() []operation {
	window := func(s *source) torch.Window {
		w := torch.Window{Stride: s.IntN(4), Padding: s.IntN(3), Dilation: s.IntN(3)}
		if s.chance(.05) {
			w.Stride = s.number()
		}
		if s.chance(.05) {
			w.Padding = s.number()
		}
		if s.chance(.05) {
			w.Dilation = s.number()
		}
		return w
	}
	images := func(s *source) (tensor, int) {
		c := pick(s, 0, 1, 2, 3, 4, 8, 16)
		shape := []int{s.IntN(5), c, s.IntN(12), s.IntN(12)}
		if s.chance(.05) {
			shape = s.shape(0, 5)
		}
		return s.tensor(s.float(), shape...), c
	}
	pool := func(name string, f func(t tensor, kernel int, w torch.Window) tensor) operation {
		return operation{name, func(s *source) call {
			t, _ := images(s)
			w, kernel := window(s), s.IntN(5)
			if s.chance(.05) {
				kernel = s.number()
			}
			return call{in: []tensor{t}, tolerance: 1e-3, apart: s.strange, run: single(func(t tensor) tensor { return f(t, kernel, w) })}
		}}
	}
	loss := func(name string, classes bool, f func(t, u tensor, r torch.Reduction) tensor) operation {
		return operation{name, func(s *source) call {
			r := pick(s, torch.ReduceMean, torch.ReduceNone, torch.ReduceSum)
			shape := s.shape(2, 2)
			t := s.tensor(s.float(), shape...)
			u := s.tensor(t.DType(), s.like(shape)...)
			if classes {
				u = s.index(shape[1], shape[0])
			}
			return call{in: []tensor{t, u}, tolerance: 1e-3, apart: s.strange, run: double(func(t, u tensor) tensor { return f(t, u, r) })}
		}}
	}
	return []operation{
		{"Conv2d", func(s *source) call {
			t, c := images(s)
			w := window(s)
			w.Groups = pick(s, 0, 0, 0, 1, 2, c)
			if s.chance(.05) {
				w.Groups = s.number()
			}
			out, kernel := pick(s, 0, 1, 2, 4, 16), s.IntN(4)
			channels := c
			if w.Groups > 1 {
				channels = c / w.Groups
			}
			in := []tensor{t, s.tensor(t.DType(), out, channels, kernel, kernel), {}}
			if s.chance(.5) {
				in[2] = s.tensor(t.DType(), out)
			}
			return call{in: in, note: fmt.Sprintf(" %+v", w), tolerance: 2e-3, apart: s.strange, run: func(x []tensor) []tensor { return []tensor{x[0].Conv2d(x[1], x[2], w)} }}
		}},
		pool("MaxPool2d", func(t tensor, k int, w torch.Window) tensor { return t.MaxPool2d(k, w).Detach() }),
		pool("AvgPool2d", tensor.AvgPool2d),
		pool("AdaptiveAvgPool2d", func(t tensor, k int, w torch.Window) tensor { return t.AdaptiveAvgPool2d(k, w.Padding) }),
		{"Embedding", func(s *source) call {
			t := s.tensor(s.float(), s.shape(2, 2)...)
			return call{in: []tensor{t, s.index(t.Size(0), s.shape(0, 3)...)}, tolerance: 1e-3, run: double(torch.Embedding)}
		}},
		{"LSTM", func(s *source) call {
			steps, n, d, h := s.IntN(6), s.IntN(5), s.IntN(7), s.IntN(7)
			layers, directions := 1+s.IntN(2), 1+s.IntN(2)
			dtype := s.float()
			in := []tensor{s.tensor(dtype, steps, n, d), s.tensor(dtype, layers*directions, n, h), s.tensor(dtype, layers*directions, n, h)}
			biases := s.chance(.8)
			for l := range layers {
				width := d
				if l > 0 {
					width = h * directions
				}
				for range directions {
					in = append(in, s.tensor(dtype, 4*h, width), s.tensor(dtype, 4*h, h))
					if biases {
						in = append(in, s.tensor(dtype, 4*h), s.tensor(dtype, 4*h))
					}
				}
			}
			if s.chance(.05) {
				in = in[:len(in)-1]
			}
			if s.chance(.05) {
				in[s.IntN(len(in))] = s.tensor(dtype, s.shape(0, 3)...)
			}
			told := layers
			if s.chance(.05) {
				told = int(int32(s.number()))
				told = min(told, 1<<16)
			}
			batchFirst := s.chance(.1)
			return call{in: in, tolerance: 1e-3, apart: s.strange, run: func(x []tensor) []tensor {
				out, h, c := x[0].LSTM(x[1], x[2], x[3:], told, directions == 2, batchFirst)
				return []tensor{out, h, c}
			}}
		}},
		loss("CrossEntropy", true, tensor.CrossEntropy),
		loss("CrossEntropySmooth", true, func(t, u tensor, r torch.Reduction) tensor { return t.CrossEntropySmooth(u, r, .1) }),
		loss("NLLLoss", true, tensor.NLLLoss),
		loss("MSELoss", false, tensor.MSELoss),
		loss("BCEWithLogits", false, tensor.BCEWithLogits),
	}
}

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
		{"Multinomial", func(s *source) call {
			g, n, again := s.generator(), s.number(), s.chance(.5)
			weights := s.tensor(s.float(), s.shape(0, 3)...)
			if s.chance(.7) {
				weights = weights.Abs()
			}
			return call{in: []tensor{weights}, apart: true, run: single(func(w tensor) tensor { return g().Multinomial(w, n, again) })}
		}},
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
				return []tensor{g.Normal(0, 1, torch.Options{}, 40), g.Permutation(700), torch.Ones(torch.Options{}, 50).Dropout(.5, g)}
			}, apart: true}
		}},
	}
}
