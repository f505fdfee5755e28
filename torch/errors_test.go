package torch_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Bad operands and the kind of their errors.
func TestOpsRefuseOperands(t *testing.T) {
	defer torchtest.Scoped(t)()
	a := torch.Ones(f32, 2, 3)
	b := torch.Ones(f32, 2, 4)
	x := torch.Ones(f32, 1, 2, 4, 4)
	whole := torchtest.FromSlice([]int64{0, 1})
	beyond := torchtest.FromSlice([]int64{0, 9})
	mask := torch.Ones(torch.Options{DType: torch.Bool, Device: device}, 2, 3)
	wide := torch.Ones(f64, 3, 2)
	heads := torch.Ones(f32, 1, 2, 5, 4)
	attend := func(q, k, v, mask tensor) func() { return func() { torch.Attention(q, k, v, mask) } }
	none := tensor{}
	type failing struct {
		name string
		kind torch.Kind
		f    func()
	}
	var values []failing // bad values, which only a kernel checks
	if !torchtest.OnGPU() {
		values = []failing{
			{"index_select", torch.Index, func() { a.IndexSelect(0, beyond) }},
			{"gather", torch.Index, func() { a.Gather(1, beyond.Reshape(1, 2)) }},
			{"cross_entropy", torch.Index, func() { a.CrossEntropy(beyond) }},
		}
	}
	for _, c := range append(values, []failing{
		{"from_slice", torch.Shape, func() { torchtest.FromSlice([]float32{1, 2, 3}, 2, 2) }},
		{"size", torch.Index, func() { a.Size(2) }},
		{"size", torch.Index, func() { a.Size(-3) }},
		{"item", torch.Shape, func() { a.Item() }},
		{"items", torch.Shape, func() { torch.Items(a.Sum(), a) }},
		{"slice", torch.Value, func() { a.SliceDim(1, 0, 2, 0) }},
		{"pad", torch.Value, func() { a.Pad(0, 1) }},
		{"diagonal", torch.Index, func() { a.Select(0, 0).Diagonal() }},
		{"cat", torch.Shape, func() { torch.Cat(0, a, b) }},
		{"index_select", torch.DTypeMismatch, func() { a.IndexSelect(0, a.Select(0, 0)) }},
		{"gather", torch.DTypeMismatch, func() { a.Gather(1, a) }},
		{"add", torch.Shape, func() { a.Add(b) }},
		{"add_", torch.Shape, func() { a.AddInPlace(b, 1) }},
		{"add_", torch.DTypeMismatch, func() { whole.AddInPlace(torchtest.FromSlice([]float32{1, 2}), 1) }},
		{"neg", torch.DTypeMismatch, func() { mask.Neg() }},
		{"mean", torch.Index, func() { a.Mean(2) }},
		{"mean", torch.DTypeMismatch, func() { whole.Mean() }},
		{"argmax", torch.Index, func() { a.Argmax(2) }},
		{"softmax", torch.Index, func() { a.Softmax(2) }},
		{"softmax", torch.DTypeMismatch, func() { whole.Softmax(0) }},
		{"mm", torch.Shape, func() { a.Mm(a) }},
		{"mm", torch.DTypeMismatch, func() { a.Mm(wide) }},
		{"bmm", torch.Shape, func() { a.Bmm(b) }},
		{"linear", torch.Shape, func() { a.Linear(b, none) }},
		{"linear", torch.DTypeMismatch, func() { a.Linear(wide.T(), none) }},
		{"inverse", torch.Value, func() { torch.Zeros(f32, 2, 2).Inverse() }},
		{"conv2d", torch.Shape, func() { x.Conv2d(torch.Ones(f32, 3, 1, 3, 3), none, torch.Window{}) }},
		{"max_pool2d", torch.Shape, func() { x.MaxPool2d(5, torch.Window{}) }},
		{"adaptive_avg_pool2d", torch.Shape, func() { a.AdaptiveAvgPool2d(2, 2) }},
		{"max_pool2d", torch.Value, func() { x.MaxPool2d(0, torch.Window{}) }},
		{"upsample_bilinear2d", torch.Shape, func() { x.UpsampleBilinear(3, 0) }},
		{"upsample_bilinear2d", torch.Shape, func() { a.UpsampleBilinear(2, 2) }},
		{"layer_norm", torch.Shape, func() { a.LayerNorm([]int{2}, none, none, 1e-5) }},
		{"layer_norm", torch.Shape, func() { a.LayerNorm([]int{3}, a, none, 1e-5) }},
		{"layer_norm", torch.Shape, func() { a.LayerNorm(nil, none, none, 1e-5) }},
		{"attention", torch.Shape, attend(heads, heads.Narrow(3, 0, 3), heads, none)},
		{"attention", torch.Shape, attend(heads, heads, heads.Narrow(2, 0, 3), none)},
		{"attention", torch.Shape, attend(heads, heads.Select(0, 0), heads, none)},
		{"attention", torch.Shape, attend(a.Select(0, 0), a, a, none)},
		{"attention", torch.Shape, attend(heads, heads, heads, mask)},
		{"attention", torch.DTypeMismatch, attend(heads, heads, heads, heads.Select(1, 0).ToDType(torch.Int64))},
		{"attention", torch.DTypeMismatch, attend(wide.T(), a, a, none)},
		{"batch_norm", torch.Shape, func() { x.BatchNorm(a.Select(0, 0), none, none, none, true, .1, 1e-5) }},
		{"batch_norm_relu", torch.Shape, func() { x.BatchNormReLU(a.Select(0, 0), none, none, none, true, .1, 1e-5) }},
		{"embedding", torch.DTypeMismatch, func() { torch.Embedding(a, a) }},
		{"lstm", torch.Shape, func() { a.LSTM(a, a, []tensor{a, a, a, a}) }},
		{"cross_entropy", torch.Shape, func() { a.CrossEntropy(torchtest.FromSlice([]int64{1, 2, 0})) }},
		{"dropout", torch.Value, func() { a.Dropout(1.5, torch.NewGenerator(1, device)) }},
		{"dropout", torch.Index, func() { a.Dropout(.5, torch.NewGenerator(1, device), 2) }},
		{"dropout", torch.Index, func() { a.Dropout(.5, torch.NewGenerator(1, device), -1) }},
		{"relu_dropout", torch.Value, func() { a.ReLUDropout(-.5, torch.NewGenerator(1, device)) }},
		{"generator_restore", torch.Value, func() { torch.NewGenerator(1, device).Restore([]byte("short")) }},
		{"requires_grad_", torch.DTypeMismatch, func() { whole.SetRequiresGrad(true) }},
		{"backward", torch.Value, func() { a.Backward() }},
		{"backward", torch.Value, func() { a.Clone().SetRequiresGrad(true).MulScalar(2).Backward() }},
		{"grad", torch.Value, func() { torch.Grad(a.Sum(), []tensor{a}, false) }},
		{"to", torch.DeviceMismatch, func() { a.ToDevice(torch.CUDA(7)) }},
		{"arange", torch.Value, func() {
			torch.Arange(.5, math.NaN(), -1, torch.Options{DType: torch.Int64, Device: device})
		}},
		{"arange", torch.Value, func() { torch.Arange(0, -1e300, -1, torch.Options{DType: torch.Int32, Device: device}) }},
		{"empty", torch.Shape, func() { torch.Empty(f32, -1) }},
		{"full", torch.OutOfMemory, func() { torch.Zeros(f32, 1<<40) }},
	}...) {
		err := torch.Try(func() error { c.f(); return nil })
		if !torch.IsKind(err, c.kind) || !strings.HasPrefix(err.Error(), "torch: "+c.name) {
			t.Errorf("%s: got %v, want an error of kind %v of that operation", c.name, err, c.kind)
		}
	}
}

func TestTry(t *testing.T) {
	expect.OK(t, torch.Try(func() error { return nil }))
	own := errors.New("own")
	if err := torch.Try(func() error { return own }); err != own {
		t.Errorf("an error became %v", err)
	}
	raised := &torch.Error{Op: "add", Kind: torch.Shape, Msg: "no fit", Args: []string{"[2] float32 cpu"}}
	err := torch.Try(func() error { panic(raised) })
	if !torch.IsKind(err, torch.Shape) || torch.IsKind(err, torch.Index) || torch.IsKind(own, torch.Shape) {
		t.Errorf("kinds of %v and %v", err, own)
	}
	expect.Same(t, "torch: add [2] float32 cpu: no fit", err.Error())
	defer func() {
		if r := recover(); r != "other" {
			t.Errorf("another panic became %v", r)
		}
	}()
	_ = torch.Try(func() error { panic("other") })
	t.Error("another panic was swallowed")
}
