package torch_test

import (
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// reference is the dropout mask as cgo/shim defines it, one number at a time:
// for each block of 65536 elements sixteen lanes of xoshiro128++ seeded by
// splitmix64 from (seed, call, block), two 16-bit draws a word, low half first.
// Whatever vectors the processor has, masks must equal it.
func reference(seed, call uint64, n int, p float64) []bool {
	const block, lanes = 1 << 16, 16
	drop := uint32(p*65536 + .5)
	base := splitmix(&seed) + call
	base = splitmix(&base)
	keep := make([]bool, 0, n)
	for start := 0; start < n; start += block {
		own := base + 0xd1342543de82ef95*uint64(start/block+1)
		state := splitmix(&own)
		var s [4][lanes]uint32
		for w := range s {
			for l := range s[w] {
				s[w][l] = uint32(splitmix(&state) >> 32)
			}
		}
		length := min(block, n-start)
		for i := 0; i < length; i += 2 * lanes {
			for l := range lanes {
				sum := s[0][l] + s[3][l]
				word := (sum<<7 | sum>>25) + s[0][l]
				t := s[1][l] << 9
				s[2][l] ^= s[0][l]
				s[3][l] ^= s[1][l]
				s[1][l] ^= s[2][l]
				s[0][l] ^= s[3][l]
				s[2][l] ^= t
				s[3][l] = s[3][l]<<11 | s[3][l]>>21
				for k, draw := range []uint32{word & 0xffff, word >> 16} {
					if i+2*l+k < length {
						keep = append(keep, draw >= drop)
					}
				}
			}
		}
	}
	return keep
}

func splitmix(x *uint64) uint64 {
	*x += 0x9e3779b97f4a7c15
	z := *x
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func TestDropoutMaskEqualsReference(t *testing.T) {
	torchtest.OnCPU(t)
	torchtest.NoLeak(t, func() {
		const seed = 42
		g := torch.NewGenerator(seed, device)
		for call, c := range []struct {
			n int
			p float64
		}{{1, .5}, {31, .2}, {32, .2}, {33, .8}, {1000, .5}, {65536 + 7, .2}, {200000, .8}} {
			kept := torch.Slice[float64](torch.Ones(f32, c.n).Dropout(c.p, g))
			for i, want := range reference(seed, uint64(call), c.n, c.p) {
				if (kept[i] != 0) != want {
					t.Fatalf("n=%d p=%v: element %d kept: %v, want %v", c.n, c.p, i, kept[i] != 0, want)
				}
			}
		}
	})
}

// The sparse product of the first layer, the dense one and libtorch's agree in
// values and gradients.
func TestLinearOfMostlyZeros(t *testing.T) {
	torchtest.NoLeak(t, func() {
		g := torch.NewGenerator(3, device)
		for _, shape := range []struct{ n, in, out int }{{128, 784, 128}, {1, 256, 64}, {7, 301, 128}, {200, 257, 192}} {
			dense := g.Normal(0, 1, f32, shape.n, shape.in)
			x := dense.Mul(g.Bernoulli(.1, f32, shape.n, shape.in))
			weight, bias := g.Normal(0, .1, f32, shape.out, shape.in), g.Normal(0, 1, f32, shape.out)
			direction := g.Normal(0, 1, f32, shape.n, shape.out)
			run := func(o torch.Options) []torch.Tensor {
				in := x.To(o)
				w, b := weight.To(o).Clone().SetRequiresGrad(true), bias.To(o).Clone().SetRequiresGrad(true)
				y := in.Linear(w, b)
				return append(torch.Grad(y.Mul(direction.To(o)).Sum(), []torch.Tensor{w, b}, false), y.Detach())
			}
			got, want := run(f32), run(torch.Options{DType: torch.Float64, Device: device})
			for i, name := range []string{"gradient of the weight", "gradient of the bias", "output"} {
				torchtest.Close(t, name, got[i], torch.Slice[float64](want[i]), 2e-5)
			}
		}
	})
}
