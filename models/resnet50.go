package models

import (
	"fmt"

	"github.com/losscorr/losscorr/torch/nn"
)

var resnet50Entry = Entry{
	Name: "resnet50", Title: "ResNet-50", Input: Images, Side: 224,
	New:      func(s Settings, init nn.Init) (nn.Module, error) { return ResNet50{Classes: s.Classes}.New(init) },
	Features: func(init nn.Init) (nn.Module, error) { return ResNet50{}.Features(init) },
}

// ResNet50 is the network of Section 5 for Clothing1M (He et al., "Deep Residual Learning for Image Recognition",
// 2016, https://arxiv.org/abs/1512.03385), in torchvision's form: bottlenecks of a 1x1, a 3x3 and a 1x1 convolution,
// each with a batch norm, with the stride in the 3x3 convolution. Its parameters have the names, shapes and order of
// torchvision.models.resnet50, so that LoadWeights accepts its ImageNet weights. With 1000 classes it has 25,557,032
// parameters.
type ResNet50 struct {
	Classes int
}

// New returns the network with drawn weights. It maps x [N 3 224 224] to logits [N Classes]; heights and widths may
// be any from 32 on. It is an error if init names an unknown scheme.
func (r ResNet50) New(init nn.Init) (nn.Module, error) {
	if err := init.Check(); err != nil {
		return nil, err
	}
	return nn.NewSequential(append(r.layers(init),
		nn.Named("fc", nn.NewLinear(nn.Linear{In: resNet50Width, Out: r.Classes}, init.Last())))...), nil
}

// Features returns the network without its last layer, which maps x [N 3 224 224] to
// features [N 2048]. It is an error if init names an unknown scheme.
func (r ResNet50) Features(init nn.Init) (nn.Module, error) {
	if err := init.Check(); err != nil {
		return nil, err
	}
	return nn.NewSequential(r.layers(init)...), nil
}

// resNet50Width is the number of features before the last layer.
const resNet50Width = 2048

// layers returns all layers but the last.
func (r ResNet50) layers(init nn.Init) []nn.Module {
	layers := []nn.Module{
		nn.ChannelsLast{},
		nn.Named("conv1", nn.NewConv2d(nn.Conv2d{In: 3, Out: 64, Kernel: 7, Stride: 2, Padding: 3, NoBias: true}, init)),
		nn.Named("bn1", nn.NewBatchNorm2d(nn.BatchNorm{Features: 64}, init)), nn.Named("relu", nn.ReLU{}),
		nn.Named("maxpool", nn.MaxPool2d{Kernel: 3, Stride: 2, Padding: 1}),
	}
	in := 64
	for stage, blocks := range []int{3, 4, 6, 3} {
		width, stride := 64<<stage, 2
		if stage == 0 {
			stride = 1 // the pooling has already halved the image
		}
		var bottlenecks []nn.Module
		for i := range blocks {
			bottlenecks = append(bottlenecks,
				nn.Named(fmt.Sprint(i), bottleneck(in, width, stride, init)),
				nn.Named(fmt.Sprintf("%d.relu", i), nn.ReLU{}))
			in, stride = expansion*width, 1
		}
		layers = append(layers, nn.Named(fmt.Sprintf("layer%d", stage+1), nn.NewSequential(bottlenecks...)))
	}
	return append(layers, nn.AdaptiveAvgPool2d{}, nn.Flatten{})
}

// expansion is the ratio of a bottleneck's output channels to its inner channels.
const expansion = 4

// bottleneck is a block without the following ReLU.
func bottleneck(in, width, stride int, init nn.Init) *residual {
	conv := func(in, out, kernel, stride int) *nn.Conv2d {
		return nn.NewConv2d(nn.Conv2d{In: in, Out: out, Kernel: kernel, Stride: stride, Padding: kernel / 2, NoBias: true},
			init)
	}
	norm := func(features int) *nn.BatchNorm { return nn.NewBatchNorm2d(nn.BatchNorm{Features: features}, init) }
	out := expansion * width
	block := &residual{
		body: nn.NewSequential(
			nn.Named("conv1", conv(in, width, 1, 1)), nn.Named("bn1", norm(width)), nn.Named("relu1", nn.ReLU{}),
			nn.Named("conv2", conv(width, width, 3, stride)), nn.Named("bn2", norm(width)), nn.Named("relu2", nn.ReLU{}),
			nn.Named("conv3", conv(width, out, 1, 1)), nn.Named("bn3", norm(out)),
		),
		name: "downsample",
	}
	if in != out || stride != 1 {
		block.shortcut = nn.NewSequential(conv(in, out, 1, stride), norm(out))
	}
	return block
}
