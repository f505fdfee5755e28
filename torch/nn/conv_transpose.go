package nn

import "github.com/losscorr/losscorr/torch"

// ConvTranspose2d is the transpose of a convolution, which enlarges images by its
// Stride:
//
//	x [N In H W], y [N Out H' W']
//	H' = (H - 1) Stride - 2 Padding + Dilation (Kernel - 1) + OutputPadding + 1
//
// Zero values and the fields that end in HW are as in Conv2d. For the schemes of
// Init, fan_in is Out/Groups times the kernel's area, as in PyTorch and Keras.
type ConvTranspose2d struct {
	In, Out       int
	Kernel        int
	Stride        int
	Padding       int
	OutputPadding int
	Dilation      int
	Groups        int
	NoBias        bool

	KernelHW, StrideHW, PaddingHW, OutputPaddingHW, DilationHW [2]int

	Weight torch.Tensor // [In Out/Groups Kernel Kernel]
	Bias   torch.Tensor // [Out]
}

// NewConvTranspose2d draws the layer's parameters.
func NewConvTranspose2d(c ConvTranspose2d, init Init) *ConvTranspose2d {
	groups := max(c.Groups, 1)
	height, width := kernelSides("conv_transpose2d", c.Kernel, c.KernelHW)
	area := height * width
	fanIn, fanOut := c.Out/groups*area, c.In/groups*area
	c.Weight = init.weight(fanIn, fanOut, c.In, c.Out/groups, height, width)
	if !c.NoBias {
		c.Bias = init.bias(fanIn, c.Out)
	}
	return &c
}

// Forward computes y.
func (c *ConvTranspose2d) Forward(x torch.Tensor, _ Mode) torch.Tensor {
	return x.ConvTranspose2d(c.Weight, c.Bias, torch.Window{
		Stride: c.Stride, Padding: c.Padding, OutputPadding: c.OutputPadding, Dilation: c.Dilation, Groups: c.Groups,
		StrideHW: c.StrideHW, PaddingHW: c.PaddingHW, OutputPaddingHW: c.OutputPaddingHW, DilationHW: c.DilationHW,
	})
}

// Parameters lists weight and bias.
func (c *ConvTranspose2d) Parameters() []Parameter { return weightAndBias(c.Weight, c.Bias) }
