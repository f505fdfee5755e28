// Code generated from cgo/ops.go. DO NOT EDIT.

package main

import (
	"fmt"
	"math"

	"github.com/losscorr/losscorr/torch"
)

// plain lists the operations of cgo/ops.go.
var plain = []operation{
	{"Empty", func(s *source) call {
		in := []tensor(nil)
		o := s.options()
		shape := s.sizes(in...)
		return call{in: in, apart: true, note: fmt.Sprint(" ", o, " ", shape), run: func(x []tensor) []tensor { return []tensor{torch.Empty(o, shape...)} }}
	}},
	{"Full", func(s *source) call {
		in := []tensor(nil)
		v := s.real()
		o := s.options()
		shape := s.sizes(in...)
		return call{in: in, note: fmt.Sprint(" ", v, " ", o, " ", shape), run: func(x []tensor) []tensor { return []tensor{torch.Full(v, o, shape...)} }}
	}},
	{"Linspace", func(s *source) call {
		in := []tensor(nil)
		start := s.real()
		end := s.real()
		steps := s.place(in...)
		o := s.options()
		return call{in: in, note: fmt.Sprint(" ", start, " ", end, " ", steps, " ", o), run: func(x []tensor) []tensor { return []tensor{torch.Linspace(start, end, steps, o)} }}
	}},
	{"Eye", func(s *source) call {
		in := []tensor(nil)
		n := s.place(in...)
		o := s.options()
		return call{in: in, note: fmt.Sprint(" ", n, " ", o), run: func(x []tensor) []tensor { return []tensor{torch.Eye(n, o)} }}
	}},
	{"Clone", func(s *source) call {
		in := s.operands(1)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Clone()} }}
	}},
	{"Contiguous", func(s *source) call {
		in := s.operands(1)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Contiguous()} }}
	}},
	{"ChannelsLast", func(s *source) call {
		in := s.operands(1)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].ChannelsLast()} }}
	}},
	{"CopyFrom", func(s *source) call {
		in := s.operands(2)
		return call{in: in, layout: true, run: changing(func(x []tensor) { x[0].CopyFrom(x[1]) })}
	}},
	{"Fill", func(s *source) call {
		in := s.operands(1)
		v := s.real()
		return call{in: in, layout: true, note: fmt.Sprint(" ", v), run: changing(func(x []tensor) { x[0].Fill(v) })}
	}},
	{"Detach", func(s *source) call {
		in := s.operands(1)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Detach()} }}
	}},
	{"Reshape", func(s *source) call {
		in := s.operands(1)
		shape := s.sizes(in...)
		return call{in: in, note: fmt.Sprint(" ", shape), run: func(x []tensor) []tensor { return []tensor{x[0].Reshape(shape...)} }}
	}},
	{"View", func(s *source) call {
		in := s.operands(1)
		shape := s.sizes(in...)
		return call{in: in, layout: true, note: fmt.Sprint(" ", shape), run: func(x []tensor) []tensor { return []tensor{x[0].View(shape...)} }}
	}},
	{"Expand", func(s *source) call {
		in := s.operands(1)
		shape := s.sizes(in...)
		return call{in: in, note: fmt.Sprint(" ", shape), run: func(x []tensor) []tensor { return []tensor{x[0].Expand(shape...)} }}
	}},
	{"Transpose", func(s *source) call {
		in := s.operands(1)
		a := s.place(in...)
		b := s.place(in...)
		return call{in: in, note: fmt.Sprint(" ", a, " ", b), run: func(x []tensor) []tensor { return []tensor{x[0].Transpose(a, b)} }}
	}},
	{"Squeeze", func(s *source) call {
		in := s.operands(1)
		dim := s.place(in...)
		return call{in: in, note: fmt.Sprint(" ", dim), run: func(x []tensor) []tensor { return []tensor{x[0].Squeeze(dim)} }}
	}},
	{"Unsqueeze", func(s *source) call {
		in := s.operands(1)
		dim := s.place(in...)
		return call{in: in, note: fmt.Sprint(" ", dim), run: func(x []tensor) []tensor { return []tensor{x[0].Unsqueeze(dim)} }}
	}},
	{"Flatten", func(s *source) call {
		in := s.operands(1)
		start := s.place(in...)
		end := s.place(in...)
		return call{in: in, note: fmt.Sprint(" ", start, " ", end), run: func(x []tensor) []tensor { return []tensor{x[0].Flatten(start, end)} }}
	}},
	{"Narrow", func(s *source) call {
		in := s.operands(1)
		dim := s.place(in...)
		start := s.place(in...)
		length := s.place(in...)
		return call{in: in, note: fmt.Sprint(" ", dim, " ", start, " ", length), run: func(x []tensor) []tensor { return []tensor{x[0].Narrow(dim, start, length)} }}
	}},
	{"Select", func(s *source) call {
		in := s.operands(1)
		dim := s.place(in...)
		index := s.place(in...)
		return call{in: in, note: fmt.Sprint(" ", dim, " ", index), run: func(x []tensor) []tensor { return []tensor{x[0].Select(dim, index)} }}
	}},
	{"SliceDim", func(s *source) call {
		in := s.operands(1)
		dim := s.place(in...)
		start := s.place(in...)
		end := s.place(in...)
		step := s.place(in...)
		return call{in: in, layout: true, note: fmt.Sprint(" ", dim, " ", start, " ", end, " ", step), run: func(x []tensor) []tensor { return []tensor{x[0].SliceDim(dim, start, end, step)} }}
	}},
	{"Pad", func(s *source) call {
		in := s.operands(1)
		value := s.real()
		pads := s.axes(in[0])
		return call{in: in, note: fmt.Sprint(" ", value, " ", pads), run: func(x []tensor) []tensor { return []tensor{x[0].Pad(value, pads...)} }}
	}},
	{"Diagonal", func(s *source) call {
		in := s.operands(1)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Diagonal()} }}
	}},
	{"Cat", func(s *source) call {
		in := s.list()
		dim := s.place(in...)
		return call{in: in, note: fmt.Sprint(" ", dim), run: func(x []tensor) []tensor { return []tensor{torch.Cat(dim, x[0:]...)} }}
	}},
	{"Stack", func(s *source) call {
		in := s.list()
		dim := s.place(in...)
		return call{in: in, note: fmt.Sprint(" ", dim), run: func(x []tensor) []tensor { return []tensor{torch.Stack(dim, x[0:]...)} }}
	}},
	{"IndexSelect", func(s *source) call {
		in := s.selected()
		dim := s.place(in...)
		return call{in: in, note: fmt.Sprint(" ", dim), run: func(x []tensor) []tensor { return []tensor{x[0].IndexSelect(dim, x[1])} }}
	}},
	{"Gather", func(s *source) call {
		in := s.indexed()[:2]
		dim := s.place(in...)
		return call{in: in, note: fmt.Sprint(" ", dim), run: func(x []tensor) []tensor { return []tensor{x[0].Gather(dim, x[1])} }}
	}},
	{"ScatterInPlace", func(s *source) call {
		in := s.indexed()
		dim := s.place(in...)
		return call{in: in, apart: true, note: fmt.Sprint(" ", dim), run: changing(func(x []tensor) { x[0].ScatterInPlace(dim, x[1], x[2]) })}
	}},
	{"ScatterValue", func(s *source) call {
		in := s.indexed()[:2]
		dim := s.place(in...)
		value := s.real()
		return call{in: in, note: fmt.Sprint(" ", dim, " ", value), run: func(x []tensor) []tensor { return []tensor{x[0].ScatterValue(dim, x[1], value)} }}
	}},
	{"Neg", func(s *source) call {
		in := s.operands(1)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Neg()} }}
	}},
	{"Abs", func(s *source) call {
		in := s.operands(1)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Abs()} }}
	}},
	{"Exp", func(s *source) call {
		in := s.operands(1)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Exp()} }}
	}},
	{"Log", func(s *source) call {
		in := s.operands(1)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Log()} }}
	}},
	{"Log1p", func(s *source) call {
		in := s.operands(1)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Log1p()} }}
	}},
	{"Sqrt", func(s *source) call {
		in := s.operands(1)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Sqrt()} }}
	}},
	{"Square", func(s *source) call {
		in := s.operands(1)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Square()} }}
	}},
	{"Sigmoid", func(s *source) call {
		in := s.operands(1)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Sigmoid()} }}
	}},
	{"ReLU", func(s *source) call {
		in := s.operands(1)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].ReLU()} }}
	}},
	{"GELU", func(s *source) call {
		in := s.operands(1)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].GELU()} }}
	}},
	{"Clamp", func(s *source) call {
		in := s.operands(1)
		low := s.real()
		high := s.real()
		return call{in: in, note: fmt.Sprint(" ", low, " ", high), run: func(x []tensor) []tensor { return []tensor{x[0].Clamp(low, high)} }}
	}},
	{"Add", func(s *source) call {
		in := s.operands(2)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Add(x[1])} }}
	}},
	{"Sub", func(s *source) call {
		in := s.operands(2)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Sub(x[1])} }}
	}},
	{"Mul", func(s *source) call {
		in := s.operands(2)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Mul(x[1])} }}
	}},
	{"Div", func(s *source) call {
		in := s.operands(2)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Div(x[1])} }}
	}},
	{"Maximum", func(s *source) call {
		in := s.operands(2)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Maximum(x[1])} }}
	}},
	{"Eq", func(s *source) call {
		in := s.operands(2)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Eq(x[1])} }}
	}},
	{"Ne", func(s *source) call {
		in := s.operands(2)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Ne(x[1])} }}
	}},
	{"AddScalar", func(s *source) call {
		in := s.operands(1)
		v := s.real()
		return call{in: in, note: fmt.Sprint(" ", v), run: func(x []tensor) []tensor { return []tensor{x[0].AddScalar(v)} }}
	}},
	{"MulScalar", func(s *source) call {
		in := s.operands(1)
		v := s.real()
		return call{in: in, note: fmt.Sprint(" ", v), run: func(x []tensor) []tensor { return []tensor{x[0].MulScalar(v)} }}
	}},
	{"DivScalar", func(s *source) call {
		in := s.operands(1)
		v := s.real()
		return call{in: in, note: fmt.Sprint(" ", v), run: func(x []tensor) []tensor { return []tensor{x[0].DivScalar(v)} }}
	}},
	{"EqScalar", func(s *source) call {
		in := s.operands(1)
		v := s.real()
		return call{in: in, note: fmt.Sprint(" ", v), run: func(x []tensor) []tensor { return []tensor{x[0].EqScalar(v)} }}
	}},
	{"NeScalar", func(s *source) call {
		in := s.operands(1)
		v := s.real()
		return call{in: in, note: fmt.Sprint(" ", v), run: func(x []tensor) []tensor { return []tensor{x[0].NeScalar(v)} }}
	}},
	{"AddInPlace", func(s *source) call {
		in := s.operands(2)
		alpha := s.real()
		return call{in: in, layout: true, note: fmt.Sprint(" ", alpha), run: changing(func(x []tensor) { x[0].AddInPlace(x[1], alpha) })}
	}},
	{"MulScalarInPlace", func(s *source) call {
		in := s.operands(1)
		v := s.real()
		return call{in: in, layout: true, note: fmt.Sprint(" ", v), run: changing(func(x []tensor) { x[0].MulScalarInPlace(v) })}
	}},
	{"Sum", func(s *source) call {
		in := s.operands(1)
		dims := s.axes(in[0])
		return call{in: in, note: fmt.Sprint(" ", dims), run: func(x []tensor) []tensor { return []tensor{x[0].Sum(dims...)} }}
	}},
	{"SumKeep", func(s *source) call {
		in := s.operands(1)
		dims := s.axes(in[0])
		return call{in: in, note: fmt.Sprint(" ", dims), run: func(x []tensor) []tensor { return []tensor{x[0].SumKeep(dims...)} }}
	}},
	{"Mean", func(s *source) call {
		in := s.operands(1)
		dims := s.axes(in[0])
		return call{in: in, note: fmt.Sprint(" ", dims), run: func(x []tensor) []tensor { return []tensor{x[0].Mean(dims...)} }}
	}},
	{"MeanKeep", func(s *source) call {
		in := s.operands(1)
		dims := s.axes(in[0])
		return call{in: in, note: fmt.Sprint(" ", dims), run: func(x []tensor) []tensor { return []tensor{x[0].MeanKeep(dims...)} }}
	}},
	{"Amax", func(s *source) call {
		in := s.operands(1)
		dims := s.axes(in[0])
		return call{in: in, note: fmt.Sprint(" ", dims), run: func(x []tensor) []tensor { return []tensor{x[0].Amax(dims...)} }}
	}},
	{"Amin", func(s *source) call {
		in := s.operands(1)
		dims := s.axes(in[0])
		return call{in: in, note: fmt.Sprint(" ", dims), run: func(x []tensor) []tensor { return []tensor{x[0].Amin(dims...)} }}
	}},
	{"LogSumExp", func(s *source) call {
		in := s.operands(1)
		dims := s.axes(in[0])
		return call{in: in, note: fmt.Sprint(" ", dims), run: func(x []tensor) []tensor { return []tensor{x[0].LogSumExp(dims...)} }}
	}},
	{"LogSumExpKeep", func(s *source) call {
		in := s.operands(1)
		dims := s.axes(in[0])
		return call{in: in, note: fmt.Sprint(" ", dims), run: func(x []tensor) []tensor { return []tensor{x[0].LogSumExpKeep(dims...)} }}
	}},
	{"Norm", func(s *source) call {
		in := s.operands(1)
		order := pick(s, 1, 2, math.Inf(1))
		dims := s.axes(in[0])
		return call{in: in, note: fmt.Sprint(" ", order, " ", dims), run: func(x []tensor) []tensor { return []tensor{x[0].Norm(order, dims...)} }}
	}},
	{"All", func(s *source) call {
		in := s.operands(1)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].All()} }}
	}},
	{"Argmax", func(s *source) call {
		in := s.operands(1)
		dim := s.place(in...)
		return call{in: in, apart: true, note: fmt.Sprint(" ", dim), run: func(x []tensor) []tensor { return []tensor{x[0].Argmax(dim)} }}
	}},
	{"Softmax", func(s *source) call {
		in := s.operands(1)
		dim := s.place(in...)
		return call{in: in, note: fmt.Sprint(" ", dim), run: func(x []tensor) []tensor { return []tensor{x[0].Softmax(dim)} }}
	}},
	{"LogSoftmax", func(s *source) call {
		in := s.operands(1)
		dim := s.place(in...)
		return call{in: in, note: fmt.Sprint(" ", dim), run: func(x []tensor) []tensor { return []tensor{x[0].LogSoftmax(dim)} }}
	}},
	{"Sort", func(s *source) call {
		in := s.operands(1)
		dim := s.place(in...)
		descending := s.chance(.5)
		return call{in: in, note: fmt.Sprint(" ", dim, " ", descending), run: func(x []tensor) []tensor { return both(x[0].Sort(dim, descending)) }}
	}},
	{"TopK", func(s *source) call {
		in := s.operands(1)
		k := s.place(in...)
		dim := s.place(in...)
		return call{in: in, apart: true, note: fmt.Sprint(" ", k, " ", dim), run: func(x []tensor) []tensor { return both(x[0].TopK(k, dim)) }}
	}},
	{"Mm", func(s *source) call {
		in := s.product(0)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Mm(x[1])} }}
	}},
	{"Bmm", func(s *source) call {
		in := s.product(1)
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].Bmm(x[1])} }}
	}},
	{"Linear", func(s *source) call {
		in := s.linear()
		return call{in: in, wide: true, run: func(x []tensor) []tensor { return []tensor{x[0].Linear(x[1], x[2])} }}
	}},
	{"Inverse", func(s *source) call {
		in := s.square(torch.Float64)
		return call{in: in, apart: true, run: func(x []tensor) []tensor { return []tensor{x[0].Inverse()} }}
	}},
	{"SLogDet", func(s *source) call {
		in := s.square(torch.Float64)
		return call{in: in, apart: true, run: func(x []tensor) []tensor { return both(x[0].SLogDet()) }}
	}},
	{"Solve", func(s *source) call {
		in := s.square(torch.Float64, s.IntN(4))
		return call{in: in, apart: true, run: func(x []tensor) []tensor { return []tensor{x[0].Solve(x[1])} }}
	}},
	{"AdaptiveAvgPool2d", func(s *source) call {
		in := []tensor{s.images()}
		height := s.place(in...)
		width := s.place(in...)
		return call{in: in, note: fmt.Sprint(" ", height, " ", width), run: func(x []tensor) []tensor { return []tensor{x[0].AdaptiveAvgPool2d(height, width)} }}
	}},
	{"UpsampleBilinear", func(s *source) call {
		in := []tensor{s.images()}
		height := s.place(in...)
		width := s.place(in...)
		return call{in: in, note: fmt.Sprint(" ", height, " ", width), run: func(x []tensor) []tensor { return []tensor{x[0].UpsampleBilinear(height, width)} }}
	}},
	{"Embedding", func(s *source) call {
		in := s.lookup()
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{torch.Embedding(x[0], x[1])} }}
	}},
	{"CrossEntropy", func(s *source) call {
		in := s.classified()
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].CrossEntropy(x[1])} }}
	}},
	{"NLLLoss", func(s *source) call {
		in := s.classified()
		return call{in: in, run: func(x []tensor) []tensor { return []tensor{x[0].NLLLoss(x[1])} }}
	}},
	{"Attention", func(s *source) call {
		in := s.attention()
		return call{in: in, wide: true, layout: true, run: func(x []tensor) []tensor { return []tensor{torch.Attention(x[0], x[1], x[2], x[3])} }}
	}},
}
