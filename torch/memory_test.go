package torch_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// The C library counts a tensor's bytes while it lives, and no longer.
func TestHostMemory(t *testing.T) {
	torchtest.OnCPU(t)
	torchtest.NoLeak(t, func() {
		const size = 64 << 20
		held := func() int64 { return torch.DeviceMemory(torch.CPU).Allocated }
		before := held()
		if before == 0 {
			t.Skip("the C library does not count")
		}
		x := torch.Zeros(torch.Options{DType: torch.Uint8, Device: device}, size)
		with := torch.DeviceMemory(torch.CPU)
		if grown := with.Allocated - before; grown < size || grown > size+1<<20 {
			t.Errorf("a tensor of %d bytes takes %d", size, grown)
		}
		if with.Reserved < with.Allocated {
			t.Errorf("%d bytes are taken from the system, %d used", with.Reserved, with.Allocated)
		}
		x.Free()
		if left := held() - before; left > 1<<20 {
			t.Errorf("%d bytes are left of a tensor that is gone", left)
		}
	})
}

// The blocks of large tensors that were freed serve again, and with those in use they take
// no more than those in use once took.
func TestLargeBlocksServeAgain(t *testing.T) {
	torchtest.OnCPU(t)
	if os.Getenv("LOSSCORR_TEST_BLOCKS") == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestLargeBlocksServeAgain$", "-test.v")
		child.Env = append(os.Environ(), "LOSSCORR_TEST_BLOCKS=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
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
		again := block(180)
		if kept := reserved() - before; kept > 208 {
			t.Errorf("%d MiB are held for a tensor of 180 in place of one of 200", kept)
		}
		again.Free()
		for _, n := range []int{100, 20, 60, 150, 30, 12} {
			block(n).Free()
			if kept := reserved() - before; kept > 208 {
				t.Errorf("%d MiB are held after tensors of 200 at most", kept)
			}
		}
		torch.TrimHost()
		if kept := reserved() - before; kept > 8 {
			t.Errorf("%d MiB are held after what was freed was given back", kept)
		}
		one, other := block(30), block(30)
		one.Fill(1)
		if other.Sum().Item() != 0 {
			t.Error("two tensors have one block")
		}
	})
}

// The median of an expanded tensor is that of its elements: libtorch 2.11 reads
// memory beyond them.
func TestMedianOfExpanded(t *testing.T) {
	torchtest.NoLeak(t, func() {
		values, _ := torchtest.FromSlice([]float64{3}).Expand(16).Median(0)
		torchtest.Close(t, "one number", values, []float64{3}, 0)
		rows := torchtest.FromSlice([]float64{5, -1, 2}, 3, 1).Expand(3, 40)
		values, _ = rows.Median(1)
		torchtest.Close(t, "rows", values, []float64{5, -1, 2}, 0)
	})
}

// libtorch takes the sizes of an LSTM's parameters and states on trust, and writes
// beyond them.
func TestLSTMChecksItsParameters(t *testing.T) {
	torchtest.NoLeak(t, func() {
		const steps, batch, width, hidden = 3, 2, 4, 5
		zeros := func(shape ...int) tensor { return torch.Zeros(f32, shape...) }
		good := func() (x, h, c tensor, p []tensor) {
			return zeros(steps, batch, width), zeros(1, batch, hidden), zeros(1, batch, hidden),
				[]tensor{zeros(4*hidden, width), zeros(4*hidden, hidden), zeros(4 * hidden), zeros(4 * hidden)}
		}
		x, h, c, p := good()
		x.LSTM(h, c, p, 1, false, false)
		x.LSTM(h, c, p[:2], 1, false, false)
		for name, kindAndChange := range map[string]struct {
			kind torch.Kind
			f    func(x, h, c *tensor, p *[]tensor)
		}{
			"no steps": {torch.Shape, func(x, _, _ *tensor, _ *[]tensor) { *x = zeros(0, batch, width) }},
			"no batch": {torch.Shape, func(x, h, c *tensor, _ *[]tensor) {
				*x, *h, *c = zeros(steps, 0, width), zeros(1, 0, hidden), zeros(1, 0, hidden)
			}},
			"two dimensions":   {torch.Shape, func(x, _, _ *tensor, _ *[]tensor) { *x = zeros(steps, width) }},
			"narrow sequences": {torch.Shape, func(x, _, _ *tensor, _ *[]tensor) { *x = zeros(steps, batch, width-1) }},
			"small states":     {torch.Shape, func(_, h, _ *tensor, _ *[]tensor) { *h = zeros(1, batch, hidden-1) }},
			"states of fewer":  {torch.Shape, func(_, _, c *tensor, _ *[]tensor) { *c = zeros(1, batch-1, hidden) }},
			"nothing hidden": {torch.Shape, func(_, h, c *tensor, p *[]tensor) {
				*h, *c, *p = zeros(1, batch, 0), zeros(1, batch, 0), []tensor{zeros(0, width), zeros(0, 0)}
			}},
			"short biases":      {torch.Shape, func(_, _, _ *tensor, p *[]tensor) { (*p)[3] = zeros(4) }},
			"recurrent weights": {torch.Shape, func(_, _, _ *tensor, p *[]tensor) { (*p)[1] = zeros(4*hidden, hidden+1) }},
			"three parameters":  {torch.Shape, func(_, _, _ *tensor, p *[]tensor) { *p = (*p)[:3] }},
			"another dtype":     {torch.DTypeMismatch, func(_, _, _ *tensor, p *[]tensor) { (*p)[2] = (*p)[2].ToDType(torch.Float64) }},
		} {
			x, h, c, p := good()
			kindAndChange.f(&x, &h, &c, &p)
			if err := torchtest.Raises(t, kindAndChange.kind, func() { x.LSTM(h, c, p, 1, false, false) }); err.Op != "lstm" {
				t.Errorf("%s: %v", name, err)
			}
		}
		torchtest.Raises(t, torch.Value, func() { x.LSTM(h, c, p, 0, false, false) })
		torchtest.Raises(t, torch.Shape, func() { x.LSTM(h, c, p, 2, false, false) })
		// The same where EmbeddingLSTM falls back on libtorch's, for bfloat16.
		half := torch.Options{DType: torch.BFloat16, Device: device}
		weights := []tensor{torch.Zeros(half, 4*hidden, width), torch.Zeros(half, 4*hidden, hidden), torch.Zeros(half, 4*hidden), torch.Zeros(half, 7)}
		index := torch.Zeros(torch.Options{DType: torch.Int64, Device: device}, batch, steps)
		torchtest.Raises(t, torch.Shape, func() { torch.EmbeddingLSTM(torch.Zeros(half, 9, width), index, weights, 0, nil) })
	})
}

// Strides of dimensions of size 1 mean nothing, whatever they are: libtorch 2.11 refuses
// to take the gradient of weights with one output or input whose strides are of neither
// layout.
func TestConvolutionGradientOfAnyStrides(t *testing.T) {
	torchtest.NoLeak(t, func() {
		x := ramp(-1, 1, 1, 2, 6, 9).ToDType(torch.Float64).ChannelsLast()
		w := ramp(2, -3, 2, 2, 2, 1).ToDType(torch.Float64).Permute(3, 2, 0, 1) // strides 1 1 4 2
		gradient := func(w tensor) []float64 {
			w = w.Detach().SetRequiresGrad(true)
			return torch.Slice[float64](torch.Grad(x.Conv2d(w, tensor{}, torch.Window{Stride: 3, Padding: 1}).Square().Sum(), []tensor{w}, false)[0])
		}
		torchtest.Near(t, "one output", gradient(w), gradient(w.Contiguous()), 1e-9)
	})
}

// Where the kernel's first column meets nothing but padding, its gradient is 0:
// oneDNN of libtorch 2.11 leaves what was in memory, in bfloat16. Expected: the
// gradient in float64, within one rounding, 2^-8, of sums up to 32.
func TestConvolutionGradientOfPadding(t *testing.T) {
	torchtest.OnCPU(t)
	torchtest.NoLeak(t, func() {
		gradient := func(x, w tensor) []float64 {
			for range 8 { // the memory that the gradient will get
				torch.Scope(func() { torch.Full(1e30, w.Options(), w.Shape()...) })
			}
			w = w.Detach().SetRequiresGrad(true)
			window := torch.Window{Stride: 3, Padding: 1}
			y := x.Conv2d(w, tensor{}, window)
			return torch.Slice[float64](torch.Grad(y.Sum(), []tensor{w}, false)[0])
		}
		for _, c := range []struct{ x, w []int }{{[]int{4, 4, 6, 2}, []int{16, 4, 3, 3}}, {[]int{4, 3, 1, 2}, []int{4, 3, 3, 3}}, {[]int{4, 16, 1, 1}, []int{8, 16, 3, 3}}} {
			for range 20 {
				x, w := ramp(-1, 1, c.x...).ToDType(torch.BFloat16).ChannelsLast(), ramp(2, -3, c.w...).ToDType(torch.BFloat16).ChannelsLast()
				torchtest.Near(t, fmt.Sprint(c), gradient(x, w), gradient(x.ToDType(torch.Float64), w.ToDType(torch.Float64)), 32./256)
			}
		}
	})
}

// The same of transposed ones, whose first column gives to nothing but padding.
func TestConvTransposeGradientOfPadding(t *testing.T) {
	torchtest.OnCPU(t)
	torchtest.NoLeak(t, func() {
		results := func(x, w tensor) (y, gradient []float64) {
			for range 8 { // the memory that the gradient will get
				torch.Scope(func() { torch.Full(1e30, w.Options(), w.Shape()...) })
			}
			w = w.Detach().SetRequiresGrad(true)
			out := x.ConvTranspose2d(w, tensor{}, torch.Window{Stride: 2, Padding: 1})
			return torch.Slice[float64](out.Detach()), torch.Slice[float64](torch.Grad(out.Sum(), []tensor{w}, false)[0])
		}
		for range 40 {
			x, w := ramp(-1, 1, 1, 4, 3, 1).ToDType(torch.BFloat16), ramp(2, -3, 4, 16, 3, 3).ToDType(torch.BFloat16)
			y, gradient := results(x.ChannelsLast(), w.ChannelsLast())
			wantY, want := results(x.ToDType(torch.Float64), w.ToDType(torch.Float64))
			torchtest.Near(t, "value", y, wantY, 8./256)
			torchtest.Near(t, "gradient", gradient, want, 4./256)
		}
	})
}

// What oneDNN cannot count to is refused before it is asked.
func TestConvolutionOfHugeStride(t *testing.T) {
	torchtest.NoLeak(t, func() {
		x, w := ramp(-1, 1, 1, 1, 5, 5), ramp(2, -3, 1, 1, 3, 3)
		for _, window := range []torch.Window{{Stride: math.MaxInt64}, {Padding: math.MaxInt64}, {Dilation: 1 << 40}} {
			torchtest.Raises(t, torch.Value, func() { x.Conv2d(w, tensor{}, window) })
			torchtest.Raises(t, torch.Value, func() { x.Select(1, 0).Conv1d(w.Select(1, 0), tensor{}, window) })
		}
		torchtest.Raises(t, torch.Shape, func() { x.Conv2d(ramp(1, 1, 1, 1, 0, 0), tensor{}, torch.Window{}) })
	})
}

// Dilation means nothing for a kernel of size 1.
func TestConvolutionDilatedByNothing(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for _, dtype := range []torch.DType{torch.Float32, torch.BFloat16} {
			x := ramp(-1, 1, 1, 4, 2, 1).ToDType(dtype).ChannelsLast()
			w := ramp(2, -3, 16, 4, 1, 1).ToDType(dtype)
			for _, stride := range []int{1, 3} {
				want := x.Conv2d(w, tensor{}, torch.Window{Padding: 2, Stride: stride})
				got := x.Conv2d(w, tensor{}, torch.Window{Padding: 2, Stride: stride, Dilation: 2})
				torchtest.Close(t, dtype.String(), got, torch.Slice[float64](want), 0)
			}
			x, w = ramp(-1, 1, 3, 3, 5, 1).ToDType(dtype).ChannelsLast(), ramp(2, -3, 3, 3, 1, 1).ToDType(dtype).ChannelsLast()
			gradients := func(dilation int) (out []float64) {
				x, w := x.Detach().SetRequiresGrad(true), w.Detach().SetRequiresGrad(true)
				y := x.Conv2d(w, ramp(0, 1, 3).ToDType(dtype), torch.Window{Padding: 2, StrideHW: [2]int{2, 3}, Dilation: dilation})
				for _, g := range torch.Grad(y.Square().Sum(), []tensor{x, w}, false) {
					out = append(out, torch.Slice[float64](g)...)
				}
				return out
			}
			for range 50 {
				torchtest.Near(t, dtype.String(), gradients(2), gradients(1), 0)
			}
		}
	})
}

// The same of sequences, and of transposed convolutions, with their gradients;
// libtorch 2.11 can crash of them.
func TestConvolutionsDilatedByNothing(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for _, dtype := range []torch.DType{torch.Float32, torch.BFloat16} {
			images, weight := ramp(-1, 1, 3, 3, 5, 1).ToDType(dtype).ChannelsLast(), ramp(2, -3, 3, 3, 1, 1).ToDType(dtype).ChannelsLast()
			bias := ramp(0, 1, 3).ToDType(dtype)
			for name, f := range map[string]func(x, w tensor, dilation int) tensor{
				"conv1d": func(x, w tensor, dilation int) tensor {
					return x.Select(3, 0).Conv1d(w.Select(3, 0), bias, torch.Window{Padding: 2, Stride: 2, Dilation: dilation})
				},
				"conv_transpose2d": func(x, w tensor, dilation int) tensor {
					return x.ConvTranspose2d(w, bias, torch.Window{PaddingHW: [2]int{2, 0}, StrideHW: [2]int{2, 3}, OutputPaddingHW: [2]int{0, 2}, Dilation: dilation})
				},
			} {
				results := func(dilation int) (out []float64) {
					x, w := images.Detach().SetRequiresGrad(true), weight.Detach().SetRequiresGrad(true)
					y := f(x, w, dilation)
					for _, r := range append(torch.Grad(y.Square().Sum(), []tensor{x, w}, false), y.Detach()) {
						out = append(out, torch.Slice[float64](r)...)
					}
					return out
				}
				for range 50 {
					torchtest.Near(t, name, results(2), results(1), 0)
				}
			}
		}
	})
}

// A kernel of one element with a stride, of images with channels innermost, against the
// images that it reads: the weights' gradient of libtorch 2.11 leaves its memory.
func TestConvolutionOfOneElementWithStride(t *testing.T) {
	torchtest.NoLeak(t, func() {
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
			torchtest.Near(t, "gradient", gradient(func(x tensor) tensor { return x.Conv2d(w, tensor{}, torch.Window{Stride: 2}) }), want, 1e-4)
		}
	})
}

// Nor do strides of size 1 change a batch norm's gradient: libtorch 2.11 takes such
// images for one layout forward and for another backward.
func TestBatchNormGradientOfAnyStrides(t *testing.T) {
	torchtest.OnCPU(t)
	torchtest.NoLeak(t, func() {
		x := torch.NewGenerator(1, device).Normal(0, 1, f64, 4, 8, 2, 1)
		for name, f := range map[string]func(x, weight, bias, mean, variance tensor, training bool, momentum, eps float64) tensor{
			"batch_norm": tensor.BatchNorm, "batch_norm_relu": tensor.BatchNormReLU,
		} {
			gradient := func(x tensor) []float64 {
				x = x.Detach().SetRequiresGrad(true)
				y := f(x, tensor{}, tensor{}, tensor{}, tensor{}, true, .1, 1e-2)
				return torch.Slice[float64](torch.Grad(y.Mul(torch.Linspace(.5, 1.5, 64, f64).Reshape(4, 8, 2, 1)).Sum(), []tensor{x}, false)[0])
			}
			channelsLast := x.Permute(0, 2, 1, 3).Contiguous().Permute(0, 2, 1, 3) // strides 16 1 8 1
			torchtest.Near(t, name, gradient(channelsLast), gradient(x), 1e-12)
		}
	})
}

// An index that is expanded and narrower than what it adds to, against the same index
// written out; likewise the gradient of gather.
func TestScatterAddOfExpandedIndex(t *testing.T) {
	torchtest.NoLeak(t, func() {
		g := torch.NewGenerator(1, device)
		x, source := g.Normal(0, 1, f32, 2, 241), g.Normal(0, 1, f32, 8, 231)
		rows := g.Integers(0, 2, torch.Options{DType: torch.Int64, Device: device}, 8, 1)
		expanded, written := rows.Expand(8, 231), rows.Expand(8, 231).Contiguous()
		torchtest.Close(t, "scatter_add", x.ScatterAdd(0, expanded, source), torch.Slice[float64](x.ScatterAdd(0, written, source).ToDType(torch.Float64)), 1e-6)
		gradient := func(index tensor) []float64 {
			leaf := x.Detach().Clone().SetRequiresGrad(true)
			leaf.Gather(0, index).Mul(source).Sum().Backward()
			return torch.Slice[float64](leaf.Grad().ToDType(torch.Float64))
		}
		torchtest.Near(t, "gather's gradient", gradient(expanded), gradient(written), 1e-6)

		images, weights := g.Normal(0, 1, f32, 3, 16, 1, 4), g.Normal(0, 1, f32, 5, 16, 1, 1)
		first := g.Integers(0, 3, torch.Options{DType: torch.Int64, Device: device}, 5, 1, 1, 1).Expand(5, 16, 1, 1)
		of := func(index tensor) []float64 {
			leaf := images.Detach().Clone().SetRequiresGrad(true)
			leaf.Gather(0, index).Mul(weights).Sum().Backward()
			return torch.Slice[float64](leaf.Grad().ToDType(torch.Float64))
		}
		torchtest.Near(t, "gather's gradient by the first of several dimensions", of(first), of(first.Contiguous()), 1e-6)
	})
}

// Group norm's weights alone have a gradient: of images with channels innermost
// libtorch 2.11 crashes. Expected: the gradient where the images have one too.
func TestGroupNormGradientOfWeightsAlone(t *testing.T) {
	torchtest.NoLeak(t, func() {
		images := ramp(-1, 1, 3, 8, 15, 4).ChannelsLast()
		weight, bias := ramp(1, 2, 8).SetRequiresGrad(true), ramp(0, 1, 8).SetRequiresGrad(true)
		moving := images.Detach().SetRequiresGrad(true)
		gradients := func(x tensor, inputs ...tensor) []tensor {
			return torch.Grad(x.GroupNorm(2, weight, bias, 1e-5).Square().Sum(), inputs, false)
		}
		want := gradients(moving, moving, weight, bias)[1:]
		for range 20 {
			for name, got := range map[string][]tensor{"frozen": gradients(images, weight, bias), "not asked for": gradients(moving, weight, bias)} {
				for i := range want {
					torchtest.Near(t, name, torch.Slice[float64](got[i]), torch.Slice[float64](want[i]), 0)
				}
			}
			torchtest.Near(t, "bias alone", torch.Slice[float64](gradients(images, bias)[0]), torch.Slice[float64](want[1]), 0)
		}
	})
}

// A mask of float32 for float64, which the fused kernel of libtorch 2.11 reads as
// float64, and a negative scale, which turns its causal mask to infinity.
func TestAttentionOfOtherMasks(t *testing.T) {
	torchtest.NoLeak(t, func() {
		g := torch.NewGenerator(1, device)
		q, k, v := g.Normal(0, 1, f64, 2, 3, 20, 8), g.Normal(0, 1, f64, 2, 3, 30, 8), g.Normal(0, 1, f64, 2, 3, 30, 8)
		mask := g.Normal(0, 1, f32, 20, 30)
		got := torch.Attention(q, k, v, torch.AttentionOptions{Mask: mask})
		want := torch.Attention(q, k, v, torch.AttentionOptions{Mask: mask.ToDType(torch.Float64)})
		torchtest.Close(t, "mask of float32", got, torch.Slice[float64](want), 1e-12)
		got = torch.Attention(q, k, v, torch.AttentionOptions{Causal: true, Scale: -.5})
		want = torch.Attention(q.Neg(), k, v, torch.AttentionOptions{Causal: true, Scale: .5})
		torchtest.Close(t, "negative scale", got, torch.Slice[float64](want), 1e-12)
	})
}

// A transposed convolution of one element with a stride puts its inputs apart: with
// channels innermost and rows added behind, the weights' gradient of libtorch 2.11 leaves
// its memory.
func TestConvTransposeOfOneElementWithStride(t *testing.T) {
	torchtest.NoLeak(t, func() {
		const n, in, out, h, w = 3, 8, 4, 12, 12
		images, weight, bias := ramp(-1, 1, n, in, h, w), ramp(2, -3, in, out, 1, 1), ramp(0, 1, out)
		weight.SetRequiresGrad(true)
		flat := images.Conv2d(weight.Transpose(0, 1).Contiguous(), tensor{}, torch.Window{})
		for _, added := range [][2]int{{1, 1}, {1, 0}, {0, 1}, {0, 0}} {
			rows, columns := 2*h-1+added[0], 2*w-1+added[1]
			apart := torch.Zeros(f32, n, out, 2*h, 2*w)
			apart.SliceDim(2, 0, 2*h, 2).SliceDim(3, 0, 2*w, 2).CopyFrom(flat.Detach())
			want := torch.Slice[float64](apart.Narrow(2, 0, rows).Narrow(3, 0, columns).Add(bias.Reshape(out, 1, 1)).ToDType(torch.Float64))
			// What the zeros between have for a gradient goes to the bias alone.
			slope := flat.Detach().Add(bias.Reshape(out, 1, 1)).MulScalar(2)
			wantGradient := torch.Slice[float64](torch.GradWith(flat, slope, []tensor{weight}, true)[0].ToDType(torch.Float64))
			for range 100 {
				torch.Scope(func() {
					y := images.ChannelsLast().ConvTranspose2d(weight, bias, torch.Window{Stride: 2, OutputPaddingHW: added})
					torchtest.Close(t, fmt.Sprint(added), y.Detach(), want, 1e-5)
					gradient := torch.Grad(y.Square().Sum(), []tensor{weight}, false)[0]
					torchtest.Near(t, fmt.Sprint("gradient ", added), torch.Slice[float64](gradient), wantGradient, 1e-2)
				})
			}
		}
	})
}
