package torch_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// draws makes every kind of draw once.
func draws(g *torch.Generator) (all []float64) {
	x := torch.Ones(f32, 1000)
	for _, t := range []tensor{
		g.Uniform(-1, 2, f32, 100),
		g.Normal(3, 2, f64, 101),
		g.Bernoulli(.3, f32, 100),
		g.Integers(5, 9, torch.Options{DType: torch.Int64, Device: device}, 100),
		g.Permutation(50),
		x.Dropout(.5, g),
		x.ReLUDropout(.3, g),
	} {
		all = append(all, torch.Slice[float64](t)...)
	}
	return all
}

func TestGeneratorRepeats(t *testing.T) {
	defer torchtest.Scoped(t)()
	a, b, other := torch.NewGenerator(7, device), torch.NewGenerator(7, device), torch.NewGenerator(8, device)
	first := draws(a)
	torchtest.Near(t, "same seed", draws(b), first, 0)
	same := []bool{slices.Equal(draws(other), first), slices.Equal(draws(a), first)}
	expect.Same(t, []bool{false, false}, same, "another seed and the second draws repeat")
	// Restored, in the same generator or in another.
	g := torch.NewGenerator(7, device)
	g.Normal(0, 1, f32, 13) // an odd number: one normal draw is left over
	torch.Ones(f32, 10).Dropout(.5, g)
	state := g.State()
	want := draws(g)
	g.Restore(state)
	torchtest.Near(t, "restored", draws(g), want, 0)
	fresh := torch.NewGenerator(1, device)
	fresh.Restore(state)
	torchtest.Near(t, "restored in another", draws(fresh), want, 0)
}

// Call k of seed s and call s of seed k have different masks, and so have calls whose number is the seed.
func TestDropoutCallsAreApart(t *testing.T) {
	defer torchtest.Scoped(t)()
	masks := map[string]string{}
	for seed := range uint64(4) {
		g := torch.NewGenerator(seed, device)
		for call := range 4 {
			mask := fmt.Sprint(torch.Slice[float64](torch.Ones(f32, 64).Dropout(.5, g)))
			name := fmt.Sprintf("call %d of seed %d", call, seed)
			if other, ok := masks[mask]; ok {
				t.Errorf("%s has the mask of %s", name, other)
			}
			masks[mask] = name
		}
	}
}

// Means and variances are within 5 sigma of their expectations.
func TestDistributions(t *testing.T) {
	const n = 200_000
	defer torchtest.Scoped(t)()
	g := torch.NewGenerator(3, device)
	for _, c := range []struct {
		name           string
		x              tensor
		mean, variance float64
		low, high      float64
	}{
		{"uniform", g.Uniform(-1, 2, f64, n), .5, .75, -1, 2},
		{"normal", g.Normal(3, 2, f64, n), 3, 4, math.Inf(-1), math.Inf(1)},
		{"bernoulli", g.Bernoulli(.3, f64, n), .3, .21, 0, 1},
		{"integers", g.Integers(5, 9, torch.Options{DType: torch.Int64, Device: device}, n), 6.5, 1.25, 5, 8},
	} {
		x := c.x.ToDType(torch.Float64)
		if mean := x.Mean().Item(); math.Abs(mean-c.mean) > 5*math.Sqrt(c.variance/n) {
			t.Errorf("%s: mean %v, want %v", c.name, mean, c.mean)
		}
		// The fourth moment of none of them is over 3 variance^2.
		if v := x.Sub(x.Mean()).Square().Mean().Item(); math.Abs(v-c.variance) > 5*c.variance*math.Sqrt(2./n) {
			t.Errorf("%s: variance %v, want %v", c.name, v, c.variance)
		}
		if low, high := x.Amin().Item(), x.Amax().Item(); low < c.low || high > c.high {
			t.Errorf("%s: from %v to %v, want within %v and %v", c.name, low, high, c.low, c.high)
		}
	}
	order, _ := g.Permutation(1000).Sort(0, false)
	torchtest.Close(t, "sorted permutation", order, torch.Slice[float64](torch.Arange(0, 1000, 1, f32)), 0)
}

func TestDropoutAtTheEnds(t *testing.T) {
	defer torchtest.Scoped(t)()
	g := torch.NewGenerator(1, device)
	x := torchtest.FromSlice([]float64{-1, 2, -3})
	torchtest.Close(t, "p 0", x.Dropout(0, g), []float64{-1, 2, -3}, 0)
	torchtest.Close(t, "p 1", x.Dropout(1, g), []float64{0, 0, 0}, 0)
	torchtest.Close(t, "relu, p 0", x.ReLUDropout(0, g), []float64{0, 2, 0}, 0)
	torchtest.Close(t, "relu, p 1", x.ReLUDropout(1, g), []float64{0, 0, 0}, 0)
	torchtest.Close(t, "p 0 without a stream", x.Dropout(0, nil), []float64{-1, 2, -3}, 0)
	torchtest.Close(t, "relu, p 0 without a stream", x.ReLUDropout(0, nil), []float64{0, 2, 0}, 0)
	torchtest.Raises(t, torch.Value, func() { x.Dropout(.5, nil) })
	torchtest.Raises(t, torch.Value, func() { x.ReLUDropout(.5, nil) })
	torchtest.Close(t, "of nothing", torch.Zeros(f32, 0).Dropout(.5, g), nil, 0)
}

// The gradient is the mask times the scale, and so is its part of the second derivative.
func TestDropoutGradient(t *testing.T) {
	for _, dtype := range []torch.DType{torch.Float32, torch.Float64, torch.BFloat16} {
		torchtest.NoLeak(t, func() {
			g := torch.NewGenerator(5, device)
			ones := torch.Ones(torch.Options{DType: dtype, Device: device}, 300)
			state := g.State()
			mask := torch.Slice[float64](ones.Dropout(.5, g))
			x := ones.Clone().SetRequiresGrad(true)
			g.Restore(state)
			first := torch.Grad(x.Dropout(.5, g).Square().Sum(), []tensor{x}, true)[0]
			second := torch.Grad(first.Sum(), []tensor{x}, false)[0]
			want := make([]float64, len(mask))
			for i, m := range mask {
				want[i] = 2 * m * m
			}
			torchtest.Close(t, fmt.Sprint(dtype, " gradient"), first, want, 1e-6)
			torchtest.Close(t, fmt.Sprint(dtype, " second derivative"), second, want, 1e-6)
		})
	}
}

// One draw covers shared dimensions; draws differ along the others.
func TestSpatialDropoutShares(t *testing.T) {
	defer torchtest.Scoped(t)()
	g := torch.NewGenerator(2, device)
	for name, c := range map[string]struct {
		shape  []int
		shared []int
	}{
		"images":    {[]int{50, 40, 3, 3}, []int{2, 3}},
		"sequences": {[]int{50, 7, 40}, []int{1}},
	} {
		x := torch.Ones(f32, c.shape...).SetRequiresGrad(true)
		out := x.Dropout(.5, g, c.shared...)
		expect.Same(t, 0, out.Amax(c.shared...).Sub(out.Amin(c.shared...)).Amax().Item(), name+
			": spread along shared dimensions")

		kept := out.Amax(c.shared...).NeScalar(0).Sum().Item()
		if math.Abs(kept-1000) > 5*math.Sqrt(2000*.25) {
			t.Errorf("%s: %v of 2000 channels kept, want 1000", name, kept)
		}
		grad := torch.Grad(out.Sum(), []tensor{x}, false)[0]
		torchtest.Close(t, name+" gradient", grad, torch.Slice[float64](out), 0)
	}
}

// Contiguous, transposed and channels-last tensors.
func TestDropoutOfViews(t *testing.T) {
	defer torchtest.Scoped(t)()
	g := torch.NewGenerator(2, device)
	base := torch.Arange(1, 2*3*4*5+1, 1, f32).Reshape(2, 3, 4, 5)
	for name, x := range map[string]tensor{
		"permuted":      base.Transpose(0, 3).Transpose(2, 3),
		"channels last": base.ChannelsLast(),
		"sliced":        base.SliceDim(3, 0, 5, 2),
		"expanded":      base.Narrow(3, 0, 1).Expand(2, 3, 4, 6),
	} {
		for kind, out := range map[string]tensor{"dropout": x.Dropout(.5, g), "relu_dropout": x.ReLUDropout(.5, g)} {
			ratio := torch.Slice[float64](out.Div(x))
			for i, r := range ratio {
				if r != 0 && r != 2 {
					t.Fatalf("%s %s: element %d times %v", name, kind, i, r)
				}
			}
		}
	}
}

// The same draws on one thread and on several.
func TestDrawsDoNotDependOnThreads(t *testing.T) {
	defer torchtest.Scoped(t)()
	defer torch.SetThreads(torch.Threads())
	run := func(threads int) []float64 {
		torch.SetThreads(threads)
		g := torch.NewGenerator(4, device)
		x := torch.Ones(f32, 700_001)
		return append(torch.Slice[float64](x.Dropout(.3, g)), torch.Slice[float64](g.Normal(0, 1, f32, 100_001))...)
	}
	torchtest.Near(t, "4 threads", run(4), run(1), 0)
}

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

// Kept elements are multiplied by 1/(1-p), with p rounded to a multiple of 1/65536.
func TestDropoutMaskEqualsReference(t *testing.T) {
	torchtest.OnCPU(t)
	defer torchtest.Scoped(t)()
	const seed = 42
	g := torch.NewGenerator(seed, device)
	for call, c := range []struct {
		n int
		p float64
	}{
		{1, .5}, {31, .2}, {32, .2}, {33, .8}, {1000, .5},
		{65536 + 7, .2}, {200000, .8}, {200000, .999}, {200000, 1. / 65536},
	} {
		scale := float32(1 / (1 - math.Round(c.p*65536)/65536))
		want := make([]float32, c.n)
		for i, kept := range reference(seed, uint64(call), c.n, c.p) {
			if kept {
				want[i] = 2 * scale
			}
		}
		got := torch.Slice[float32](torch.Full(2, f32, c.n).Dropout(c.p, g))
		expect.Same(t, true, slices.Equal(got, want), "mask and scale", c)
	}
}

// A Generator's stream is freed once nothing refers to the Generator, even in the middle of a call that uses only the
// inner pointer. So every function that passes the pointer to C keeps the Generator alive until after its last call.
func TestStreamsAreKeptAlive(t *testing.T) {
	files := expect.Got(filepath.Glob("*.go"))(t)
	use := regexp.MustCompile(`\w\.g\b|\bstreamOf\(`) // which returns g.g
	checked := 0
	for _, file := range files {
		text := expect.Got(os.ReadFile(file))(t)
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		code := regexp.MustCompile(`//.*`).ReplaceAllString(string(text), "")
		for _, f := range strings.Split(code, "\nfunc ")[1:] {
			uses := use.FindAllStringIndex(f, -1)
			if len(uses) == 0 || strings.HasPrefix(f, "NewGenerator(") || strings.HasPrefix(f, "streamOf(") {
				continue
			}
			checked++
			last := strings.LastIndex(f, "runtime.KeepAlive(") >= uses[len(uses)-1][0]
			if !last && !strings.Contains(f, "defer runtime.KeepAlive(") {
				t.Errorf("%s uses a stream after its last KeepAlive: %s", file, f)
			}
		}
	}
	if checked < 10 {
		t.Errorf("found only %d functions that use a stream", checked)
	}
}
