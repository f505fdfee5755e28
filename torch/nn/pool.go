package nn

import "github.com/losscorr/losscorr/torch"

// MaxPool2d takes the maximum in windows of Kernel by Kernel. The zero Stride is
// Kernel.
type MaxPool2d struct {
	plain
	Kernel, Stride, Padding int
}

// Forward pools images [N C H W].
func (p MaxPool2d) Forward(x torch.Tensor, _ Mode) torch.Tensor {
	return x.MaxPool2d(p.Kernel, torch.Window{Stride: p.Stride, Padding: p.Padding})
}

// AdaptiveAvgPool2d averages each channel of an image to one pixel, which is global average
// pooling.
type AdaptiveAvgPool2d struct{ plain }

// Forward pools images [N C H W].
func (AdaptiveAvgPool2d) Forward(x torch.Tensor, _ Mode) torch.Tensor {
	return x.AdaptiveAvgPool2d(1, 1)
}

// Flatten joins all dimensions but the first: [N ..] to [N M].
type Flatten struct{ plain }

// Forward flattens x.
func (Flatten) Forward(x torch.Tensor, _ Mode) torch.Tensor { return x.Flatten(1, -1) }

// ChannelsLast lays images out with channels innermost, the fastest layout for convolutions, pooling and batch norms.
// Following layers keep it. Shape and values stay.
type ChannelsLast struct{ plain }

// Forward copies images [N C H W] that have another layout.
func (ChannelsLast) Forward(x torch.Tensor, _ Mode) torch.Tensor { return x.ChannelsLast() }
