package torch_test

import (
	"math"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// halfNormReLU is a training step through batch norm and ReLU on images in dtype,
// with parameters in float32 (in float64 for an oracle).
func halfNormReLU(x tensor, dtype, params torch.DType, together bool) (half, full []float64) {
	torch.Scope(func() {
		o := torch.Options{DType: params, Device: device}
		c := x.Size(1)
		x := x.ToDType(dtype).ChannelsLast().Detach().SetRequiresGrad(true)
		weight := torch.Linspace(-1, 1.5, c, o).SetRequiresGrad(true)
		bias := torch.Linspace(.5, -.5, c, o).SetRequiresGrad(true)
		mean, variance := torch.Full(.25, o, c), torch.Full(2, o, c)
		var y tensor
		if together {
			y = x.BatchNormReLU(weight, bias, mean, variance, true, .01, 1e-3)
		} else {
			y = x.BatchNorm(weight, bias, mean, variance, true, .01, 1e-3).ReLU()
		}
		// The gradient is the same numbers on both sides.
		factor := torch.Linspace(-1, 2, y.Numel(), f32).Reshape(y.Shape()...).ToDType(torch.BFloat16).ToDType(dtype)
		y.Mul(factor).ToDType(params).Sum().Backward()
		for _, t := range []tensor{y, x.Grad()} {
			half = append(half, torch.Slice[float64](t.ToDType(torch.Float64))...)
		}
		for _, t := range []tensor{weight.Grad(), bias.Grad(), mean, variance} {
			full = append(full, torch.Slice[float64](t)...)
		}
	})
	return half, full
}

// Against the two operations in float64 on the same numbers: images within half a
// unit in the last place of bfloat16 (2^-8) of themselves and a little of the
// largest, where a sum cancels; what is kept in float32 within 1e-5 of the largest.
func TestBatchNormReLUInBFloat16(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for _, shape := range [][]int{{3, 16, 5, 7}, {2, 64, 1, 1}, {9, 32, 11, 13}} {
			x := torch.NewGenerator(1, device).Normal(.3, 1.5, f32, shape...).ToDType(torch.BFloat16).ToDType(torch.Float64)
			half, full := halfNormReLU(x, torch.BFloat16, torch.Float32, true)
			wantHalf, wantFull := halfNormReLU(x, torch.Float64, torch.Float64, false)
			for i, w := range wantHalf {
				if g := half[i]; !(math.Abs(g-w) <= math.Abs(w)/256+1e-4) {
					t.Fatalf("%v: element %d of the images is %v, want %v", shape, i, g, w)
				}
			}
			largest := 0.
			for _, w := range wantFull {
				largest = max(largest, math.Abs(w))
			}
			for i, w := range wantFull {
				if g := full[i]; !(math.Abs(g-w) <= 1e-5*largest) {
					t.Fatalf("%v: element %d of the parameters is %v, want %v", shape, i, g, w)
				}
			}
		}
	})
}

// Every rounding that there is: libtorch's own conversion is the oracle.
func TestBatchNormReLURoundsToBFloat16(t *testing.T) {
	torchtest.NoLeak(t, func() {
		const n = 1 << 10
		// With a batch mean of 0 and a variance of 1 the output is x rounded, so x is
		// scaled by a weight that is no power of two.
		x := torch.NewGenerator(2, device).Normal(0, 1, f32, n, 16, 1, 1).ToDType(torch.BFloat16).ChannelsLast()
		weight, bias := torch.Full(1.2345, f32, 16), torch.Full(3, f32, 16)
		moments := func() (tensor, tensor) { return torch.Zeros(f32, 16), torch.Ones(f32, 16) }
		m, v := moments()
		got := x.BatchNormReLU(weight, bias, m, v, true, .1, 1e-5)
		m, v = moments()
		want := x.ToDType(torch.Float32).ChannelsLast().BatchNormReLU(weight, bias, m, v, true, .1, 1e-5).ToDType(torch.BFloat16)
		if different := got.Ne(want).Sum().Item(); different != 0 {
			t.Errorf("%v of %d elements are rounded otherwise than by libtorch", different, got.Numel())
		}
		for name, bad := range map[string]float64{"NaN": math.NaN(), "infinity": math.Inf(1)} {
			x := torch.Full(bad, torch.Options{DType: torch.BFloat16, Device: device}, 2, 16, 3, 3).ChannelsLast()
			m, v := moments()
			y := x.BatchNormReLU(weight, bias, m, v, true, .1, 1e-5)
			if n := y.Ne(y).Sum().Item(); n != float64(y.Numel()) {
				t.Errorf("%s: %v of %d elements are NaN, want all: a diverged run must show", name, n, y.Numel())
			}
		}
	})
}

func TestCheckPrecision(t *testing.T) {
	torchtest.Open(t)
	if err := torch.CheckPrecision(torch.CPU, torch.Float32); err != nil {
		t.Error(err)
	}
	if err := torch.CheckPrecision(torch.CPU, torch.Float16); err == nil {
		t.Error("float16 on the CPU is taken")
	}
}

func TestUnscale(t *testing.T) {
	torchtest.NoLeak(t, func() {
		a, b := torch.Ones(f32, 3).SetRequiresGrad(true), torch.Ones(f32, 2).SetRequiresGrad(true)
		frozen := torch.Ones(f32, 1)
		a.MulScalar(8).Sum().Backward()
		if !torch.Unscale([]tensor{a, b, frozen}, 4) {
			t.Error("finite gradients are reported as not finite")
		}
		torchtest.Close(t, "unscaled", a.Grad(), []float64{2, 2, 2}, 0)
		b.MulScalar(math.Inf(1)).Sum().Backward()
		if torch.Unscale([]tensor{a, b, frozen}, 4) {
			t.Error("an infinite gradient is reported as finite")
		}
		if !torch.Unscale([]tensor{frozen}, 4) {
			t.Error("no gradients are reported as not finite")
		}
	})
}
