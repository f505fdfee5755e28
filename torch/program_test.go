package torch_test

import (
	"math"
	"slices"
	"strings"
	"testing"

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

// call is a node; args are pairs of name and value, outputs slots.
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

// program makes one of n inputs in slots 0 to n-1, whose output is the last slot.
func program(t *testing.T, slots, n int, nodes ...torch.GraphNode) *torch.Program {
	t.Helper()
	g := torch.Graph{Slots: slots, Nodes: nodes, Outputs: []int{slots - 1}}
	for i := range n {
		g.Inputs = append(g.Inputs, torch.GraphInput{Slot: i})
	}
	p, err := torch.NewProgram(g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProgram(t *testing.T) {
	torchtest.NoLeak(t, func() {
		// y = cat(split(x, [1, 2], 1)[1], x) w + 3 n, with a list of results that one node makes
		// and a size in arithmetic.
		split := call("split_with_sizes", args("self", slotOf(0), "split_sizes", listOf(intOf(1), intOf(2)), "dim", intOf(1)), 2, 3)
		split.List = true
		mul := torch.GraphNode{Name: "n", Op: "_operator.mul", Scalar: true, Args: args("a", symbolOf(5), "b", intOf(3)), Outputs: []int{6}}
		p := program(t, 9, 2, split,
			call("cat", args("tensors", listOf(slotOf(3), slotOf(0)), "dim", intOf(-1)), 4),
			call("sym_size.int", args("self", slotOf(0), "dim", intOf(0)), 5), mul,
			call("matmul", args("self", slotOf(4), "other", slotOf(1)), 7),
			call("add.Tensor", args("self", slotOf(7), "other", symbolOf(6)), 8))
		x := torch.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
		w := torch.FromSlice([]float32{1, 10, 100, 1000, 10000}, 5, 1).SetRequiresGrad(true)
		y := p.Run([]torch.Tensor{x, w}, false, nil)[0]
		want := x.Narrow(1, 1, 2)
		both := torch.Cat(1, want, x).Matmul(w.Detach()).AddScalar(6)
		torchtest.Close(t, "y", y, torch.Slice[float64](both), 0)
		y.Sum().Backward()
		torchtest.Close(t, "gradient", w.Grad(), []float64{7, 9, 5, 7, 9}, 0)
	})
}

// In training attention that drops next to nothing is libtorch's without dropout.
func TestProgramAttention(t *testing.T) {
	torchtest.NoLeak(t, func() {
		g := torch.NewGenerator(1, torch.CPU)
		q, k := g.Normal(0, 1, torch.Options{}, 2, 4, 3, 8), g.Normal(0, 1, torch.Options{}, 2, 4, 3, 8)
		few := g.Normal(0, 1, torch.Options{}, 2, 2, 3, 8)
		allowed := torch.FromSlice([]bool{true, false, true, true, true, false, false, false, true}, 3, 3)
		bias := g.Normal(0, 1, torch.Options{}, 3, 3)
		for name, more := range map[string][]any{
			"plain": nil, "causal": {"is_causal", boolOf(1)}, "scale": {"scale", floatOf(.3)}, "mask": {"attn_mask", slotOf(3)}, "groups": {"enable_gqa", boolOf(1)},
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
	})
}

// The mean of what each operation draws, in training and as evaluation has it, and
// its repetition from the same stream.
func TestProgramDraws(t *testing.T) {
	const n = 1 << 16
	ones := torch.GraphInput{Slot: 0}
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
		{call("rand", args("size", listOf(intOf(n/4), intOf(4))), 1), .5, .5},
		{call("randn", args("size", listOf(intOf(n/4), intOf(4))), 1), 0, 0},
		{call("rrelu", args("self", slotOf(0), "training", modeOf), 1), 1, 1},
	} {
		t.Run(c.node.Name, func(t *testing.T) {
			torchtest.NoLeak(t, func() {
				p, err := torch.NewProgram(torch.Graph{Slots: 2, Inputs: []torch.GraphInput{ones}, Nodes: []torch.GraphNode{c.node}, Outputs: []int{1}})
				if err != nil {
					t.Fatal(err)
				}
				x := torch.Ones(torch.Options{}, n/4, 4)
				run := func(training bool, seed uint64) torch.Tensor {
					return p.Run([]torch.Tensor{x}, training, torch.NewGenerator(seed, torch.CPU))[0]
				}
				if got := run(true, 1).Mean().Item(); math.Abs(got-c.mean) > .03 {
					t.Errorf("mean is %v, want %v", got, c.mean)
				}
				if got := run(false, 1); math.Abs(got.Mean().Item()-c.eval) > 1e-6 {
					t.Errorf("evaluation has %v, want %v", got.Mean().Item(), c.eval)
				}
				one, again, other := torch.Slice[float32](run(true, 1)), torch.Slice[float32](run(true, 1)), torch.Slice[float32](run(true, 2))
				if !slices.Equal(one, again) {
					t.Error("the same stream draws otherwise")
				}
				constant := c.node.Op == "aten::bernoulli" && c.node.Overload == "" || c.node.Op == "aten::rrelu"
				if slices.Equal(one, other) != constant {
					t.Errorf("another stream draws the same: %v", !constant)
				}
				if got := x.Mean().Item(); got != 1 {
					t.Errorf("the input was changed to %v", got)
				}
			})
		})
	}
}

func alphaMean(p float64) float64 {
	const alpha = 1.7580993408473766
	a := 1 / math.Sqrt((alpha*alpha*p+1)*(1-p))
	return (1-p)*a + p*-alpha*a + alpha*a*p
}

// Training leaves new values in buffers, evaluation does not, whether an operation
// writes in place or the graph returns the value.
func TestProgramBuffers(t *testing.T) {
	torchtest.NoLeak(t, func() {
		p, err := torch.NewProgram(torch.Graph{
			Slots: 4, Inputs: []torch.GraphInput{{Slot: 0, Buffer: true}, {Slot: 1, Buffer: true}},
			Nodes: []torch.GraphNode{
				call("add_.Tensor", args("self", slotOf(0), "other", intOf(1)), 2),
				call("add.Tensor", args("self", slotOf(1), "other", intOf(10)), 3),
			},
			Outputs: []int{2}, Updates: []torch.GraphUpdate{{Input: 1, Slot: 3}},
		})
		if err != nil {
			t.Fatal(err)
		}
		a, b := torch.FromSlice([]int64{0}), torch.FromSlice([]int64{0})
		in := []torch.Tensor{a, b}
		torchtest.Close(t, "evaluation", p.Run(in, false, nil)[0], []float64{1}, 0)
		torchtest.Close(t, "a", a, []float64{0}, 0)
		torchtest.Close(t, "b", b, []float64{0}, 0)
		torchtest.Close(t, "training", p.Run(in, true, nil)[0], []float64{1}, 0)
		torchtest.Close(t, "a", a, []float64{1}, 0)
		torchtest.Close(t, "b", b, []float64{10}, 0)
	})
}

// torch 2.11.0: Python's own operators on sizes.
func TestProgramArithmetic(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for _, c := range []struct {
			op   string
			a, b torch.GraphValue
			want float64
		}{
			{"_operator.add", intOf(7), intOf(3), 10}, {"_operator.sub", intOf(7), intOf(3), 4}, {"_operator.mul", intOf(7), intOf(3), 21},
			{"_operator.floordiv", intOf(-7), intOf(2), -4}, {"_operator.floordiv", floatOf(7.5), intOf(2), 3}, {"_operator.mod", intOf(-7), intOf(3), 2},
			{"_operator.pow", intOf(2), intOf(5), 32}, {"_operator.truediv", intOf(7), intOf(2), 3.5}, {"torch.sym_max", intOf(7), intOf(3), 7},
			{"torch.sym_min", intOf(7), intOf(3), 3}, {"math.ceil", floatOf(2.1), intOf(0), 3}, {"math.floor", floatOf(-2.1), intOf(0), -3},
			{"math.trunc", floatOf(-2.1), intOf(0), -2}, {"builtins.round", floatOf(2.5), intOf(0), 2}, {"torch._sym_sqrt", intOf(9), intOf(0), 3},
			{"_operator.neg", intOf(9), intOf(0), -9}, {"torch.sym_float", intOf(9), intOf(0), 9}, {"torch.sym_int", floatOf(9.9), intOf(0), 9},
		} {
			node := torch.GraphNode{Name: "n", Op: c.op, Scalar: true, Args: args("a", c.a, "b", c.b), Outputs: []int{0}}
			p := program(t, 2, 0, node, call("scalar_tensor", args("s", symbolOf(0)), 1))
			torchtest.Close(t, c.op, p.Run(nil, false, nil)[0], []float64{c.want}, 1e-6)
		}
		for op, want := range map[string]float64{"eq": 0, "ne": 1, "lt": 0, "le": 0, "gt": 1, "ge": 1} {
			node := torch.GraphNode{Name: "n", Op: "_operator." + op, Scalar: true, Args: args("a", intOf(7), "b", intOf(3)), Outputs: []int{0}}
			p := program(t, 2, 0, node, call("scalar_tensor", args("s", symbolOf(0)), 1))
			torchtest.Close(t, op, p.Run(nil, false, nil)[0], []float64{want}, 0)
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
			{call("sum.dim_IntList", args("self", slotOf(0), "dim", listOf(floatOf(.5))), 1), torch.DTypeMismatch, "a whole number belongs here"},
			{call("randperm", args("n", intOf(4)), 1), torch.NotImplemented, "draws from libtorch's global generator"},
			{call("multinomial", args("self", slotOf(0), "num_samples", intOf(4)), 1), torch.NotImplemented, "draws from libtorch's global generator"},
			{torch.GraphNode{Name: "n", Op: "_operator.matmul", Scalar: true, Outputs: []int{1}}, torch.NotImplemented, "no function _operator.matmul"},
		} {
			_, err := torch.NewProgram(torch.Graph{Slots: 2, Inputs: []torch.GraphInput{{Slot: 0}}, Nodes: []torch.GraphNode{c.node}, Outputs: []int{1}})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "node "+c.node.Name) || !torch.IsKind(err, c.kind) {
				t.Errorf("%s: error is %v, want %v: %s", c.node.Op, err, c.kind, c.want)
			}
		}
		p := program(t, 3, 2, call("mm", args("self", slotOf(0), "mat2", slotOf(1)), 2))
		torchtest.Raises(t, torch.Shape, func() {
			p.Run([]torch.Tensor{torch.Ones(torch.Options{}, 2, 3), torch.Ones(torch.Options{}, 2, 3)}, false, nil)
		})
		torchtest.Raises(t, torch.Value, func() { p.Run(nil, false, nil) })
	})
}

func TestFromBytes(t *testing.T) {
	torchtest.NoLeak(t, func() {
		torchtest.Close(t, "int32", torch.FromBytes([]byte{1, 0, 0, 0, 255, 255, 255, 255}, torch.Int32, 2, 1), []float64{1, -1}, 0)
		torchtest.Raises(t, torch.Shape, func() { torch.FromBytes(make([]byte, 7), torch.Float32, 2) })
	})
}
