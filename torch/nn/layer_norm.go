package nn

import (
	"cmp"

	"github.com/losscorr/losscorr/torch"
)

// LayerNorm normalises each example over its last dimension (Ba et al., 2016), in training and evaluation alike:
//
//	y = (x - mean) / sqrt(variance + Eps) Weight + Bias    x [.. Features]
type LayerNorm struct {
	Features int     // the last dimension's size
	Eps      float64 // 0 is 1e-5

	Weight, Bias torch.Tensor // [Features], from 1 and 0
}

// NewLayerNorm makes the layer's parameters.
func NewLayerNorm(l LayerNorm, init Init) *LayerNorm {
	l.Eps = cmp.Or(l.Eps, 1e-5)
	l.Weight, l.Bias = init.scaleAndShift(l.Features)
	return &l
}

// Forward computes y.
func (l *LayerNorm) Forward(x torch.Tensor, _ Mode) torch.Tensor {
	return x.LayerNorm([]int{l.Features}, l.Weight, l.Bias, l.Eps)
}

// Parameters lists weight and bias.
func (l *LayerNorm) Parameters() []Parameter {
	return []Parameter{{"weight", l.Weight, Norm}, {"bias", l.Bias, Norm}}
}
