package torch_test

import (
	"math"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// normed is what a training step through batch norm and ReLU leaves.
type normed struct{ y, dx, dweight, dbias, mean, variance []float64 }

// normReLU runs the step on x [N C H W] in the given dtype, fused or as two
// operations.
func normReLU(x tensor, dtype torch.DType, channelsLast, together bool) (out normed) {
	torch.Scope(func() {
		o := torch.Options{DType: dtype}
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
		y.Mul(torch.Linspace(-1, 2, y.Numel(), o).Reshape(y.Shape()...)).Sum().Backward()
		values := torch.Slice[float64]
		out = normed{values(y), values(x.Grad()), values(weight.Grad()), values(bias.Grad()), values(mean), values(variance)}
	})
	return out
}

// Against the two operations in float64, 1e-5 relative to the largest element:
// images of odd sizes, more than one chunk of rows, means far from zero.
func TestBatchNormReLU(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for _, c := range []struct {
			shape []int
			mean  float64
		}{{[]int{3, 16, 5, 7}, 0}, {[]int{2, 64, 1, 1}, 0}, {[]int{9, 32, 11, 13}, 2}, {[]int{5, 48, 8, 8}, -100}} {
			// Through float32 first, so that both see the same numbers.
			x := torch.NewGenerator(1, torch.CPU).Normal(c.mean, 1.5, torch.Options{}, c.shape...).ToDType(torch.Float64)
			got, want := normReLU(x, torch.Float32, true, true), normReLU(x, torch.Float64, true, false)
			tolerance := 1e-5 * max(1, math.Abs(c.mean))
			for name, pair := range map[string][2][]float64{
				"y": {got.y, want.y}, "dx": {got.dx, want.dx}, "dweight": {got.dweight, want.dweight}, "dbias": {got.dbias, want.dbias},
				"mean": {got.mean, want.mean}, "variance": {got.variance, want.variance},
			} {
				largest := 0.
				for _, v := range pair[1] {
					largest = max(largest, math.Abs(v))
				}
				for i, w := range pair[1] {
					if g := pair[0][i]; !(math.Abs(g-w) <= tolerance*largest) {
						t.Fatalf("%v, mean %v, %s: element %d is %v, want %v (largest %v)", c.shape, c.mean, name, i, g, w, largest)
					}
				}
			}
		}
	})
}

// What the fused loops do not take is done by the two operations.
func TestBatchNormReLUElsewhere(t *testing.T) {
	torchtest.NoLeak(t, func() {
		g := torch.NewGenerator(1, torch.CPU)
		for name, c := range map[string]struct {
			x            tensor
			dtype        torch.DType
			channelsLast bool
		}{
			"float64":            {g.Normal(0, 1, f64, 3, 16, 4, 4), torch.Float64, true},
			"rows first":         {g.Normal(0, 1, f64, 3, 16, 4, 4), torch.Float32, false},
			"channels not by 16": {g.Normal(0, 1, f64, 3, 10, 4, 4), torch.Float32, true},
		} {
			got, want := normReLU(c.x, c.dtype, c.channelsLast, true), normReLU(c.x, c.dtype, c.channelsLast, false)
			if !slices.Equal(got.y, want.y) || !slices.Equal(got.dx, want.dx) || !slices.Equal(got.variance, want.variance) {
				t.Errorf("%s: not what batch norm and relu give", name)
			}
		}
		x, mean, variance := g.Normal(0, 1, torch.Options{}, 2, 16, 3, 3).ChannelsLast(), torch.Full(.5, torch.Options{}, 16), torch.Full(2, torch.Options{}, 16)
		var none tensor
		for _, training := range []bool{false, true} {
			got := x.BatchNormReLU(none, none, mean.Clone(), variance.Clone(), training, .1, 1e-3)
			torchtest.Close(t, "neither weight nor bias", got, torch.Slice[float64](x.BatchNorm(none, none, mean.Clone(), variance.Clone(), training, .1, 1e-3).ReLU()), 0)
		}
	})
}

func TestBatchNormReLUHasNoSecondDerivative(t *testing.T) {
	torchtest.NoLeak(t, func() {
		x := torch.NewGenerator(1, torch.CPU).Normal(0, 1, torch.Options{}, 2, 16, 3, 3).ChannelsLast().SetRequiresGrad(true)
		ones, zeros := torch.Ones(torch.Options{}, 16), torch.Zeros(torch.Options{}, 16)
		y := x.BatchNormReLU(ones, zeros, zeros.Clone(), ones.Clone(), true, .1, 1e-3)
		torchtest.Raises(t, torch.NotImplemented, func() { torch.Grad(y.Square().Sum(), []tensor{x}, true) })
	})
}

// Sums go by chunks, whatever the threads.
func TestBatchNormReLURepeatsOnAnyThreads(t *testing.T) {
	torchtest.NoLeak(t, func() {
		defer torch.SetThreads(torch.Threads())
		x := torch.NewGenerator(1, torch.CPU).Normal(0, 1, f64, 16, 32, 12, 12)
		torch.SetThreads(1)
		one := normReLU(x, torch.Float32, true, true)
		torch.SetThreads(3)
		three := normReLU(x, torch.Float32, true, true)
		if !slices.Equal(one.y, three.y) || !slices.Equal(one.dx, three.dx) || !slices.Equal(one.dweight, three.dweight) || !slices.Equal(one.variance, three.variance) {
			t.Error("one thread and three give different bits")
		}
	})
}

func TestBatchNormReLUKeepsNaN(t *testing.T) {
	torchtest.NoLeak(t, func() {
		x := torch.Full(math.NaN(), torch.Options{}, 2, 16, 3, 3).ChannelsLast()
		ones, zeros := torch.Ones(torch.Options{}, 16), torch.Zeros(torch.Options{}, 16)
		y := x.BatchNormReLU(ones, zeros, zeros.Clone(), ones.Clone(), true, .1, 1e-3)
		if n := y.IsNaN().Sum().Item(); n != float64(y.Numel()) {
			t.Errorf("%v of %d elements are NaN, want all: a diverged run must show", n, y.Numel())
		}
	})
}
