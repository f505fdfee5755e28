package torch_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// A size beyond 64 bits is an error.
func TestProgramArithmeticRefuses(t *testing.T) {
	defer torchtest.Scoped(t)()
	inf, nan := floatOf(math.Inf(1)), floatOf(math.NaN())
	for _, c := range []struct {
		op   string
		a, b torch.GraphValue
		kind torch.Kind
	}{
		{"_operator.add", intOf(math.MaxInt64), intOf(1), torch.Value},
		{"_operator.sub", intOf(math.MinInt64), intOf(1), torch.Value},
		{"_operator.mul", intOf(1 << 32), intOf(1 << 31), torch.Value},
		{"_operator.pow", intOf(3), intOf(63), torch.Value},
		{"_operator.neg", intOf(math.MinInt64), intOf(0), torch.Value},
		{"_operator.floordiv", intOf(math.MinInt64), intOf(-1), torch.Value},
		{"math.floor", inf, intOf(0), torch.Value},
		{"math.ceil", floatOf(1e19), intOf(0), torch.Value},
		{"math.trunc", nan, intOf(0), torch.Value},
		{"torch.sym_int", inf, intOf(0), torch.Value},
		{"torch.sym_int", floatOf(math.Exp2(63)), intOf(0), torch.Value},
		{"builtins.round", floatOf(2.5), inf, torch.Value},
		{"builtins.round", intOf(15), intOf(-1), torch.NotImplemented},
		{"_operator.and_", floatOf(1), intOf(1), torch.DTypeMismatch},
	} {
		p := scalar(t, c.op, c.a, c.b, torch.Float64)
		if err := torch.Try(func() error { p.Run(nil, false, nil); return nil }); !torch.IsKind(err, c.kind) {
			t.Errorf("%s: error is %v, want kind %v", c.op, err, c.kind)
		}
	}
}

func TestProgramRefuses(t *testing.T) {
	defer torchtest.Scoped(t)()
	for _, c := range []struct {
		node torch.GraphNode
		kind torch.Kind
		want string
	}{
		{call("nothing", nil, 1), torch.NotImplemented, "this libtorch has no operation aten::nothing"},
		{call("relu", nil, 1), torch.Value, "aten::relu is missing the argument self"},
		{call("relu", args("self", slotOf(0), "much", intOf(1)), 1), torch.Value, "aten::relu takes no argument much"},
		{call("relu", args("self", slotOf(9)), 1), torch.Value, "no slot 9"},
		{call("sum.dim_IntList", args("self", slotOf(0), "dim", listOf(floatOf(.5))), 1), torch.DTypeMismatch,
			"expected a whole number"},
		{call("abs.out", args("self", slotOf(0), "out", slotOf(0)), 1), torch.NotImplemented,
			"aten::abs.out writes to a given tensor (out=)"},
		{call("zeros", args("size", listOf(intOf(2)), "dtype", intOf(-3)), 1), torch.DTypeMismatch,
			"dtype -3 is not supported"},
		{call("zeros", args("size", listOf(intOf(2)), "dtype", intOf(13)), 1), torch.DTypeMismatch,
			"dtype 13 is not supported"},
		{call("zeros", args("size", listOf(intOf(2)), "layout", intOf(1)), 1), torch.DTypeMismatch,
			"layout 1 is not supported, only strided tensors are"},
		{call("clone", args("self", slotOf(0), "memory_format", intOf(9)), 1), torch.DTypeMismatch,
			"memory format 9 is not supported"},
		{call("randperm", args("n", intOf(4)), 1), torch.NotImplemented, "draws from libtorch's global generator"},
		{call("multinomial", args("self", slotOf(0), "num_samples", intOf(4)), 1), torch.NotImplemented,
			"draws from libtorch's global generator"},
		{torch.GraphNode{Name: "n", Op: "_operator.matmul", Scalar: true, Outputs: []int{1}}, torch.NotImplemented,
			"no function _operator.matmul"},
	} {
		_, err := torch.NewProgram(torch.Graph{Slots: 2, Inputs: []torch.GraphInput{{Slot: 0}},
			Nodes: []torch.GraphNode{c.node}, Outputs: []int{1}})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "node "+c.node.Name) ||
			!torch.IsKind(err, c.kind) {
			t.Errorf("%s: error is %v, want %v: %s", c.node.Op, err, c.kind, c.want)
		}
	}
	// -1 is only for unused results.
	relu := []torch.GraphNode{call("relu", args("self", slotOf(0)), 1)}
	for _, g := range []torch.Graph{
		{Slots: 2, Inputs: []torch.GraphInput{{Slot: -1}}, Nodes: relu, Outputs: []int{1}},
		{Slots: 2, Inputs: []torch.GraphInput{{Slot: 0}}, Nodes: relu, Outputs: []int{-1}},
		{Slots: 2, Inputs: []torch.GraphInput{{Slot: 0}}, Nodes: relu, Outputs: []int{1},
			Updates: []torch.GraphUpdate{{Input: 0, Slot: -1}}},
	} {
		if _, err := torch.NewProgram(g); !torch.IsKind(err, torch.Value) || !strings.Contains(err.Error(), "no slot -1") {
			t.Errorf("error is %v", err)
		}
	}
	p := program(t, 3, 2, call("mm", args("self", slotOf(0), "mat2", slotOf(1)), 2))
	torchtest.Raises(t, torch.Shape, func() {
		p.Run([]torch.Tensor{torch.Ones(f32, 2, 3), torch.Ones(f32, 2, 3)}, false, nil)
	})
	torchtest.Raises(t, torch.Value, func() { p.Run(nil, false, nil) })
}

// A stride may be one number for both sides; any other count than the images' dimensions is an error.
func TestProgramConvolution(t *testing.T) {
	defer torchtest.Scoped(t)()
	for n, accepted := range map[int]bool{1: true, 2: true, 3: false} {
		stride := slices.Repeat([]torch.GraphValue{intOf(2)}, n)
		p := program(t, 3, 2, call("conv2d", args("input", slotOf(0), "weight", slotOf(1), "stride", listOf(stride...)), 2))
		in := []torch.Tensor{torch.Ones(f32, 1, 1, 4, 4), torch.Ones(f32, 1, 1, 2, 2)}
		err := torch.Try(func() error { p.Run(in, false, nil); return nil })
		expect.Same(t, accepted, err == nil, fmt.Sprintf("%d strides: %v", n, err))
	}
}

func TestCallRefused(t *testing.T) {
	defer torchtest.Scoped(t)()
	x := torch.Ones(torch.Options{}, 2)
	for want, f := range map[string]func() torch.Tensor{
		"aten::abs takes 1 arguments at most, not 2":       func() torch.Tensor { return torch.Call("aten::abs", x, 1) },
		"this libtorch has no operation aten::ab":          func() torch.Tensor { return torch.Call("aten::ab", x) },
		"aten::cumsum is missing the argument dim":         func() torch.Tensor { return torch.Call("aten::cumsum", x) },
		"an argument of type float32: want a Tensor":       func() torch.Tensor { return torch.Call("aten::abs", float32(1)) },
		"this operation draws random numbers, but the run": func() torch.Tensor { return torch.Call("aten::bernoulli", x) },
	} {
		expect.Fails(t, torch.Try(func() error { f(); return nil }), want)
	}
	g := torch.NewGenerator(1, torch.CPU)
	if drawn := torch.Call("aten::bernoulli", x, g); drawn.Sum().Item() != 2 {
		t.Errorf("draws of probability 1: %v", drawn)
	}
	y := torch.Call("aten::relu_", x.Neg())
	expect.Same(t, []float64{0, 2}, torch.Items(y.Sum(), x.Sum()))
}
