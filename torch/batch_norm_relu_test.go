package torch_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// normed is the result of a training step through batch norm and ReLU: output, gradient of the input, gradients of
// weight and bias, and running moments.
type normed struct{ Y, DX, Params []float64 }

// normReLU runs the step on x [N C H W] in dtype with parameters in another, fused or as two operations.
func normReLU(x tensor, dtype, params torch.DType, channelsLast, together bool) (out normed) {
	torch.Scope(func() {
		o := torch.Options{DType: params, Device: device}
		c := x.Size(1)
		x := x.ToDType(dtype).Clone().SetRequiresGrad(true)
		weight := torch.Linspace(-1, 1.5, c, o).SetRequiresGrad(true)
		bias := torch.Linspace(.5, -.5, c, o).SetRequiresGrad(true)
		mean, variance := torch.Full(.25, o, c), torch.Full(2, o, c)
		in := x
		if channelsLast {
			in = x.ChannelsLast()
		}
		var y tensor
		if together {
			y = in.BatchNormReLU(weight, bias, mean, variance, true, .01, 1e-3)
		} else {
			y = in.BatchNorm(weight, bias, mean, variance, true, .01, 1e-3).ReLU()
		}
		// The gradient has the same numbers in every dtype.
		factor := torch.Linspace(-1, 2, y.Numel(), f32).Reshape(y.Shape()...).ToDType(torch.BFloat16).ToDType(dtype)
		y.Mul(factor).ToDType(params).Sum().Backward()
		out.Y, out.DX = torch.Slice[float64](y), torch.Slice[float64](x.Grad())
		for _, t := range []tensor{weight.Grad(), bias.Grad(), mean, variance} {
			out.Params = append(out.Params, torch.Slice[float64](t)...)
		}
	})
	return out
}

// Against the two operations in float64, 1e-5 relative to the largest element: images of odd sizes, more than one
// chunk of rows, means far from zero. Images in bfloat16 may differ by half a unit in the last place (2^-8), plus a
// little relative to the largest where a sum cancels.
func TestBatchNormReLU(t *testing.T) {
	defer torchtest.Scoped(t)()
	for _, c := range []struct {
		dtype torch.DType
		shape []int
		mean  float64
	}{
		{torch.Float32, []int{3, 16, 5, 7}, 0}, {torch.Float32, []int{2, 64, 1, 1}, 0},
		{torch.Float32, []int{9, 32, 11, 13}, 2}, {torch.Float32, []int{5, 48, 8, 8}, -100},
		{torch.BFloat16, []int{3, 16, 5, 7}, .3}, {torch.BFloat16, []int{2, 64, 1, 1}, .3},
		{torch.BFloat16, []int{9, 32, 11, 13}, .3},
	} {
		// Through dtype first, so that both see the same numbers.
		x := torch.NewGenerator(1, device).Normal(c.mean, 1.5, f32, c.shape...)
		x = x.ToDType(c.dtype).ToDType(torch.Float64)
		got := normReLU(x, c.dtype, torch.Float32, true, true)
		want := normReLU(x, torch.Float64, torch.Float64, true, false)
		name, tolerance := fmt.Sprint(c), 1e-5*max(1, math.Abs(c.mean))
		for k := range 4 { // weight's gradient, bias's, mean, variance
			n := c.shape[1]
			torchtest.NearLargest(t, name, got.Params[k*n:(k+1)*n], want.Params[k*n:(k+1)*n], tolerance)
		}
		if c.dtype == torch.Float32 {
			torchtest.NearLargest(t, name+" y", got.Y, want.Y, tolerance)
			torchtest.NearLargest(t, name+" dx", got.DX, want.DX, tolerance)
			continue
		}
		wantImages := append(want.Y, want.DX...)
		for i, g := range append(got.Y, got.DX...) {
			if w := wantImages[i]; !(math.Abs(g-w) <= math.Abs(w)/256+1e-4) {
				t.Fatalf("%s: element %d of the images is %v, want %v", name, i, g, w)
			}
		}
	}
}

func TestBatchNormReLUHasNoSecondDerivative(t *testing.T) {
	torchtest.OnCPU(t)
	defer torchtest.Scoped(t)()
	x := torch.NewGenerator(1, device).Normal(0, 1, f32, 2, 16, 3, 3).ChannelsLast().SetRequiresGrad(true)
	ones, zeros := torch.Ones(f32, 16), torch.Zeros(f32, 16)
	y := x.BatchNormReLU(ones, zeros, zeros.Clone(), ones.Clone(), true, .1, 1e-3)
	torchtest.Raises(t, torch.NotImplemented, func() { torch.Grad(y.Square().Sum(), []tensor{x}, true) })
}

// Sums go by chunks, independent of the number of threads.
func TestBatchNormReLURepeatsOnAnyThreads(t *testing.T) {
	torchtest.OnCPU(t)
	defer torchtest.Scoped(t)()
	defer torch.SetThreads(torch.Threads())
	x := torch.NewGenerator(1, device).Normal(0, 1, f64, 16, 32, 12, 12)
	torch.SetThreads(1)
	one := normReLU(x, torch.Float32, torch.Float32, true, true)
	torch.SetThreads(3)
	expect.Same(t, one, normReLU(x, torch.Float32, torch.Float32, true, true), "bits of three threads")
}

type normalize = func(x, weight, bias, mean, variance tensor, training bool, momentum, eps float64) tensor

var norms = map[string]normalize{"batch_norm": tensor.BatchNorm, "batch_norm_relu": tensor.BatchNormReLU}

// A batch with at most one value per channel has no variance: as in PyTorch's Python layer, training refuses it and
// the running moments stay. Without channels there is nothing to divide.
func TestBatchNormRefusesOneValue(t *testing.T) {
	defer torchtest.Scoped(t)()
	for name, f := range norms {
		for _, c := range []struct {
			x    tensor
			want bool // a value
		}{
			{torch.Ones(f32, 1, 16, 1, 1).ChannelsLast(), false},
			{torch.Ones(f32, 1, 5), false},
			{torch.Ones(f32, 1, 5, 1), false},
			{torch.Ones(f32, 1, 16, 2, 1).ChannelsLast(), true},
			{torch.Ones(f32, 2, 5), true},
			{torch.Ones(f32, 5), false},
			{torch.Ones(f32), false},
		} {
			channels := 16
			if c.x.Dim() != 4 {
				channels = 5
			}
			weight, bias := torch.Ones(f32, channels), torch.Zeros(f32, channels)
			mean, variance := torch.Zeros(f32, channels), torch.Ones(f32, channels)
			norm := func(training bool) { f(c.x, weight, bias, mean, variance, training, .1, 1e-5) }
			if c.want {
				norm(true)
			} else {
				expect.Same(t, name, torchtest.Raises(t, torch.Shape, func() { norm(true) }).Op, "operation")
			}
			if v := torch.Slice[float64](variance); v[0] != 1 && !c.want || math.IsNaN(v[0]) {
				t.Errorf("%s %v: running variance %v", name, c.x.Shape(), v[0])
			}
			if c.x.Dim() > 1 {
				norm(false)
			}
		}
	}
}

// Weights and moments of another dtype are refused, except float32 for 16-bit images. Evaluation needs moments.
func TestBatchNormRefusesOperands(t *testing.T) {
	defer torchtest.Scoped(t)()
	o := f32
	x, ones := torch.Ones(f64, 2, 16, 3, 3).ChannelsLast(), torch.Ones(f64, 16)
	for _, f := range norms {
		torchtest.Raises(t, torch.DTypeMismatch, func() {
			f(x, ones, ones, ones.Clone(), torch.Ones(o, 16), true, .1, 1e-5)
		})
		torchtest.Raises(t, torch.DTypeMismatch, func() {
			f(x, torch.Ones(o, 16), ones, ones.Clone(), ones.Clone(), true, .1, 1e-5)
		})
		torchtest.Raises(t, torch.Value, func() { f(x, ones, ones, tensor{}, tensor{}, false, .1, 1e-5) })
		f(x.ToDType(torch.BFloat16), torch.Ones(o, 16), torch.Ones(o, 16), torch.Ones(o, 16), torch.Ones(o, 16), true, .1,
			1e-5)
	}
}

// All cases of rounding, against libtorch's own conversion.
func TestBatchNormReLURoundsToBFloat16(t *testing.T) {
	defer torchtest.Scoped(t)()
	const n = 1 << 10
	// With a batch mean of 0 and a variance of 1 the output is x rounded, so x is
	// scaled by a weight other than a power of two.
	x := torch.NewGenerator(2, device).Normal(0, 1, f32, n, 16, 1, 1).ToDType(torch.BFloat16).ChannelsLast()
	weight, bias := torch.Full(1.2345, f32, 16), torch.Full(3, f32, 16)
	moments := func() (tensor, tensor) { return torch.Zeros(f32, 16), torch.Ones(f32, 16) }
	m, v := moments()
	got := x.BatchNormReLU(weight, bias, m, v, true, .1, 1e-5)
	m, v = moments()
	want := x.ToDType(torch.Float32).ChannelsLast().BatchNormReLU(weight, bias, m, v, true, .1, 1e-5)
	other := got.Ne(want.ToDType(torch.BFloat16)).Sum().Item()
	expect.Same(t, 0, other, "elements rounded otherwise than by libtorch")
}

// NaN in the input reaches the output.
func TestBatchNormReLUKeepsNaN(t *testing.T) {
	defer torchtest.Scoped(t)()
	for _, c := range []struct {
		bad   float64
		dtype torch.DType
	}{{math.NaN(), torch.Float32}, {math.NaN(), torch.BFloat16}, {math.Inf(1), torch.BFloat16}} {
		x := torch.Full(c.bad, torch.Options{DType: c.dtype, Device: device}, 2, 16, 3, 3).ChannelsLast()
		ones, zeros := torch.Ones(f32, 16), torch.Zeros(f32, 16)
		y := x.BatchNormReLU(ones, zeros, zeros.Clone(), ones.Clone(), true, .1, 1e-3)
		expect.Same(t, float64(y.Numel()), y.Ne(y).Sum().Item(), fmt.Sprintf("%+v: NaN elements", c))
	}
}
