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

// A size that 64 bits do not hold is an error.
func TestProgramArithmeticRefuses(t *testing.T) {
	torchtest.NoLeak(t, func() {
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
	})
}

func TestProgramRefuses(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for _, c := range []struct {
			node torch.GraphNode
			kind torch.Kind
			want string
		}{
			{call("nothing", nil, 1), torch.NotImplemented, "this libtorch has no operation aten::nothing"},
			{call("relu", nil, 1), torch.Value, "aten::relu is given no argument self"},
			{call("relu", args("self", slotOf(0), "much", intOf(1)), 1), torch.Value, "aten::relu takes no argument much"},
			{call("relu", args("self", slotOf(9)), 1), torch.Value, "no slot 9"},
			{call("sum.dim_IntList", args("self", slotOf(0), "dim", listOf(floatOf(.5))), 1), torch.DTypeMismatch,
				"a whole number belongs here"},
			{call("abs.out", args("self", slotOf(0), "out", slotOf(0)), 1), torch.NotImplemented,
				"aten::abs.out writes to a tensor that it is given (out=)"},
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
		// -1 is for results that nobody reads alone.
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
	})
}

// Arguments that Python's layers compute, as a file of others may have them: libtorch itself
// reads and writes beyond its tensors for each.
func TestProgramChecksArguments(t *testing.T) {
	torchtest.NoLeak(t, func() {
		one := func(shape ...int) torch.Tensor { return torch.Ones(f32, shape...) }
		batchNorm := func(more ...any) []torch.GraphArgument {
			return args(append([]any{"input", slotOf(0), "weight", slotOf(1), "bias", slotOf(2), "momentum", floatOf(.1), "eps",
				floatOf(.1)}, more...)...)
		}
		running := []any{"running_mean", slotOf(3), "running_var", slotOf(4)}
		training := append(slices.Clone(running), "training", boolOf(1))
		groupNorm := func(n, c, hw int) []torch.GraphArgument {
			return args("input", slotOf(0), "weight", slotOf(1), "bias", slotOf(2), "N", intOf(n), "C", intOf(c), "HxW",
				intOf(hw), "group", intOf(1), "eps", floatOf(.1))
		}
		weightNorm := args("v", slotOf(0), "g", slotOf(1), "dim", intOf(0))
		lstm := func(biases int) []torch.GraphArgument {
			return args("input", slotOf(0), "hx", listOf(slotOf(1), slotOf(1)), "params", listOf(slotOf(2), slotOf(3)),
				"has_biases", boolOf(biases),
				"num_layers", intOf(1), "dropout", floatOf(0), "train", boolOf(0), "bidirectional", boolOf(0), "batch_first",
				boolOf(0))
		}
		attention := args("query", slotOf(0), "key", slotOf(1), "value", slotOf(2))
		groups := append(slices.Clone(attention), args("enable_gqa", boolOf(1))...)
		convolution := func(stride ...torch.GraphValue) []torch.GraphArgument {
			return args("input", slotOf(0), "weight", slotOf(1), "stride", listOf(stride...))
		}
		x, c, big := one(2, 3, 4), one(3), one(2, 4096, 4)
		for _, of := range []struct {
			name     string
			node     torch.GraphNode
			in       []torch.Tensor
			accepted bool
		}{
			{"batch norm", call("native_batch_norm", batchNorm(training...), 5), []torch.Tensor{x, c, c, c.Clone(), c.Clone()},
				true},
			{"batch norm, a weight short", call("native_batch_norm", batchNorm(training...), 5),
				[]torch.Tensor{big, one(1), one(4096), one(4096), one(4096)}, false},
			{"batch norm, a moment short", call("_native_batch_norm_legit", batchNorm(training...), 5),
				[]torch.Tensor{big, one(4096), one(4096), one(1), one(4096)}, false},
			{"batch norm in functional form, a moment short", call("_native_batch_norm_legit_functional", batchNorm(training...),
				5), []torch.Tensor{big, one(4096), one(4096), one(4096), one(1)}, false},
			{"batch norm without moments, a bias short", call("_native_batch_norm_legit.no_stats",
				batchNorm("training", boolOf(1)), 5), []torch.Tensor{big, one(4096), one(1)}, false},
			{"batch norm in evaluation, a bias short", call("_native_batch_norm_legit_no_training", batchNorm(running...), 5),
				[]torch.Tensor{big, one(4096), one(1), one(4096), one(4096)}, false},
			{"batch norm in evaluation, no moments", call("native_batch_norm", batchNorm("running_mean", torch.GraphValue{},
				"running_var", torch.GraphValue{}, "training", boolOf(0)), 5), []torch.Tensor{x, c, c}, false},
			{"group norm", call("native_group_norm", groupNorm(2, 3, 4), 5), []torch.Tensor{x, c, c}, true},
			{"group norm of other images", call("native_group_norm", groupNorm(1, 3, 8), 5), []torch.Tensor{x, c, c}, false},
			{"group norm, a weight short", call("native_group_norm", groupNorm(2, 3, 4), 5), []torch.Tensor{x, one(1), c},
				false},
			{"weight norm", call("_weight_norm", weightNorm, 5), []torch.Tensor{x, one(2, 1, 1)}, true},
			{"weight norm, a magnitude short", call("_weight_norm", weightNorm, 5), []torch.Tensor{one(100000, 64), one(1, 1)},
				false},
			{"lstm", call("lstm.input", lstm(0), 5, -1, -1), []torch.Tensor{x, one(1, 3, 2), one(8, 4), one(8, 2)}, true},
			{"lstm, weights short", call("lstm.input", lstm(0), 5, -1, -1), []torch.Tensor{x, one(1, 3, 2), one(1, 1),
				one(1, 1)}, false},
			{"lstm, without its biases", call("lstm.input", lstm(1), 5, -1, -1), []torch.Tensor{x, one(1, 3, 2), one(8, 4),
				one(8, 2)}, false},
			{"attention", call("scaled_dot_product_attention", attention, 5), []torch.Tensor{one(1, 2, 3, 4), one(1, 2, 5, 4),
				one(1, 2, 5, 4)}, true},
			{"attention, values short", call("scaled_dot_product_attention", attention, 5), []torch.Tensor{one(1, 2, 3, 4),
				one(1, 2, 5000, 4), one(1, 2, 1, 4)}, false},
			{"attention of no heads", call("scaled_dot_product_attention", groups, 5), []torch.Tensor{one(1, 2, 3, 4),
				one(1, 0, 5, 4), one(1, 0, 5, 4)}, false},
			{"convolution, a number for both sides", call("conv2d", convolution(intOf(2)), 5), []torch.Tensor{one(1, 1, 4, 4),
				one(1, 1, 2, 2)}, true},
			{"convolution, three strides", call("conv2d", convolution(intOf(1), intOf(1), intOf(1)), 5),
				[]torch.Tensor{one(1, 1, 4, 4), one(1, 1, 2, 2)}, false},
		} {
			for len(of.in) < 5 {
				of.in = append(of.in, c)
			}
			err := torch.Try(func() error { program(t, 6, 5, of.node).Run(of.in, false, nil); return nil })
			expect.Same(t, of.accepted, err == nil, fmt.Sprint(of.name, ": ", err))
		}
	})
}

func TestCallRefused(t *testing.T) {
	torchtest.NoLeak(t, func() {
		x := torch.Ones(torch.Options{}, 2)
		for want, f := range map[string]func() torch.Tensor{
			"aten::abs takes 1 arguments at most, not 2":       func() torch.Tensor { return torch.Call("aten::abs", x, 1) },
			"this libtorch has no operation aten::ab":          func() torch.Tensor { return torch.Call("aten::ab", x) },
			"aten::cumsum is given no argument dim":            func() torch.Tensor { return torch.Call("aten::cumsum", x) },
			"an argument of type float32: want a Tensor":       func() torch.Tensor { return torch.Call("aten::abs", float32(1)) },
			"this operation draws random numbers, and the run": func() torch.Tensor { return torch.Call("aten::bernoulli", x) },
		} {
			expect.Fails(t, torch.Try(func() error { f(); return nil }), want)
		}
		g := torch.NewGenerator(1, torch.CPU)
		if drawn := torch.Call("aten::bernoulli", x, g); drawn.Sum().Item() != 2 {
			t.Errorf("draws of probability 1: %v", drawn)
		}
		if y := torch.Call("aten::relu_", x.Neg()); y.Sum().Item() != 0 || x.Sum().Item() != 2 {
			t.Errorf("in place: %v, of %v", y, x)
		}
	})
}
