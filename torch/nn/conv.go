package nn

import "github.com/losscorr/losscorr/torch"

// Conv2d convolves images with kernels of Kernel by Kernel:
//
//	x [N In H W], y [N Out H' W'],  H' = (H + 2 Padding - Kernel) / Stride + 1
//
// The zero Stride and Groups are 1.
type Conv2d struct {
	In, Out int
	Kernel  int
	Stride  int
	Padding int
	Groups  int
	NoBias  bool

	Weight torch.Tensor // [Out In/Groups Kernel Kernel]
	Bias   torch.Tensor // [Out]
}

// NewConv2d draws the layer's parameters.
func NewConv2d(c Conv2d, init Init) *Conv2d {
	groups := max(c.Groups, 1)
	area := c.Kernel * c.Kernel
	fanIn, fanOut := c.In/groups*area, c.Out/groups*area
	c.Weight = init.weight(fanIn, fanOut, c.Out, c.In/groups, c.Kernel, c.Kernel)
	if !c.NoBias {
		c.Bias = init.bias(fanIn, c.Out)
	}
	if init.Device.IsCUDA() {
		c.channelsLast()
	}
	return &c
}

// channelsLast lays the weight out with channels innermost. For images in this layout, cuDNN otherwise copies the
// weight at each forward and again for its gradient. Gradients and an optimizer's state take the weight's layout;
// files and state dicts are always row-major. On the CPU the weight stays row-major, because oneDNN lays it out
// itself.
func (c *Conv2d) channelsLast() {
	weight := torch.Tidy(func() torch.Tensor { return c.Weight.Detach().ChannelsLast() })
	c.Weight.Free()
	c.Weight = weight.SetRequiresGrad(true)
}

// Forward computes y.
func (c *Conv2d) Forward(x torch.Tensor, _ Mode) torch.Tensor {
	return x.Conv2d(c.Weight, c.Bias, torch.Window{Stride: c.Stride, Padding: c.Padding, Groups: c.Groups})
}

// Parameters lists weight and bias.
func (c *Conv2d) Parameters() []Parameter { return weightAndBias(c.Weight, c.Bias) }
