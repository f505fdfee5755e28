package doctor

import (
	"math"

	"github.com/losscorr/losscorr/torch"
)

type tensor = torch.Tensor

// operations checks the operations of the paper's networks and losses that have kernels of their own, in their shapes,
// with gradients.
func operations() []check {
	const tight, sums = 1e-5, 1e-4 // element by element; over many elements
	images, rows, words := []int{8, 16, 16, 16}, []int{128, 10}, []int{200, 32}
	window := func(w torch.Window) function { return func(x ...tensor) tensor { return x[0].Conv2d(x[1], x[2], w) } }
	norm := func(training bool) function {
		return func(x ...tensor) tensor {
			mean, variance := torch.Full(.25, x[0].Options(), 16), torch.Full(2, x[0].Options(), 16)
			y := x[0].ChannelsLast().BatchNormReLU(x[1], x[2], mean, variance, training, .01, 1e-3)
			return torch.Cat(0, y.Flatten(0, -1), mean, variance)
		}
	}
	ids := func(below int, shape ...int) tensor { return newDraws().integers(below, shape...) }
	return []check{
		operation("matrix product", sums, func(x ...tensor) tensor { return x[0].Mm(x[1]) }, []int{128, 784},
			[]int{784, 128}),
		operation("linear, sparse input", sums, func(x ...tensor) tensor {
			return x[0].Detach().AddScalar(-1).ReLU().Linear(x[1], x[2]).Add(x[0].Sum().MulScalar(0))
		}, []int{128, 784}, []int{128, 784}, []int{128}),
		operation("convolution 3x3", sums, window(torch.Window{Padding: 1}), images, []int{32, 16, 3, 3}, []int{32}),
		operation("convolution 1x1, stride 2", sums, window(torch.Window{Stride: 2}), images, []int{32, 16, 1, 1}, []int{32}),
		operation("convolution 7x7, stride 2", sums, window(torch.Window{Stride: 2, Padding: 3}), images, []int{8, 16, 7, 7},
			[]int{8}),
		operation("batch norm and ReLU, training", sums, norm(true), images, []int{16}, []int{16}),
		operation("batch norm and ReLU, evaluation", sums, norm(false), images, []int{16}, []int{16}),
		operation("pooling", tight, func(x ...tensor) tensor {
			return x[0].MaxPool2d(3, torch.Window{Stride: 2, Padding: 1}).AdaptiveAvgPool2d(1, 1)
		}, images),
		operation("softmax", sums, func(x ...tensor) tensor { return x[0].Softmax(1) }, rows),
		operation("log of a sum of exponentials", tight, func(x ...tensor) tensor { return x[0].LogSumExp(1) }, rows),
		operation("cross-entropy", tight, func(x ...tensor) tensor {
			return x[0].CrossEntropy(ids(10, 128).ToDevice(x[0].Device()))
		}, rows),
		operation("rows by index", tight, func(x ...tensor) tensor {
			return x[0].IndexSelect(0, ids(50, 128).ToDevice(x[0].Device()))
		}, []int{50, 10}),
		operation("embedding and linear", sums, func(x ...tensor) tensor {
			return torch.EmbeddingLinear(x[0], ids(200, 16, 40).ToDevice(x[0].Device()), x[1], x[2], 0, nil)
		}, words, []int{2, 40 * 32}, []int{2}),
		operation("embedding and LSTM", sums, func(x ...tensor) tensor {
			for i := range x {
				x[i] = x[i].MulScalar(.3)
			}
			return torch.EmbeddingLSTM(x[0], ids(200, 16, 20).ToDevice(x[0].Device()), x[1:], 0, nil)
		}, words, []int{96, 32}, []int{96, 24}, []int{96}, []int{96}),
		operation("inverse", sums, func(x ...tensor) tensor {
			return x[0].Add(torch.Eye(10, x[0].Options()).MulScalar(8)).Inverse()
		}, []int{10, 10}),
		{"sorting", 0, func(device torch.Device) (float64, error) {
			x := newDraws().normal(rows...)
			return against(device, func(o torch.Options) ([][]float64, error) {
				sorted, order := x.ToDevice(o.Device).Sort(1, true)
				return [][]float64{values(sorted), values(order), values(x.ToDevice(o.Device).Argmax(1))}, nil
			})
		}},
		{"draws", 6, func(device torch.Device) (float64, error) { // standard deviations of the share of ones
			const n, p = 100_000, .3
			draws := torch.NewGenerator(1, device).Bernoulli(p, torch.Options{Device: device}, n)
			return math.Abs(draws.Mean().Item()-p) / math.Sqrt(p*(1-p)/n), nil
		}},
	}
}

// operation returns a check of f on normal draws of the given shapes.
func operation(name string, allowed float64, f function, shapes ...[]int) check {
	return check{name, allowed, func(device torch.Device) (float64, error) {
		d, inputs := newDraws(), make([]tensor, len(shapes))
		for i, shape := range shapes {
			inputs[i] = d.normal(shape...)
		}
		return against(device, func(o torch.Options) ([][]float64, error) { return outcome(f, inputs, o) })
	}}
}
