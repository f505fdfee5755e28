package torch_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

func slotOf(s int) torch.GraphValue      { return torch.GraphValue{Kind: torch.GraphTensor, Int: s} }
func symbolOf(s int) torch.GraphValue    { return torch.GraphValue{Kind: torch.GraphSymbol, Int: s} }
func intOf(i int) torch.GraphValue       { return torch.GraphValue{Kind: torch.GraphInt, Int: i} }
func floatOf(f float64) torch.GraphValue { return torch.GraphValue{Kind: torch.GraphFloat, Float: f} }
func boolOf(b int) torch.GraphValue      { return torch.GraphValue{Kind: torch.GraphBool, Int: b} }
func listOf(items ...torch.GraphValue) torch.GraphValue {
	return torch.GraphValue{Kind: torch.GraphList, Items: items}
}

var modeOf = torch.GraphValue{Kind: torch.GraphMode}

// call returns a node; args are pairs of name and value, outputs slots.
func call(op string, args []torch.GraphArgument, outputs ...int) torch.GraphNode {
	name, overload, _ := strings.Cut(op, ".")
	return torch.GraphNode{Name: "the " + op, Op: "aten::" + name, Overload: overload, Args: args, Outputs: outputs}
}

func args(pairs ...any) (out []torch.GraphArgument) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, torch.GraphArgument{Name: pairs[i].(string), Value: pairs[i+1].(torch.GraphValue)})
	}
	return out
}

// program returns a program with n inputs in slots 0 to n-1 and its output in the last slot.
func program(t *testing.T, slots, n int, nodes ...torch.GraphNode) *torch.Program {
	t.Helper()
	g := torch.Graph{Slots: slots, Nodes: nodes, Outputs: []int{slots - 1}}
	for i := range n {
		g.Inputs = append(g.Inputs, torch.GraphInput{Slot: i})
	}
	return expect.Got(torch.NewProgram(g))(t)
}

func TestProgram(t *testing.T) {
	defer torchtest.Scoped(t)()
	// y = cat(split(x, [1, 2], 1)[1], x) w + 3 n, with a node that returns a list and arithmetic on a size.
	split := call("split_with_sizes", args("self", slotOf(0), "split_sizes", listOf(intOf(1), intOf(2)), "dim", intOf(1)),
		2, 3)
	split.List = true
	mul := torch.GraphNode{Name: "n", Op: "_operator.mul", Scalar: true, Args: args("a", symbolOf(5), "b", intOf(3)),
		Outputs: []int{6}}
	p := program(t, 9, 2, split,
		call("cat", args("tensors", listOf(slotOf(3), slotOf(0)), "dim", intOf(-1)), 4),
		call("sym_size.int", args("self", slotOf(0), "dim", intOf(0)), 5), mul,
		call("matmul", args("self", slotOf(4), "other", slotOf(1)), 7),
		call("add.Tensor", args("self", slotOf(7), "other", symbolOf(6)), 8))
	x := torchtest.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	w := torchtest.FromSlice([]float32{1, 10, 100, 1000, 10000}, 5, 1).SetRequiresGrad(true)
	y := p.Run([]torch.Tensor{x, w}, false, nil)[0]
	want := x.Narrow(1, 1, 2)
	both := torch.Cat(1, want, x).Mm(w.Detach()).AddScalar(6)
	torchtest.Close(t, "y", y, torch.Slice[float64](both), 0)
	y.Sum().Backward()
	torchtest.Close(t, "gradient", w.Grad(), []float64{7, 9, 5, 7, 9}, 0)
}

// In training, attention that drops almost nothing equals libtorch's without dropout.
func TestProgramAttention(t *testing.T) {
	defer torchtest.Scoped(t)()
	g := torch.NewGenerator(1, device)
	q, k := g.Normal(0, 1, f32, 2, 4, 3, 8), g.Normal(0, 1, f32, 2, 4, 3, 8)
	few := g.Normal(0, 1, f32, 2, 2, 3, 8)
	allowed := torchtest.FromSlice([]bool{true, false, true, true, true, false, false, false, true}, 3, 3)
	bias := g.Normal(0, 1, f32, 3, 3)
	for name, more := range map[string][]any{
		"plain": nil, "causal": {"is_causal", boolOf(1)}, "scale": {"scale", floatOf(.3)},
		"negative scale": {"scale", floatOf(-.3), "is_causal", boolOf(1)}, "mask": {"attn_mask", slotOf(3)},
		"groups": {"enable_gqa", boolOf(1)},
	} {
		mask, key := bias, k
		if name == "groups" {
			key = few
		}
		for _, mask = range []torch.Tensor{mask, allowed} {
			of := func(p float64) *torch.Program {
				a := append([]any{"query", slotOf(0), "key", slotOf(1), "value", slotOf(2), "dropout_p", floatOf(p)}, more...)
				return program(t, 5, 4, call("scaled_dot_product_attention", args(a...), 4))
			}
			in := []torch.Tensor{q, key, key, mask}
			want := torch.Slice[float64](of(0).Run(in, true, nil)[0])
			torchtest.Close(t, name, of(1e-9).Run(in, true, g)[0], want, 1e-6)
			torchtest.Close(t, name+" in evaluation", of(.5).Run(in, false, nil)[0], want, 1e-6)
			if slices.Equal(torch.Slice[float64](of(.5).Run(in, true, g)[0]), want) {
				t.Errorf("%s: dropout has no effect", name)
			}
		}
	}
}

// The mean of each operation's draws in training, its value in evaluation, and its repetition from the same stream.
func TestProgramDraws(t *testing.T) {
	const n = 1 << 16
	for _, c := range []struct {
		node       torch.GraphNode
		mean, eval float64
	}{
		{call("dropout", args("input", slotOf(0), "p", floatOf(.3), "train", modeOf), 1), 1, 1},
		{call("dropout_", args("self", slotOf(0), "p", floatOf(.3), "train", modeOf), 1), 1, 1},
		{call("feature_dropout", args("input", slotOf(0), "p", floatOf(.3), "train", modeOf), 1), 1, 1},
		{call("feature_dropout_", args("self", slotOf(0), "p", floatOf(.3), "train", modeOf), 1), 1, 1},
		{call("native_dropout", args("input", slotOf(0), "p", floatOf(.3), "train", modeOf), 1, -1), 1, 1},
		// SELU's limits: the kept 1 and the dropped -1.7581, scaled and shifted.
		{call("alpha_dropout", args("input", slotOf(0), "p", floatOf(.3), "train", modeOf), 1), alphaMean(.3), 1},
		{call("alpha_dropout_", args("self", slotOf(0), "p", floatOf(.3), "train", modeOf), 1), alphaMean(.3), 1},
		{call("feature_alpha_dropout", args("input", slotOf(0), "p", floatOf(.3), "train", modeOf), 1), alphaMean(.3), 1},
		{call("bernoulli_.float", args("self", slotOf(0), "p", floatOf(.2)), 1), .2, .2},
		{call("bernoulli.p", args("self", slotOf(0), "p", floatOf(.2)), 1), .2, .2},
		{call("bernoulli", args("self", slotOf(0)), 1), 1, 1},
		{call("uniform_", args("self", slotOf(0), "from", floatOf(1), "to", floatOf(2)), 1), 1.5, 1.5},
		{call("normal_", args("self", slotOf(0), "mean", floatOf(3)), 1), 3, 3},
		{call("rand_like", args("self", slotOf(0)), 1), .5, .5},
		{call("randn_like", args("self", slotOf(0)), 1), 0, 0},
		{call("rand", args("size", listOf(intOf(n/4), intOf(4)), "device", torch.GraphValue{Kind: torch.GraphDevice,
			Int: int(device)}), 1), .5, .5},
		{call("randn", args("size", listOf(intOf(n/4), intOf(4)), "device", torch.GraphValue{Kind: torch.GraphDevice,
			Int: int(device)}), 1), 0, 0},
		{call("rrelu", args("self", slotOf(0), "training", modeOf), 1), 1, 1},
	} {
		torchtest.Case(t, c.node.Name, func(t *testing.T) {
			p, x := program(t, 2, 1, c.node), torch.Ones(f32, n/4, 4)
			run := func(training bool, seed uint64) torch.Tensor {
				return p.Run([]torch.Tensor{x}, training, torch.NewGenerator(seed, device))[0]
			}
			if got := run(true, 1).Mean().Item(); math.Abs(got-c.mean) > .03 {
				t.Errorf("mean is %v, want %v", got, c.mean)
			}
			if got := run(false, 1); math.Abs(got.Mean().Item()-c.eval) > 1e-6 {
				t.Errorf("evaluation has %v, want %v", got.Mean().Item(), c.eval)
			}
			one, other := torch.Slice[float32](run(true, 1)), torch.Slice[float32](run(true, 2))
			expect.Same(t, true, slices.Equal(one, torch.Slice[float32](run(true, 1))), "the same stream repeats")
			constant := c.node.Op == "aten::bernoulli" && c.node.Overload == "" || c.node.Op == "aten::rrelu"
			expect.Same(t, constant, slices.Equal(one, other), "another stream draws the same")
			expect.Same(t, 1, x.Mean().Item(), "the input")
		})
	}
}

// Dropout with p 1 leaves zeros, torch 2.11.0.
func TestProgramDropsAll(t *testing.T) {
	defer torchtest.Scoped(t)()
	x, g := torch.Ones(f32, 1<<16, 2), torch.NewGenerator(1, device)
	for op, input := range map[string]string{
		"dropout": "input", "dropout_": "self", "native_dropout": "input",
		"alpha_dropout": "input", "alpha_dropout_": "self", "feature_alpha_dropout": "input",
	} {
		p := program(t, 2, 1, call(op, args(input, slotOf(0), "p", floatOf(1), "train", modeOf), 1))
		left := p.Run([]torch.Tensor{x}, true, g)[0].Abs().Sum()
		expect.Same(t, 0, left.Item(), op+" leaves a sum of")
	}
}

func alphaMean(p float64) float64 {
	const alpha = 1.7580993408473766
	a := 1 / math.Sqrt((alpha*alpha*p+1)*(1-p))
	return (1-p)*a + p*-alpha*a + alpha*a*p
}

// Training updates buffers and evaluation does not, whether an operation writes in place or the graph returns the
// value.
func TestProgramBuffers(t *testing.T) {
	defer torchtest.Scoped(t)()
	p, err := torch.NewProgram(torch.Graph{
		Slots: 4, Inputs: []torch.GraphInput{{Slot: 0, Buffer: true}, {Slot: 1, Buffer: true}},
		Nodes: []torch.GraphNode{
			call("add_.Tensor", args("self", slotOf(0), "other", intOf(1)), 2),
			call("add.Tensor", args("self", slotOf(1), "other", intOf(10)), 3),
		},
		Outputs: []int{2}, Updates: []torch.GraphUpdate{{Input: 1, Slot: 3}},
	})
	expect.OK(t, err)
	a, b := torchtest.FromSlice([]int64{0}), torchtest.FromSlice([]int64{0})
	in := []torch.Tensor{a, b}
	torchtest.Close(t, "evaluation", p.Run(in, false, nil)[0], []float64{1}, 0)
	torchtest.Close(t, "a", a, []float64{0}, 0)
	torchtest.Close(t, "b", b, []float64{0}, 0)
	torchtest.Close(t, "training", p.Run(in, true, nil)[0], []float64{1}, 0)
	torchtest.Close(t, "a", a, []float64{1}, 0)
	torchtest.Close(t, "b", b, []float64{10}, 0)
}

// Writes through a view do not change the examples nor, in evaluation, buffers and weights.
func TestProgramWritesToViews(t *testing.T) {
	defer torchtest.Scoped(t)()
	off := boolOf(0)
	for name, views := range map[string][]torch.GraphNode{
		"itself": nil,
		"a view": {call("flatten.using_ints", args("self", slotOf(0)), 1)},
		"a view of a view": {call("t", args("self", slotOf(0)), 2),
			call("select.int", args("self", slotOf(2), "dim", intOf(0), "index", intOf(1)), 1)},
		"a part": {torch.GraphNode{Name: "unbind", Op: "aten::unbind", Overload: "int",
			Args: args("self", slotOf(0)), Outputs: []int{1, 2}, List: true}},
		"dropout that is off": {call("dropout", args("input", slotOf(0), "p", floatOf(.5), "train", off), 1)},
		"a dtype that it has": {call("type_as", args("self", slotOf(0), "other", slotOf(0)), 1)},
		"a sum of no elements": {torch.GraphNode{Name: "einsum", Op: "aten::einsum",
			Args:    args("equation", torch.GraphValue{Kind: torch.GraphText, Text: "ij->ji"}, "tensors", listOf(slotOf(0))),
			Outputs: []int{1}}},
	} {
		for _, buffer := range []bool{false, true} {
			for _, trained := range []bool{false, true} {
				from := 1
				if views == nil {
					from = 0
				}
				g := torch.Graph{Slots: 4, Inputs: []torch.GraphInput{{Slot: 0, Buffer: buffer}}, Outputs: []int{3},
					Nodes: append(slices.Clone(views), call("sub_.Tensor", args("self", slotOf(from), "other", intOf(1)), 3))}
				p := expect.Got(torch.NewProgram(g))(t)
				x := torch.Ones(f32, 2, 2).SetRequiresGrad(trained)
				run := func(training bool) {
					torch.NoGrad(func() {
						torchtest.Close(t, name, p.Run([]torch.Tensor{x}, training, nil)[0].Sum().Abs(), []float64{0}, 0)
					})
				}
				run(false)
				torchtest.Close(t, name+" in evaluation", x.Detach().Sum(), []float64{4}, 0)
				if !buffer && !trained {
					run(true)
					torchtest.Close(t, name+" in training", x.Sum(), []float64{4}, 0)
				}
			}
		}
	}
}

// Padding by name equals padding by numbers, even with kernels of one element.
func TestProgramConvolutionPadding(t *testing.T) {
	defer torchtest.Scoped(t)()
	g := torch.NewGenerator(1, device)
	x := g.Normal(0, 1, f32, 2, 4, 7, 7).ChannelsLast()
	for _, c := range []struct {
		name                              string
		kernel, stride, dilation, padding int
	}{{"valid", 3, 2, 1, 0}, {"valid", 1, 2, 3, 0}, {"same", 3, 1, 2, 2}, {"same", 1, 1, 3, 0}} {
		w := g.Normal(0, 1, f32, 6, 4, c.kernel, c.kernel)
		run := func(overload string, padding torch.GraphValue) torch.Tensor {
			both := func(v int) torch.GraphValue { return listOf(intOf(v), intOf(v)) }
			return program(t, 3, 2, call("conv2d"+overload, args("input", slotOf(0), "weight", slotOf(1), "stride",
				both(c.stride), "padding", padding, "dilation", both(c.dilation)), 2)).Run([]torch.Tensor{x, w}, false, nil)[0]
		}
		want := run("", listOf(intOf(c.padding), intOf(c.padding)))
		torchtest.Close(t, c.name, run(".padding", torch.GraphValue{Kind: torch.GraphText, Text: c.name}),
			torch.Slice[float64](want), 1e-5)
	}
}

// Elements that a graph leaves unset are zero, so that runs repeat.
func TestProgramLeavesNothingUnset(t *testing.T) {
	defer torchtest.Scoped(t)()
	for op, more := range map[string][]any{
		"empty.memory_format": {"size", listOf(intOf(4), intOf(1000))}, "empty_like": {"self", slotOf(0)},
		"new_empty":      {"self", slotOf(0), "size", listOf(intOf(4), intOf(1000))},
		"empty_permuted": {"size", listOf(intOf(4), intOf(1000)), "physical_layout", listOf(intOf(1), intOf(0))},
	} {
		x := torch.Full(7, f32, 4, 1000)
		for range 3 { // memory that was used before
			torch.Scope(func() { torch.Full(7, f32, 4, 1000) })
			out := program(t, 2, 1, call(op, args(more...), 1)).Run([]torch.Tensor{x}, false, nil)[0]
			torchtest.Close(t, op, out.Abs().Sum(), []float64{0}, 0)
		}
	}
}

func TestFromBytes(t *testing.T) {
	defer torchtest.Scoped(t)()
	torchtest.Close(t, "int32", torch.FromBytes([]byte{1, 0, 0, 0, 255, 255, 255, 255}, torch.Int32, 2, 1),
		[]float64{1, -1}, 0)
	torchtest.Raises(t, torch.Shape, func() { torch.FromBytes(make([]byte, 7), torch.Float32, 2) })
}

// torch 2.11.0: Python's own operators on sizes.
func TestProgramArithmetic(t *testing.T) {
	defer torchtest.Scoped(t)()
	for _, c := range []struct {
		op   string
		a, b torch.GraphValue
		want float64
	}{
		{"_operator.add", intOf(7), intOf(3), 10}, {"_operator.sub", intOf(7), intOf(3), 4},
		{"_operator.mul", intOf(7), intOf(3), 21},
		{"_operator.floordiv", intOf(-7), intOf(2), -4}, {"_operator.floordiv", floatOf(7.5), intOf(2), 3},
		{"_operator.mod", intOf(-7), intOf(3), 2},
		{"_operator.pow", intOf(2), intOf(5), 32}, {"_operator.truediv", intOf(7), intOf(2), 3.5},
		{"torch.sym_max", intOf(7), intOf(3), 7},
		{"torch.sym_min", intOf(7), intOf(3), 3}, {"math.ceil", floatOf(2.1), intOf(0), 3},
		{"math.floor", floatOf(-2.1), intOf(0), -3},
		{"math.trunc", floatOf(-2.1), intOf(0), -2}, {"builtins.round", floatOf(2.5), intOf(0), 2},
		{"torch._sym_sqrt", intOf(9), intOf(0), 3},
		{"_operator.neg", intOf(9), intOf(0), -9}, {"torch.sym_float", intOf(9), intOf(0), 9},
		{"torch.sym_int", floatOf(9.9), intOf(0), 9},
		{"_operator.and_", intOf(6), intOf(3), 2}, {"_operator.or_", intOf(6), intOf(3), 7},
		{"_operator.and_", boolOf(1), intOf(6), 0},
		{"_operator.and_", boolOf(1), boolOf(0), 0}, {"_operator.or_", boolOf(1), boolOf(0), 1},
		{"_operator.and_", intOf(-2), intOf(7), 6},
		{"builtins.round", floatOf(2.675), intOf(2), 2.67}, {"builtins.round", floatOf(.125), intOf(2), .12},
		{"builtins.round", intOf(7), intOf(2), 7},
		{"builtins.round", floatOf(-1e300), intOf(1), -1e300}, {"_operator.mod", intOf(math.MinInt64), intOf(-1), 0},
		{"_operator.mod", intOf(7), intOf(-1), 0}, {"_operator.floordiv", intOf(7), intOf(-1), -7},
	} {
		torchtest.Close(t, c.op, scalar(t, c.op, c.a, c.b, torch.Float64).Run(nil, false, nil)[0], []float64{c.want}, 1e-6)
	}
	odd := scalar(t, "math.floor", intOf(1<<53+1), intOf(0), torch.Int64).Run(nil, false, nil)[0]
	expect.Same(t, 1<<53+1, torch.Slice[int64](odd)[0], "math.floor of a whole number")
	for op, want := range map[string]float64{"eq": 0, "ne": 1, "lt": 0, "le": 0, "gt": 1, "ge": 1} {
		torchtest.Close(t, op, scalar(t, "_operator."+op, intOf(7), intOf(3), torch.Float64).Run(nil, false, nil)[0],
			[]float64{want}, 0)
	}
}

// scalar returns a program that computes one Python function of two numbers.
func scalar(t *testing.T, op string, a, b torch.GraphValue, dtype torch.DType) *torch.Program {
	t.Helper()
	code := map[torch.DType]int{torch.Int64: 4, torch.Float64: 7}[dtype] // libtorch's numbers
	node := torch.GraphNode{Name: "n", Op: op, Scalar: true, Args: args("a", a, "b", b), Outputs: []int{0}}
	return program(t, 2, 0, node, call("scalar_tensor", args("s", symbolOf(0), "dtype", intOf(code)), 1))
}
