package torch_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

type tensor = torch.Tensor

// op is a case, named after the method plus a word if there are several. Inputs and expected outputs are in
// testdata/golden.json under the same name, from torch 2.11.0 by testdata/generate.py.
type op struct {
	name string
	f    func(x []tensor) []tensor
	// flat cases have no gradient to compare: the operation has none, is a step function, or changes its operand.
	flat bool
}

func one(f func(tensor) tensor) func([]tensor) []tensor {
	return func(x []tensor) []tensor { return []tensor{f(x[0])} }
}

func two(f func(a, b tensor) tensor) func([]tensor) []tensor {
	return func(x []tensor) []tensor { return []tensor{f(x[0], x[1])} }
}

// pairOf is for operations with two results.
func pairOf(f func(tensor) (tensor, tensor)) func([]tensor) []tensor {
	return func(x []tensor) []tensor {
		values, indices := f(x[0])
		return []tensor{values, indices}
	}
}

// changed is for operations that change a copy of their first operand.
func changed(f func(x []tensor)) func([]tensor) []tensor {
	return func(x []tensor) []tensor {
		moved := append([]tensor{x[0].Clone()}, x[1:]...)
		f(moved)
		return moved[:1]
	}
}

func made(f func() tensor) func([]tensor) []tensor {
	return func([]tensor) []tensor { return []tensor{f()} }
}

// The device of these tests; see torchtest.Device.
var device = torchtest.Device()

var f32, f64 = torch.Options{Device: device}, torch.Options{DType: torch.Float64, Device: device}

var making = []op{
	{"Full", made(func() tensor { return torch.Full(1.5, f64, 2, 2) }), true},
	{"Zeros", made(func() tensor { return torch.Zeros(torch.Options{DType: torch.Int32, Device: device}, 3) }), true},
	{"Ones", made(func() tensor { return torch.Ones(torch.Options{DType: torch.Bool, Device: device}, 2, 1) }), true},
	{"ZerosLike", one(torch.ZerosLike), true},
	{"Scalar", made(func() tensor { return torch.Scalar(2.5, f32) }), true},
	{"Arange", made(func() tensor { return torch.Arange(1, 2, .3, f64) }), true},
	{"Arange whole", made(func() tensor {
		return torch.Arange(5, -1, -2, torch.Options{DType: torch.Int64, Device: device})
	}), true},
	{"Linspace", made(func() tensor { return torch.Linspace(-1, 2, 7, f64) }), true},
	{"Eye", made(func() tensor { return torch.Eye(3, f64) }), true},
	{"To", one(func(t tensor) tensor { return t.To(f32) }), true},
	{"ToDType float32", one(func(t tensor) tensor { return t.ToDType(torch.Float32) }), true},
	{"ToDType float64", one(func(t tensor) tensor { return t.ToDType(torch.Float64) }), false},
	{"ToDType bfloat16", one(func(t tensor) tensor { return t.ToDType(torch.BFloat16) }), true},
	{"ToDType float16", one(func(t tensor) tensor { return t.ToDType(torch.Float16) }), true},
	{"ToDType int64", one(func(t tensor) tensor { return t.ToDType(torch.Int64) }), true},
	{"ToDType int32", one(func(t tensor) tensor { return t.ToDType(torch.Int32) }), true},
	{"ToDType uint8", one(func(t tensor) tensor { return t.ToDType(torch.Uint8) }), true},
	{"ToDType bool", one(func(t tensor) tensor { return t.ToDType(torch.Bool) }), true},
	{"ToDevice", one(func(t tensor) tensor { return t.ToDevice(torch.CPU) }), false},
	{"Upload", one(func(t tensor) tensor { return t.Upload(f32) }), true},
	{"Clone", one(tensor.Clone), false},
	{"Contiguous", one(func(t tensor) tensor { return t.T().Contiguous() }), false},
	{"ChannelsLast", one(tensor.ChannelsLast), false},
	{"CopyFrom", changed(func(x []tensor) { x[0].CopyFrom(x[1]) }), false},
	{"Fill", changed(func(x []tensor) { x[0].Fill(7) }), false},
	{"Detach", one(tensor.Detach), true},
	{"SetRequiresGrad", one(func(t tensor) tensor { return t.Detach().SetRequiresGrad(true) }), true},
	{"Keep", one(func(t tensor) (kept tensor) {
		torch.Scope(func() { kept = t.Clone().Keep() })
		return kept
	}), false},
}

var views = []op{
	{"Reshape", one(func(t tensor) tensor { return t.Reshape(4, -1) }), false},
	{"Reshape scalar", one(func(t tensor) tensor { return t.Reshape() }), false},
	{"View", one(func(t tensor) tensor { return t.View(6, 4) }), false},
	{"Expand", one(func(t tensor) tensor { return t.Expand(2, -1) }), false},
	{"Transpose", one(func(t tensor) tensor { return t.Transpose(0, -1) }), false},
	{"T", one(tensor.T), false},
	{"Squeeze", one(func(t tensor) tensor { return t.Squeeze(0) }), false},
	{"Unsqueeze", one(func(t tensor) tensor { return t.Unsqueeze(-1) }), false},
	{"Flatten", one(func(t tensor) tensor { return t.Flatten(1, -1) }), false},
	{"Narrow", one(func(t tensor) tensor { return t.Narrow(2, 1, 2) }), false},
	{"Select", one(func(t tensor) tensor { return t.Select(1, -1) }), false},
	{"SliceDim", one(func(t tensor) tensor { return t.SliceDim(2, 1, 4, 2) }), false},
	{"Pad", one(func(t tensor) tensor { return t.Pad(9, 1, 0, 0, 2) }), false},
	{"Diagonal", one(tensor.Diagonal), false},
	{"Cat", two(func(a, b tensor) tensor { return torch.Cat(1, a, b) }), false},
	{"Stack", two(func(a, b tensor) tensor { return torch.Stack(1, a, b) }), false},
}

var indexing = []op{
	{"IndexSelect", two(func(t, i tensor) tensor { return t.IndexSelect(0, i) }), false},
	{"Gather", two(func(t, i tensor) tensor { return t.Gather(1, i) }), false},
	{"ScatterInPlace", changed(func(x []tensor) { x[0].ScatterInPlace(0, x[1], x[2]) }), false},
	{"ScatterValue", two(func(t, i tensor) tensor { return t.ScatterValue(0, i, 2.5) }), false},
}

var pointwise = []op{
	{"Neg", one(tensor.Neg), false}, {"Abs", one(tensor.Abs), false}, {"Exp", one(tensor.Exp), false},
	{"Square", one(tensor.Square), false},
	{"Sigmoid", one(tensor.Sigmoid), false},
	{"ReLU", one(tensor.ReLU), false},
	{"Log", one(tensor.Log), false}, {"Log1p", one(tensor.Log1p), false}, {"Sqrt", one(tensor.Sqrt), false},
	{"ReLU special", one(tensor.ReLU), true}, {"Exp special", one(tensor.Exp), true},
	{"Clamp", one(func(t tensor) tensor { return t.Clamp(-.5, .5) }), false},
	{"ClampMin", one(func(t tensor) tensor { return t.ClampMin(-.25) }), false},

	{"Add", two(tensor.Add), false}, {"Add broadcast", two(tensor.Add), false}, {"Add promoted", two(tensor.Add), true},
	{"Sub", two(tensor.Sub), false}, {"Sub broadcast", two(tensor.Sub), false},
	{"Mul", two(tensor.Mul), false}, {"Mul broadcast", two(tensor.Mul), false},
	{"Maximum", two(tensor.Maximum), false}, {"Maximum broadcast", two(tensor.Maximum), false},
	{"Div", two(tensor.Div), false},
	{"Eq", two(tensor.Eq), true}, {"Ne", two(tensor.Ne), true},
	{"EqScalar", one(func(t tensor) tensor { return t.EqScalar(1) }), true},
	{"NeScalar", one(func(t tensor) tensor { return t.NeScalar(1) }), true},
	{"AddScalar", one(func(t tensor) tensor { return t.AddScalar(1.5) }), false},
	{"AddScalar whole", one(func(t tensor) tensor { return t.AddScalar(2) }), true},
	{"SubScalar", one(func(t tensor) tensor { return t.SubScalar(1.5) }), false},
	{"MulScalar", one(func(t tensor) tensor { return t.MulScalar(1.5) }), false},
	{"DivScalar", one(func(t tensor) tensor { return t.DivScalar(1.5) }), false},
	{"AddInPlace", changed(func(x []tensor) { x[0].AddInPlace(x[1], .5) }), false},
	{"MulScalarInPlace", changed(func(x []tensor) { x[0].MulScalarInPlace(3) }), false},
}

func dims(f func(t tensor, dims ...int) tensor, d ...int) func([]tensor) []tensor {
	return one(func(t tensor) tensor { return f(t, d...) })
}

var reductions = []op{
	{"Sum", dims(tensor.Sum), false}, {"Sum dims", dims(tensor.Sum, 0, -1), false}, {"SumKeep", dims(tensor.SumKeep, 1),
		false},
	{"Sum whole", dims(tensor.Sum), true}, {"Sum mask", dims(tensor.Sum), true},
	{"Mean", dims(tensor.Mean), false}, {"Mean dims", dims(tensor.Mean, 0, -1), false},
	{"MeanKeep", dims(tensor.MeanKeep, 1), false},
	{"Amax", dims(tensor.Amax), false}, {"Amax dims", dims(tensor.Amax, 0, -1), false},
	{"Amin", dims(tensor.Amin), false}, {"Amin dims", dims(tensor.Amin, 0, -1), false},
	{"LogSumExp", dims(tensor.LogSumExp), false}, {"LogSumExp dims", dims(tensor.LogSumExp, 0, -1), false},
	{"LogSumExpKeep", dims(tensor.LogSumExpKeep, 1), false},
	{"Norm", one(func(t tensor) tensor { return t.Norm(2, 0, 2) }), false},
	{"Norm one", one(func(t tensor) tensor { return t.Norm(1) }), false},
	{"All", one(tensor.All), true},
	{"Argmax", one(func(t tensor) tensor { return t.Argmax(1) }), true},
	{"Softmax", one(func(t tensor) tensor { return t.Softmax(-1) }), false},
	{"LogSoftmax", one(func(t tensor) tensor { return t.LogSoftmax(1) }), false},
	// ties have no gradient to compare
	{"Sort", pairOf(func(t tensor) (tensor, tensor) { return t.Sort(1, false) }), true},
	{"Sort descending", pairOf(func(t tensor) (tensor, tensor) { return t.Sort(1, true) }), true},
	{"TopK", pairOf(func(t tensor) (tensor, tensor) { return t.TopK(2, 2) }), false},
}

var products = []op{
	{"Mm", two(tensor.Mm), false}, {"Bmm", two(tensor.Bmm), false}, {"Solve", two(tensor.Solve), false},
	{"Linear", func(x []tensor) []tensor { return []tensor{x[0].Linear(x[1], x[2])} }, false},
	{"Linear no bias", two(func(t, w tensor) tensor { return t.Linear(w, tensor{}) }), false},
	{"Inverse", one(tensor.Inverse), false},
	{"SLogDet", pairOf(tensor.SLogDet), false},
}

func conv(w torch.Window) func([]tensor) []tensor {
	return func(x []tensor) []tensor {
		bias := tensor{}
		if len(x) == 3 {
			bias = x[2]
		}
		return []tensor{x[0].Conv2d(x[1], bias, w)}
	}
}

var networks = []op{
	{"Conv2d", conv(torch.Window{Padding: 1}), false},
	{"Conv2d grouped", conv(torch.Window{Groups: 2}), false},
	{"MaxPool2d", one(func(t tensor) tensor { return t.MaxPool2d(2, torch.Window{}) }), false},
	{"MaxPool2d strided", one(func(t tensor) tensor {
		return t.MaxPool2d(3, torch.Window{Stride: 1, Padding: 1})
	}), false},
	{"AdaptiveAvgPool2d", one(func(t tensor) tensor { return t.AdaptiveAvgPool2d(1, 2) }), false},
	{"BatchNorm", func(x []tensor) []tensor {
		return []tensor{x[0].BatchNorm(x[1], x[2], torch.Zeros(f64, 2), torch.Ones(f64, 2), true, .1, 1e-5)}
	}, false},
	{"BatchNorm plain", one(func(t tensor) tensor {
		return t.BatchNorm(tensor{}, tensor{}, torch.Full(.5, f64, 2), torch.Full(2, f64, 2), false, .1, 1e-3)
	}), false},
	{"Embedding", two(torch.Embedding), false},
	{"LSTM", func(x []tensor) []tensor {
		out, h, c := x[0].LSTM(x[1], x[2], x[3:])
		return []tensor{out, h, c}
	}, false},
	{"CrossEntropy", two(func(t, y tensor) tensor { return t.CrossEntropy(y) }), false},
	{"NLLLoss", two(func(t, y tensor) tensor { return t.NLLLoss(y) }), false},
}

func allOps() (all []op) {
	for _, part := range [][]op{making, views, indexing, pointwise, reductions, products, networks, transformers} {
		all = append(all, part...)
	}
	return all
}

// number is a JSON number, or a text for values without one in JSON.
type number float64

func (n *number) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		text = text[1 : len(text)-1]
	}
	v, err := strconv.ParseFloat(string(text), 64)
	*n = number(v)
	return err
}

type array struct {
	DType string
	Shape []int
	Data  []number
}

func (a array) floats() []float64 {
	values := make([]float64, len(a.Data))
	for i, v := range a.Data {
		values[i] = float64(v)
	}
	return values
}

func (a array) tensor(t *testing.T) tensor {
	for d := torch.Float32; d <= torch.Bool; d++ {
		if d.String() == a.DType {
			return torchtest.FromSlice(a.floats(), a.Shape...).ToDType(d)
		}
	}
	t.Fatalf("dtype %q is unknown", a.DType)
	return tensor{}
}

type goldenFile struct {
	Inputs map[string]array
	Cases  map[string]struct {
		In  []string
		Out []array
	}
}

func readGolden(t *testing.T) (g goldenFile) {
	data := expect.Got(os.ReadFile("testdata/golden.json"))(t)
	expect.OK(t, json.Unmarshal(data, &g))
	return g
}

// operands returns the inputs of a case.
func (g goldenFile) operands(t *testing.T, name string) (x []tensor) {
	for _, in := range g.Cases[name].In {
		x = append(x, g.Inputs[in].tensor(t))
	}
	return x
}

// Value, shape and dtype against torch 2.11.0: 1e-12 for float64, exact for other dtypes.
func TestOpsMatchPyTorch(t *testing.T) {
	golden := readGolden(t)
	seen := map[string]bool{}
	for _, op := range allOps() {
		seen[op.name] = true
		torchtest.NoLeak(t, func() {
			c, ok := golden.Cases[op.name]
			if !ok {
				t.Errorf("no golden case %q", op.name)
				return
			}
			out := op.f(golden.operands(t, op.name))
			expect.Same(t, len(c.Out), len(out), op.name+": results")
			for i, want := range c.Out {
				expect.Same(t, want.DType, out[i].DType().String(), op.name)
				expect.Same(t, fmt.Sprint(want.Shape), fmt.Sprint(out[i].Shape()), op.name)
				torchtest.Close(t, op.name, out[i], want.floats(), 1e-12)
			}
		})
	}
	for name := range golden.Cases {
		if !seen[name] {
			t.Errorf("golden case %q is not in the table", name)
		}
	}
}

// The gradient with respect to each float64 operand against central differences, 1e-6. The function is the sum of all
// results, with a different weight for each element.
func TestOpGradients(t *testing.T) {
	golden := readGolden(t)
	for _, op := range allOps() {
		if op.flat {
			continue
		}
		c := golden.Cases[op.name]
		checked := 0
		for i, name := range c.In {
			if golden.Inputs[name].DType != "float64" {
				continue
			}
			checked++
			torchtest.NoLeak(t, func() {
				x := golden.operands(t, op.name)
				torchtest.GradCheck(t, fmt.Sprintf("%s, operand %d,", op.name, i), func(moved tensor) tensor {
					operands := append([]tensor(nil), x...)
					operands[i] = moved
					total := torch.Zeros(f64)
					for _, out := range op.f(operands) {
						if out.DType() == torch.Float64 {
							weights := torch.Linspace(-1, 1.5, out.Numel(), f64).Reshape(out.Shape()...)
							total = total.Add(out.ToDevice(device).Mul(weights).Sum())
						}
					}
					return total
				}, x[i])
			})
		}
		if checked == 0 {
			t.Errorf("%s: no operand to differentiate by", op.name)
		}
	}
}

// Every operation reports an operand that was never made or whose scope ended.
func TestOpsRefuseEndedTensors(t *testing.T) {
	golden := readGolden(t)
	torchtest.Open(t)
	var ended tensor
	torch.Scope(func() { ended = torch.Ones(f64, 2, 2) })
	for _, op := range allOps() {
		torchtest.NoLeak(t, func() {
			for i := range golden.Cases[op.name].In {
				x := golden.operands(t, op.name)
				x[i] = ended
				e := torchtest.Raises(t, torch.StaleHandle, func() { op.f(x) })
				if e.Op == "" {
					t.Errorf("%s: %v does not name the operation", op.name, e)
				}
			}
		})
	}
}

func attention(x []tensor) []tensor {
	return []tensor{torch.Attention(x[0], x[1], x[2], append(x, tensor{})[3])}
}

var transformers = []op{
	{"GELU", one(tensor.GELU), false},
	{"GELU special", one(tensor.GELU), true},
	{"UpsampleBilinear", one(func(t tensor) tensor { return t.UpsampleBilinear(3, 8) }), false},
	{"LayerNorm", func(x []tensor) []tensor { return []tensor{x[0].LayerNorm([]int{3, 4}, x[1], x[2], 1e-3)} }, false},
	{"LayerNorm plain", one(func(t tensor) tensor { return t.LayerNorm([]int{4}, tensor{}, tensor{}, 1e-5) }), false},
	{"Attention", attention, false},
	{"Attention masked", attention, false},
	{"Attention masked whole", attention, false},
	{"Attention biased", attention, false},
}
