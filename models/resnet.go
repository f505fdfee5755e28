package models

import (
	"cmp"
	"fmt"

	"github.com/losscorr/losscorr/torch/nn"
)

func resnetEntry(depth int) Entry {
	return Entry{
		Name: fmt.Sprintf("resnet%d", depth), Title: fmt.Sprintf("ResNet-%d", depth), Input: Images, Together: 6,
		New: func(s Settings, init nn.Init) (nn.Module, error) {
			return ResNet{Depth: depth, Classes: s.Classes}.New(init)
		},
	}
}

// ResNet is the network of Section 5 for CIFAR: residual blocks with batch norm and
// ReLU before each convolution (He et al., "Identity Mappings in Deep Residual
// Networks", 2016, https://arxiv.org/abs/1603.05027), as in the code published with
// the paper:
//
//	3x3 convolution to 16 channels, batch norm, ReLU
//	n blocks of 16 channels       32x32
//	n blocks of 32 channels       16x16, the first with stride 2
//	n blocks of 64 channels       8x8, the first with stride 2
//	batch norm, ReLU, average over the image, dense
//
// with Depth = 6n + 2: 14 and 32 for CIFAR-10, 44 for CIFAR-100. A block is batch norm, ReLU and 3x3 convolution,
// twice; the first block does not start with batch norm and ReLU, because the stem ends with them. If the number of
// channels changes, the shortcut is a 1x1 convolution with stride 2. Batch norm has Keras's defaults, epsilon 1e-3
// and momentum .01 per step for its running moments.
//
// The published code's convolutions have biases, Keras's default. They have no effect: a constant added to a channel,
// even by a shortcut, only reaches batch norms, which subtract it again, so the gradient of each bias is 0 up to
// rounding (1e-7 against .06 for the weights, in float32). They take 4 to 7 % of a step of ResNet-14 and are left out
// here.
//
// Keras pads a convolution with stride 2 only on the right and at the bottom; this network pads on all sides, like
// PyTorch.
type ResNet struct {
	Depth    int // 6n + 2
	Channels int // of the images; 0 is 3
	Classes  int
}

// New returns the network with drawn weights. It maps x [N Channels 32 32] to logits
// [N Classes]. It is an error if Depth is not 6n + 2 or init names
// an unknown scheme.
func (r ResNet) New(init nn.Init) (nn.Module, error) {
	if err := init.Check(); err != nil {
		return nil, err
	}
	n := (r.Depth - 2) / 6
	if n < 1 || r.Depth != 6*n+2 {
		return nil, fmt.Errorf("resnet: depth %d is not 6n + 2: choose 8, 14, 20, 26, 32, 38, 44 and so on", r.Depth)
	}
	const stem = 16
	layers := []nn.Module{
		nn.ChannelsLast{},
		nn.Named("conv1", r.conv(cmp.Or(r.Channels, 3), stem, 3, 1, init)),
		nn.Named("bn1", kerasNorm(stem, init)), nn.Named("relu1", nn.ReLU{}),
	}
	in := stem
	for stage, out := range []int{stem, 2 * stem, 4 * stem} {
		var blocks []nn.Module
		for range n {
			blocks = append(blocks, r.block(in, out, stage == 0 && len(blocks) == 0, init))
			in = out
		}
		layers = append(layers, nn.Named(fmt.Sprintf("layer%d", stage+1), nn.NewSequential(blocks...)))
	}
	return nn.NewSequential(append(layers,
		nn.Named("bn2", kerasNorm(in, init)), nn.Named("relu2", nn.ReLU{}),
		nn.AdaptiveAvgPool2d{}, nn.Flatten{},
		nn.Named("fc", nn.NewLinear(nn.Linear{In: in, Out: r.Classes}, init.Last())),
	)...), nil
}

func (r ResNet) block(in, out int, first bool, init nn.Init) *residual {
	stride := out / in // when channels double, height and width halve
	var layers []nn.Module
	if !first {
		layers = append(layers, nn.Named("bn1", kerasNorm(in, init)), nn.Named("relu1", nn.ReLU{}))
	}
	layers = append(layers,
		nn.Named("conv1", r.conv(in, out, 3, stride, init)),
		nn.Named("bn2", kerasNorm(out, init)), nn.Named("relu2", nn.ReLU{}),
		nn.Named("conv2", r.conv(out, out, 3, 1, init)))
	block := &residual{body: nn.NewSequential(layers...), name: "shortcut"}
	if in != out {
		block.shortcut = r.conv(in, out, 1, stride, init)
	}
	return block
}

// conv returns a convolution that keeps the size of the image, divided by the stride.
func (r ResNet) conv(in, out, kernel, stride int, init nn.Init) *nn.Conv2d {
	return nn.NewConv2d(nn.Conv2d{In: in, Out: out, Kernel: kernel, Stride: stride, Padding: kernel / 2, NoBias: true},
		init)
}

func kerasNorm(features int, init nn.Init) *nn.BatchNorm {
	return nn.NewBatchNorm2d(nn.BatchNorm{Features: features, Momentum: .01, Eps: 1e-3}, init)
}
