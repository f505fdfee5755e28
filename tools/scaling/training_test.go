// Package scaling measures how costs grow, for `make scaling`, as Go benchmarks: a training
// step with batch, width and classes; estimators of T and the ranking of labels with
// examples and classes; plans and reports with runs; and decoding with workers. -short runs
// only small sizes. All randomness is seeded.
package scaling

import (
	"fmt"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
)

// Default sizes: the network of the MNIST block.
const (
	usualBatch   = 128
	usualWidth   = 128
	usualClasses = 10
)

// each runs a benchmark for each size, or with -short for the first two.
func each(b *testing.B, name string, sizes []int, measure func(b *testing.B, size int)) {
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, size := range sizes {
		b.Run(fmt.Sprintf("%s=%d", name, size), func(b *testing.B) { measure(b, size) })
	}
}

func BenchmarkStepByBatch(b *testing.B) {
	each(b, "batch", []int{32, 64, 128, 256, 512, 1024, 2048, 4096}, func(b *testing.B, batch int) {
		step(b, mlp{batch, usualWidth, usualClasses, crossEntropy()})
	})
}

func BenchmarkStepByWidth(b *testing.B) {
	each(b, "width", []int{64, 128, 256, 512, 1024, 2048, 4096}, func(b *testing.B, width int) {
		step(b, mlp{usualBatch, width, usualClasses, crossEntropy()})
	})
}

var classes = []int{2, 10, 32, 100, 320, 1000, 2000, 5000, 10000}

// Cross-entropy, and losses with a dense T or its inverse.
var corrections = []struct {
	name string
	make func(*correction.Matrix, losses.Options) (losses.Loss, error)
}{
	{"cross-entropy", nil},
	{"forward", func(t *correction.Matrix, o losses.Options) (losses.Loss, error) {
		return losses.NewForward(t, o), nil
	}},
	{"backward", losses.NewBackward},
}

func BenchmarkStepByClasses(b *testing.B) {
	for _, l := range corrections {
		each(b, "loss="+l.name+"/classes", classes, func(b *testing.B, c int) {
			m := mlp{usualBatch, usualWidth, c, crossEntropy()}
			if l.make != nil {
				t := expect.Got(correction.Symmetric(correctiontest.Names(c), .2))(b)
				m.loss = expect.Got(l.make(t, losses.Options{}))(b)
			}
			step(b, m)
		})
	}
}

// A run makes a loss from T once.
func BenchmarkLossOfT(b *testing.B) {
	for _, l := range corrections[1:] {
		each(b, "loss="+l.name+"/classes", classes, func(b *testing.B, c int) {
			torch.SetThreads(1)
			t := expect.Got(correction.Symmetric(correctiontest.Names(c), .2))(b)
			for b.Loop() {
				torch.Scope(func() {
					before := torch.DeviceMemory(torch.CPU).Allocated
					if _, err := l.make(t, losses.Options{}); err != nil {
						b.Fatal(err)
					}
					held(b, before)
				})
			}
		})
	}
}

// step measures training steps, and libtorch's memory after them.
func step(b *testing.B, m mlp) {
	torch.SetThreads(1)
	torch.Scope(func() {
		before := torch.DeviceMemory(torch.CPU).Allocated
		steps := m.steps(b)
		steps(2) // warms up
		b.ResetTimer()
		steps(b.N)
		b.StopTimer()
		held(b, before)
	})
}

func crossEntropy() losses.Loss { return losses.NewCrossEntropy(losses.Options{}) }

// held reports the memory taken by libtorch, if the C library counts it.
func held(b *testing.B, before int64) {
	if now := torch.DeviceMemory(torch.CPU).Allocated; now > before {
		b.ReportMetric(float64(now-before)/(1<<20), "held-MiB")
	}
}
