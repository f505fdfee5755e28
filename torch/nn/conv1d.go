package nn

import "github.com/losscorr/losscorr/torch"

// Conv1d convolves sequences with kernels of Kernel steps:
//
//	x [N In T], y [N Out T'],  T' = (T + 2 Padding - Dilation (Kernel - 1) - 1) / Stride + 1
//
// The zero Stride, Dilation and Groups are 1.
type Conv1d struct {
	In, Out  int
	Kernel   int
	Stride   int
	Padding  int
	Dilation int
	Groups   int
	NoBias   bool

	Weight torch.Tensor // [Out In/Groups Kernel]
	Bias   torch.Tensor // [Out]
}

// NewConv1d draws the layer's parameters.
func NewConv1d(c Conv1d, init Init) *Conv1d {
	groups := max(c.Groups, 1)
	fanIn, fanOut := c.In/groups*c.Kernel, c.Out/groups*c.Kernel
	c.Weight = init.weight(fanIn, fanOut, c.Out, c.In/groups, c.Kernel)
	if !c.NoBias {
		c.Bias = init.bias(fanIn, c.Out)
	}
	return &c
}

// Forward computes y.
func (c *Conv1d) Forward(x torch.Tensor, _ Mode) torch.Tensor {
	return x.Conv1d(c.Weight, c.Bias, torch.Window{Stride: c.Stride, Padding: c.Padding, Dilation: c.Dilation, Groups: c.Groups})
}

// Parameters lists weight and bias.
func (c *Conv1d) Parameters() []Parameter { return weightAndBias(c.Weight, c.Bias) }
