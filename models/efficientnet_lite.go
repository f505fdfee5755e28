package models

import (
	"fmt"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// EfficientNetLite2 is the network of Tan and Le, "EfficientNet: Rethinking Model Scaling for Convolutional Neural
// Networks" (2019, https://arxiv.org/abs/1905.11946), in the variant for small devices: ReLU6 in place of swish, no
// squeeze and excitation, and a stem and a head of fixed width. Its parameters have the names and shapes of the
// package efficientnet-lite-pytorch. Padding is TensorFlow's: if a convolution of stride 2 needs an odd number of
// rows, the larger part is below and to the right.
//
// It maps images x [N 3 H W] of values in [-1, 1], (pixel - 127.5) / 127.5, to features [N 1280].
type EfficientNetLite2 struct{}

// liteStages are the stages: number of blocks, kernel, stride of the first block, ratio of inner to input channels,
// and output channels.
var liteStages = []struct{ blocks, kernel, stride, expand, out int }{
	{1, 3, 1, 1, 16}, {3, 3, 2, 6, 24}, {3, 5, 2, 6, 48}, {4, 3, 2, 6, 88}, {4, 5, 1, 6, 120}, {5, 5, 2, 6, 208},
	{1, 3, 1, 6, 352},
}

// Features returns the network without its last layer.
func (EfficientNetLite2) Features(init nn.Init) (nn.Module, error) {
	if err := init.Check(); err != nil {
		return nil, err
	}
	const stem, head = 32, 1280
	layers := []nn.Module{nn.ChannelsLast{}}
	layers = append(layers, liteConv("_conv_stem", "_bn0", nn.Conv2d{In: 3, Out: stem, Kernel: 3, Stride: 2}, true,
		init)...)
	in, number := stem, 0
	for _, s := range liteStages {
		for k := range s.blocks {
			stride := 1
			if k == 0 {
				stride = s.stride
			}
			layers = append(layers, nn.Named(fmt.Sprintf("_blocks.%d", number), liteBlock(in, s.out, s.kernel, stride, s.expand,
				init)))
			in = s.out
			number++
		}
	}
	layers = append(layers, liteConv("_conv_head", "_bn1", nn.Conv2d{In: in, Out: head, Kernel: 1}, true, init)...)
	return nn.NewSequential(append(layers, nn.AdaptiveAvgPool2d{}, nn.Flatten{})...), nil
}

// liteBlock is an inverted residual: a wider layer, one kernel per channel, and a narrow output, plus the input if it
// has the same shape.
func liteBlock(in, out, kernel, stride, expand int, init nn.Init) nn.Module {
	wide := expand * in
	var layers []nn.Module
	if expand > 1 {
		layers = liteConv("_expand_conv", "_bn0", nn.Conv2d{In: in, Out: wide, Kernel: 1}, true, init)
	}
	layers = append(layers, liteConv("_depthwise_conv", "_bn1", nn.Conv2d{In: wide, Out: wide, Kernel: kernel,
		Stride: stride, Groups: wide}, true, init)...)
	layers = append(layers, liteConv("_project_conv", "_bn2", nn.Conv2d{In: wide, Out: out, Kernel: 1}, false, init)...)
	body := nn.NewSequential(layers...)
	if stride != 1 || in != out {
		return body
	}
	return &residual{body: body}
}

// liteConv is a convolution with batch norm and, if relu is set, ReLU6.
func liteConv(name, norm string, c nn.Conv2d, relu bool, init nn.Init) []nn.Module {
	c.NoBias = true
	layers := []nn.Module{
		nn.Named(name, &samePadding{nn.NewConv2d(c, init)}),
		nn.Named(norm, nn.NewBatchNorm2d(nn.BatchNorm{Features: c.Out, Eps: 1e-3, Momentum: .01}, init)),
	}
	if relu {
		layers = append(layers, nn.Named(name+".relu", relu6{}))
	}
	return layers
}

// samePadding is a convolution with an output of the input size divided by the stride, rounded up.
type samePadding struct{ *nn.Conv2d }

// Forward pads the input if necessary.
func (c *samePadding) Forward(x torch.Tensor, mode nn.Mode) torch.Tensor {
	stride := max(c.Stride, 1)
	top, bottom := padding(x.Size(2), c.Kernel, stride)
	left, right := padding(x.Size(3), c.Kernel, stride)
	if top == bottom && left == right && top == left {
		return x.Conv2d(c.Weight, c.Bias, torch.Window{Stride: stride, Padding: top, Groups: c.Groups})
	}
	return c.Conv2d.Forward(x.Pad(0, left, right, top, bottom), mode)
}

// padding returns the number of rows to add before and after an input of this size.
func padding(size, kernel, stride int) (before, after int) {
	all := max(0, ((size+stride-1)/stride-1)*stride+kernel-size)
	return all / 2, all - all/2
}

// relu6 is min(max(x, 0), 6).
type relu6 struct{}

func (relu6) Forward(x torch.Tensor, _ nn.Mode) torch.Tensor { return x.Clamp(0, 6) }
func (relu6) Parameters() []nn.Parameter                     { return nil }
