package bench

import (
	"fmt"
	"math"
	"time"

	"github.com/losscorr/losscorr/torch"
)

// arithmetic is the work of the matrix products and convolutions of a network, which is
// nearly all that a step computes: multiply-adds of the forward pass for one example.
type arithmetic struct {
	all   float64
	first float64 // of the layers that read the examples, whose gradient is not needed
}

// gflop returns the work of a step: forward, gradient of the weights and, but for the
// first layers, gradient of the inputs, two operations a multiply-add.
func (a arithmetic) gflop() float64 { return 2 * batch * (3*a.all - a.first) / 1e9 }

// conv is the work of a convolution with a square kernel and output.
func conv(side, kernel, in, out float64) float64 { return side * side * kernel * kernel * in * out }

// The networks of the workloads.

func mlpArithmetic() arithmetic {
	const inputs, hidden, classes = 784, 128, 10
	return arithmetic{inputs*hidden + hidden*hidden + hidden*classes, inputs * hidden}
}

func embeddingArithmetic() arithmetic {
	const words, dim, classes = 400, 50, 2
	return arithmetic{all: words * dim * classes}
}

func lstmArithmetic(dim float64) arithmetic {
	const words, hidden, gates, classes = 400, 512, 4, 2
	return arithmetic{all: words*gates*hidden*(dim+hidden) + hidden*classes}
}

func resNet32Arithmetic() arithmetic {
	const blocks, classes = 5, 10
	a := arithmetic{first: conv(32, 3, 3, 16)}
	a.all = a.first + 2*blocks*conv(32, 3, 16, 16) + 64*classes
	for _, s := range []struct{ side, width float64 }{{16, 32}, {8, 64}} {
		a.all += conv(s.side, 3, s.width/2, s.width) + (2*blocks-1)*conv(s.side, 3, s.width, s.width) +
			conv(s.side, 1, s.width/2, s.width)
	}
	return a
}

func resNet18Arithmetic() arithmetic {
	const blocks, classes = 2, 10
	a := arithmetic{first: conv(16, 7, 3, 64)}
	a.all = a.first + 2*blocks*conv(8, 3, 64, 64) + 512*classes
	for _, s := range []struct{ side, width float64 }{{4, 128}, {2, 256}, {1, 512}} {
		a.all += conv(s.side, 3, s.width/2, s.width) + (2*blocks-1)*conv(s.side, 3, s.width, s.width) +
			conv(s.side, 1, s.width/2, s.width)
	}
	return a
}

// transformer is the work of encoder layers: four projections, the attention's two
// products, and two linear layers through a wider one.
func transformer(layers, tokens, dim, wide float64) float64 {
	return layers * tokens * (4*dim*dim + 2*tokens*dim + 2*dim*wide)
}

func vitArithmetic() arithmetic {
	const tokens, dim, patch, classes = 64, 64, 4, 10
	first := conv(8, patch, 3, dim)
	return arithmetic{first + transformer(4, tokens, dim, 4*dim) + dim*classes, first}
}

func textArithmetic() arithmetic {
	const tokens, dim, classes = 64, 64, 10
	return arithmetic{all: transformer(2, tokens, dim, 2*dim) + dim*classes}
}

// peakSide is that of the largest product, whose speed is the peak.
const peakSide = 2048

// peakOf returns the measured peak in GFLOP/s: the fastest of some products of two large
// matrices.
func (b *bench) peakOf(dtype torch.DType) float64 {
	best := math.Inf(1)
	torch.Scope(func() {
		a := torch.NewGenerator(4, b.Device).Normal(0, 1, torch.Options{Device: b.Device}, peakSide, peakSide).ToDType(dtype)
		for range 1 + b.times(8) {
			torch.Scope(func() {
				torch.Synchronize(b.Device)
				begun := time.Now()
				a.Mm(a)
				torch.Synchronize(b.Device)
				best = min(best, time.Since(begun).Seconds())
			})
		}
	})
	return 2 * math.Pow(peakSide, 3) / best / 1e9
}

// peak returns the measured peak, which is printed when it is measured: once for each
// precision.
func (b *bench) peak(dtype torch.DType) float64 {
	if known, ok := b.peaks[dtype]; ok {
		return known
	}
	found := b.peakOf(dtype)
	b.peaks[dtype] = found
	fmt.Fprintf(b.out, "peak: %.0f GFLOP/s (product of two %d x %d matrices in %v)\n", found, peakSide, peakSide, dtype)
	return found
}

// share describes the arithmetic of a step that takes so many seconds: GFLOP, GFLOP/s,
// and the share of the peak.
func (b *bench) share(w workload, seconds float64) string {
	rate, peak := w.work.gflop()/seconds, b.peak(w.precision)
	return fmt.Sprintf("%.3g GFLOP a step at %.0f GFLOP/s, %.0f %% of the peak", w.work.gflop(), rate, 100*rate/peak)
}
