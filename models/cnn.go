package models

import (
	"cmp"
	"fmt"

	"github.com/losscorr/losscorr/torch/nn"
)

var cnnEntry = Entry{
	Name: "cnn", Title: "small convolutional", Input: Images,
	New: func(s Settings, init nn.Init) (nn.Module, error) { return CNN{Classes: s.Classes}.New(init) },
}

// CNN is a network for small images on a CPU: three 3x3 convolutions with stride 2 to 32, 64 and 128 channels, each
// with batch norm and ReLU, then the average over the image and one dense layer. For 32 x 32 images it needs a fifth
// of ResNet-8's multiplications.
type CNN struct {
	Channels int // of the images; 0 is 3
	Classes  int
}

// New returns the network with drawn weights. It maps x [N Channels H W] to logits
// [N Classes]. It is an error if init names an unknown scheme.
func (m CNN) New(init nn.Init) (nn.Module, error) {
	if err := init.Check(); err != nil {
		return nil, err
	}
	layers := []nn.Module{nn.ChannelsLast{}}
	in := cmp.Or(m.Channels, 3)
	for i, out := range []int{32, 64, 128} {
		layers = append(layers,
			nn.Named(fmt.Sprintf("conv%d", i+1), nn.NewConv2d(nn.Conv2d{In: in, Out: out, Kernel: 3, Stride: 2, Padding: 1,
				NoBias: true}, init)),
			nn.Named(fmt.Sprintf("bn%d", i+1), nn.NewBatchNorm2d(nn.BatchNorm{Features: out}, init)),
			nn.Named(fmt.Sprintf("relu%d", i+1), nn.ReLU{}))
		in = out
	}
	return nn.NewSequential(append(layers,
		nn.AdaptiveAvgPool2d{}, nn.Flatten{},
		nn.Named("fc", nn.NewLinear(nn.Linear{In: in, Out: m.Classes}, init.Last())),
	)...), nil
}
