package doctor

import (
	"math"

	"github.com/losscorr/losscorr/torch"
)

// operations checks the operations of the paper's networks and losses, in their shapes,
// with gradients.
func operations() []check {
	const tight, sums = 1e-5, 1e-4 // element by element; over many elements
	onImages := func(name string, allowed float64, f func(x torch.Tensor) torch.Tensor) check {
		return operation(name, allowed, func(x ...torch.Tensor) torch.Tensor {
			return f(x[0])
		}, func(d draws) []torch.Tensor {
			return []torch.Tensor{d.normal(8, 16, 16, 16)}
		})
	}
	onRows := func(name string, allowed float64, f func(x torch.Tensor) torch.Tensor) check {
		return operation(name, allowed, func(x ...torch.Tensor) torch.Tensor {
			return f(x[0])
		}, func(d draws) []torch.Tensor {
			return []torch.Tensor{d.normal(128, 10)}
		})
	}
	convolution := func(name string, out, kernel int, w torch.Window) check {
		return operation(name, sums, func(x ...torch.Tensor) torch.Tensor {
			return x[0].Conv2d(x[1], x[2], w)
		}, func(d draws) []torch.Tensor {
			return []torch.Tensor{d.normal(8, 16, 16, 16), d.normal(out, 16, kernel, kernel), d.normal(out)}
		})
	}
	norm := func(name string, training bool, f func(x, weight, bias, mean, variance torch.Tensor, training bool, momentum,
		eps float64) torch.Tensor) check {
		return operation(name, sums, func(x ...torch.Tensor) torch.Tensor {
			o := x[0].Options()
			mean, variance := torch.Full(.25, o, 16), torch.Full(2, o, 16)
			y := f(x[0].ChannelsLast(), x[1], x[2], mean, variance, training, .01, 1e-3)
			return torch.Cat(0, y.Flatten(0, -1), mean, variance)
		}, func(d draws) []torch.Tensor {
			return []torch.Tensor{d.normal(8, 16, 16, 16), d.normal(16), d.normal(16)}
		})
	}
	return []check{
		operation("matrix product", sums, func(x ...torch.Tensor) torch.Tensor {
			return x[0].Mm(x[1])
		}, func(d draws) []torch.Tensor {
			return []torch.Tensor{d.normal(128, 784), d.normal(784, 128)}
		}),
		operation("linear", sums, func(x ...torch.Tensor) torch.Tensor {
			return x[0].Linear(x[1], x[2])
		}, func(d draws) []torch.Tensor {
			return []torch.Tensor{d.normal(128, 784), d.normal(128, 784), d.normal(128)}
		}),
		operation("linear, sparse input", sums, func(x ...torch.Tensor) torch.Tensor {
			return x[0].Detach().ReLU().Linear(x[1], x[2]).Add(x[0].Sum().MulScalar(0))
		}, func(d draws) []torch.Tensor {
			return []torch.Tensor{d.normal(128, 784).AddScalar(-1), d.normal(128, 784), d.normal(128)}
		}),
		convolution("convolution 3x3", 32, 3, torch.Window{Padding: 1}),
		convolution("convolution 3x3, stride 2", 32, 3, torch.Window{Stride: 2, Padding: 1}),
		convolution("convolution 1x1, stride 2", 32, 1, torch.Window{Stride: 2}),
		convolution("convolution 7x7, stride 2", 8, 7, torch.Window{Stride: 2, Padding: 3}),
		norm("batch norm, training", true, torch.Tensor.BatchNorm),
		norm("batch norm, evaluation", false, torch.Tensor.BatchNorm),
		norm("batch norm and ReLU, training", true, torch.Tensor.BatchNormReLU),
		norm("batch norm and ReLU, evaluation", false, torch.Tensor.BatchNormReLU),
		onImages("ReLU", 0, torch.Tensor.ReLU),
		onImages("max pooling", tight, func(x torch.Tensor) torch.Tensor {
			return x.MaxPool2d(3, torch.Window{Stride: 2, Padding: 1})
		}),
		onImages("average pooling", tight, func(x torch.Tensor) torch.Tensor { return x.AdaptiveAvgPool2d(1, 1) }),
		onImages("padding and narrowing", 0, func(x torch.Tensor) torch.Tensor {
			return x.Pad(0, 4, 4, 4, 4).Narrow(2, 3, 16).Narrow(3, 5, 16)
		}),
		onRows("log softmax", tight, func(x torch.Tensor) torch.Tensor { return x.LogSoftmax(1) }),
		onRows("softmax", sums, func(x torch.Tensor) torch.Tensor { return x.Softmax(1) }),
		onRows("log of a sum of exponentials", tight, func(x torch.Tensor) torch.Tensor { return x.LogSumExp(1) }),
		onRows("sigmoid", tight, torch.Tensor.Sigmoid),
		onRows("exponential and logarithm", tight, func(x torch.Tensor) torch.Tensor { return x.Exp().AddScalar(1).Log() }),
		onRows("mean and sum", tight, func(x torch.Tensor) torch.Tensor { return x.SumKeep(1).Mul(x.Mean()) }),
		operation("gather", 0, func(x ...torch.Tensor) torch.Tensor {
			return x[0].Gather(1, x[1])
		}, func(d draws) []torch.Tensor {
			return []torch.Tensor{d.normal(128, 10), d.integers(10, 128, 1)}
		}),
		operation("rows by index", tight, func(x ...torch.Tensor) torch.Tensor {
			return x[0].IndexSelect(0, x[1])
		}, func(d draws) []torch.Tensor {
			return []torch.Tensor{d.normal(50, 10), d.integers(50, 128)}
		}),
		operation("embedding", tight, func(x ...torch.Tensor) torch.Tensor {
			return torch.Embedding(x[0], x[1])
		}, func(d draws) []torch.Tensor {
			return []torch.Tensor{d.normal(200, 32), d.integers(200, 16, 40)}
		}),
		operation("embedding and linear", sums, func(x ...torch.Tensor) torch.Tensor {
			return torch.EmbeddingLinear(x[0], x[1], x[2], x[3], 0, nil)
		}, func(d draws) []torch.Tensor {
			return []torch.Tensor{d.normal(200, 32), d.integers(200, 16, 40), d.normal(2, 40*32), d.normal(2)}
		}),
		operation("LSTM", sums, func(x ...torch.Tensor) torch.Tensor {
			zeros := torch.Zeros(x[0].Options(), 1, 16, 24)
			out, _, _ := x[0].LSTM(zeros, zeros, x[1:])
			return out
		}, func(d draws) []torch.Tensor {
			small := func(shape ...int) torch.Tensor { return d.normal(shape...).MulScalar(.3) }
			return []torch.Tensor{d.normal(16, 20, 12), small(96, 12), small(96, 24), small(96), small(96)}
		}),
		operation("embedding and LSTM", sums, func(x ...torch.Tensor) torch.Tensor {
			return torch.EmbeddingLSTM(x[0], x[1], x[2:], 0, nil)
		}, func(d draws) []torch.Tensor {
			small := func(shape ...int) torch.Tensor { return d.normal(shape...).MulScalar(.3) }
			return []torch.Tensor{d.normal(60, 12), d.integers(60, 16, 20), small(96, 12), small(96, 24), small(96), small(96)}
		}),
		operation("cross-entropy", tight, func(x ...torch.Tensor) torch.Tensor {
			return x[0].CrossEntropy(x[1])
		}, func(d draws) []torch.Tensor {
			return []torch.Tensor{d.normal(128, 10), d.integers(10, 128)}
		}),
		{"argmax and sorting", 0, func(m *machine) (float64, error) {
			x := newDraws().normal(128, 10)
			there := x.ToDevice(m.Device)
			sorted, order := x.Sort(1, true)
			sortedThere, orderThere := there.Sort(1, true)
			return worst([][]float64{values(there.Argmax(1)), values(sortedThere), values(orderThere)},
				[][]float64{values(x.Argmax(1)), values(sorted), values(order)})
		}},
		{"draws", 6, func(m *machine) (float64, error) { // standard deviations of the share of ones
			const n, p = 100_000, .3
			draws := torch.NewGenerator(1, m.Device).Bernoulli(p, torch.Options{Device: m.Device}, n)
			return math.Abs(draws.Mean().Item()-p) / math.Sqrt(p*(1-p)/n), nil
		}},
		{"inverse and condition", sums, func(m *machine) (float64, error) {
			return m.againstCPU(func(x ...torch.Tensor) torch.Tensor {
				return x[0].Add(torch.Eye(10, x[0].Options()).MulScalar(8)).Inverse()
			}, newDraws().normal(10, 10))
		}},
	}
}

// operation returns a check of f on the drawn inputs.
func operation(name string, allowed float64, f function, inputs func(d draws) []torch.Tensor) check {
	return check{name, allowed, func(m *machine) (float64, error) { return m.againstCPU(f, inputs(newDraws())...) }}
}
