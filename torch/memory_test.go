package torch_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Blocks of large freed tensors are reused, and all blocks together take no more than the largest use so far.
func TestLargeBlocksServeAgain(t *testing.T) {
	torchtest.OnCPU(t)
	if os.Getenv("LOSSCORR_TEST_BLOCKS") == "" {
		again(t, "TestLargeBlocksServeAgain", "LOSSCORR_TEST_BLOCKS=1")
		return
	}
	torchtest.NoLeak(t, func() { // in a process that has made no other tensor
		if torch.DeviceMemory(torch.CPU).Reserved == 0 {
			t.Skip("the C library does not count")
		}
		const mega = 1 << 20
		reserved := func() int64 { return torch.DeviceMemory(torch.CPU).Reserved / mega }
		block := func(megabytes int) tensor {
			return torch.Zeros(torch.Options{DType: torch.Uint8}, megabytes<<20)
		}
		before := reserved()
		block(200).Free()
		if kept := reserved() - before; kept < 200 || kept > 208 {
			t.Errorf("%d MiB are held after a tensor of 200 was freed", kept)
		}
		for _, n := range []int{180, 100, 20, 60, 150, 30, 12} {
			b := block(n)
			if kept := reserved() - before; kept > 208 {
				t.Errorf("%d MiB are held with a tensor of %d, where they were 200 at most", kept, n)
			}
			b.Free()
		}
		torch.TrimHost()
		if kept := reserved() - before; kept > 8 {
			t.Errorf("%d MiB are held after freed memory was returned", kept)
		}
		one, other := block(30), block(30)
		one.Fill(1)
		expect.Same(t, 0, other.Sum().Item(), "sum of a tensor in another block")
	})
}

// libtorch does not check the sizes of an LSTM's parameters and states, and writes beyond them.
func TestLSTMChecksItsParameters(t *testing.T) {
	defer torchtest.Scoped(t)()
	const steps, batch, width, hidden = 3, 2, 4, 5
	zeros := func(shape ...int) tensor { return torch.Zeros(f32, shape...) }
	good := []tensor{zeros(batch, steps, width), zeros(1, batch, hidden), zeros(1, batch, hidden),
		zeros(4*hidden, width), zeros(4*hidden, hidden), zeros(4 * hidden), zeros(4 * hidden)}
	with := func(in []tensor, i int, other tensor) []tensor {
		return slices.Concat(in[:i], []tensor{other}, in[i+1:])
	}
	good[0].LSTM(good[1], good[2], good[3:])
	none := []tensor{zeros(batch, steps, width), zeros(1, batch, 0), zeros(1, batch, 0),
		zeros(0, width), zeros(0, 0), zeros(0), zeros(0)} // hidden
	noBatch := zeros(1, 0, hidden)
	for _, c := range []struct {
		kind torch.Kind
		in   []tensor
	}{
		{torch.Shape, with(good, 0, zeros(batch, 0, width))},
		{torch.Shape, append([]tensor{zeros(0, steps, width), noBatch, noBatch}, good[3:]...)},
		{torch.Shape, with(good, 0, zeros(steps, width))},
		{torch.Shape, with(good, 0, zeros(batch, steps, width-1))},
		{torch.Shape, with(good, 1, zeros(1, batch, hidden-1))},
		{torch.Shape, with(good, 2, zeros(1, batch-1, hidden))},
		{torch.Shape, none},
		{torch.Shape, with(good, 6, zeros(4))},
		{torch.Shape, with(good, 4, zeros(4*hidden, hidden+1))},
		{torch.Value, good[:6]},
		{torch.DTypeMismatch, with(good, 5, good[5].ToDType(torch.Float64))},
	} {
		e := torchtest.Raises(t, c.kind, func() { c.in[0].LSTM(c.in[1], c.in[2], c.in[3:]) })
		expect.Same(t, "lstm", e.Op, fmt.Sprint(c))
	}
	// The same where EmbeddingLSTM falls back on libtorch's, for bfloat16.
	half := []tensor{zeros(9, width), good[3], good[4], good[5], zeros(7)}
	for i := range half {
		half[i] = half[i].ToDType(torch.BFloat16)
	}
	index := torch.Zeros(torch.Options{DType: torch.Int64, Device: device}, batch, steps)
	torchtest.Raises(t, torch.Shape, func() { torch.EmbeddingLSTM(half[0], index, half[1:], 0, nil) })
}

// If the kernel's first column meets only padding, its gradient is 0; in bfloat16 oneDNN of libtorch 2.11 leaves it
// uninitialised. Expected: the gradient in float64, within one rounding, 2^-8, of sums up to 32.
func TestConvolutionGradientOfPadding(t *testing.T) {
	torchtest.OnCPU(t)
	defer torchtest.Scoped(t)()
	gradient := func(x, w tensor) []float64 {
		for range 8 { // the memory that the gradient will get
			torch.Scope(func() { torch.Full(1e30, w.Options(), w.Shape()...) })
		}
		w = w.Detach().SetRequiresGrad(true)
		window := torch.Window{Stride: 3, Padding: 1}
		y := x.Conv2d(w, tensor{}, window)
		return torch.Slice[float64](torch.Grad(y.Sum(), []tensor{w}, false)[0])
	}
	for _, c := range []struct{ x, w []int }{{[]int{4, 4, 6, 2}, []int{16, 4, 3, 3}},
		{[]int{4, 3, 1, 2}, []int{4, 3, 3, 3}}, {[]int{4, 16, 1, 1}, []int{8, 16, 3, 3}}} {
		for range 20 {
			x, w := ramp(-1, 1, c.x...).ToDType(torch.BFloat16).ChannelsLast(),
				ramp(2, -3, c.w...).ToDType(torch.BFloat16).ChannelsLast()
			torchtest.Near(t, fmt.Sprint(c), gradient(x, w), gradient(x.ToDType(torch.Float64), w.ToDType(torch.Float64)),
				32./256)
		}
	}
}

// Sizes beyond oneDNN's limits are refused before it is called.
func TestConvolutionOfHugeStride(t *testing.T) {
	defer torchtest.Scoped(t)()
	x, w := ramp(-1, 1, 1, 1, 5, 5), ramp(2, -3, 1, 1, 3, 3)
	for _, window := range []torch.Window{{Stride: math.MaxInt64}, {Padding: math.MaxInt64}} {
		torchtest.Raises(t, torch.Value, func() { x.Conv2d(w, tensor{}, window) })
	}
	torchtest.Raises(t, torch.Shape, func() { x.Conv2d(ramp(1, 1, 1, 1, 0, 0), tensor{}, torch.Window{}) })
}

// A kernel of one element with a stride, on images with channels innermost, against the same kernel on the images
// that it reads: the weights' gradient of libtorch 2.11 overruns its memory.
func TestConvolutionOfOneElementWithStride(t *testing.T) {
	defer torchtest.Scoped(t)()
	images, w := ramp(-1, 1, 3, 8, 10, 8).ChannelsLast(), ramp(2, -3, 4, 8, 1, 1)
	w.SetRequiresGrad(true)
	gradient := func(f func(x tensor) tensor) []float64 {
		x := images.Detach().SetRequiresGrad(true)
		return torch.Slice[float64](torch.Grad(f(x).Square().Sum(), []tensor{w, x}, false)[1])
	}
	want := gradient(func(x tensor) tensor {
		return x.SliceDim(2, 0, 10, 2).SliceDim(3, 0, 8, 2).Contiguous().Conv2d(w, tensor{}, torch.Window{})
	})
	for range 300 {
		torchtest.Near(t, "gradient", gradient(func(x tensor) tensor {
			return x.Conv2d(w, tensor{}, torch.Window{Stride: 2})
		}), want, 1e-4)
	}
}

// If only group norm's weights have a gradient, libtorch 2.11 crashes on images with channels innermost. Expected:
// the same gradient as with a gradient of the images.
func TestGroupNormGradientOfWeightsAlone(t *testing.T) {
	defer torchtest.Scoped(t)()
	images := ramp(-1, 1, 3, 8, 15, 4).ChannelsLast()
	weight, bias := ramp(1, 2, 8).SetRequiresGrad(true), ramp(0, 1, 8).SetRequiresGrad(true)
	moving := images.Detach().SetRequiresGrad(true)
	gradients := func(x tensor, inputs ...tensor) []tensor {
		norm := call("group_norm", args("input", slotOf(0), "num_groups", intOf(2), "weight", slotOf(1), "bias", slotOf(2)),
			3)
		y := program(t, 4, 3, norm).Run([]tensor{x, weight, bias}, false, nil)[0]
		return torch.Grad(y.Square().Sum(), inputs, false)
	}
	want := gradients(moving, moving, weight, bias)[1:]
	for range 20 {
		for name, got := range map[string][]tensor{"frozen": gradients(images, weight, bias),
			"not asked for": gradients(moving, weight, bias)} {
			for i := range want {
				torchtest.Near(t, name, torch.Slice[float64](got[i]), torch.Slice[float64](want[i]), 0)
			}
		}
		torchtest.Near(t, "bias alone", torch.Slice[float64](gradients(images, bias)[0]), torch.Slice[float64](want[1]), 0)
	}
}

// The fused kernel of libtorch 2.11 reads a float32 mask for float64 operands as float64.
func TestAttentionOfAnotherMask(t *testing.T) {
	defer torchtest.Scoped(t)()
	g := torch.NewGenerator(1, device)
	q, k, v := g.Normal(0, 1, f64, 2, 3, 20, 8), g.Normal(0, 1, f64, 2, 3, 30, 8), g.Normal(0, 1, f64, 2, 3, 30, 8)
	mask := g.Normal(0, 1, f32, 20, 30)
	got := torch.Attention(q, k, v, mask)
	want := torch.Attention(q, k, v, mask.ToDType(torch.Float64))
	torchtest.Close(t, "mask of float32", got, torch.Slice[float64](want), 1e-12)
}
