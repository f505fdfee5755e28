package nn

import "github.com/losscorr/losscorr/torch"

// MaxPool2d takes the maximum in windows of Kernel by Kernel. The zero Stride is
// Kernel. For height and width that differ, set the fields that end in HW.
type MaxPool2d struct {
	plain
	Kernel, Stride, Padding       int
	KernelHW, StrideHW, PaddingHW [2]int
}

// Forward pools images [N C H W].
func (p MaxPool2d) Forward(x torch.Tensor, _ Mode) torch.Tensor {
	return x.MaxPool2d(p.Kernel, torch.Window{
		Stride: p.Stride, Padding: p.Padding, KernelHW: p.KernelHW, StrideHW: p.StrideHW, PaddingHW: p.PaddingHW,
	})
}

// AvgPool2d averages windows of Kernel by Kernel. The zero Stride is Kernel;
// padding counts as zeros. For height and width that differ, set the fields that
// end in HW.
type AvgPool2d struct {
	plain
	Kernel, Stride, Padding       int
	KernelHW, StrideHW, PaddingHW [2]int
}

// Forward pools images [N C H W].
func (p AvgPool2d) Forward(x torch.Tensor, _ Mode) torch.Tensor {
	return x.AvgPool2d(p.Kernel, torch.Window{
		Stride: p.Stride, Padding: p.Padding, KernelHW: p.KernelHW, StrideHW: p.StrideHW, PaddingHW: p.PaddingHW,
	})
}

// AdaptiveAvgPool2d averages images to Height by Width. The zero value makes 1 by
// 1, which is global average pooling.
type AdaptiveAvgPool2d struct {
	plain
	Height, Width int
}

// Forward pools images [N C H W].
func (p AdaptiveAvgPool2d) Forward(x torch.Tensor, _ Mode) torch.Tensor {
	return x.AdaptiveAvgPool2d(max(p.Height, 1), max(p.Width, 1))
}

// Flatten joins all dimensions but the first: [N ..] to [N M].
type Flatten struct{ plain }

// Forward flattens x.
func (Flatten) Forward(x torch.Tensor, _ Mode) torch.Tensor { return x.Flatten(1, -1) }

// Reshape gives each example another shape: Reshape{Shape: []int{1, 28, 28}} makes images of
// MNIST's 784 numbers. One size may be -1, which is what is left.
type Reshape struct {
	plain
	Shape []int
}

// Forward reshapes x [N ..] to [N Shape..]. Panics with *torch.Error if the elements do
// not fill the shape.
func (r Reshape) Forward(x torch.Tensor, _ Mode) torch.Tensor {
	return x.Reshape(append([]int{x.Size(0)}, r.Shape...)...)
}

// ChannelsLast lays images out with channels innermost, the layout in which
// convolutions, pooling and batch norms are fastest; those that follow keep it.
// Shape and values stay.
type ChannelsLast struct{ plain }

// Forward copies images [N C H W] that are laid out otherwise.
func (ChannelsLast) Forward(x torch.Tensor, _ Mode) torch.Tensor { return x.ChannelsLast() }
