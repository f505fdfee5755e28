package nn

import "github.com/losscorr/losscorr/torch"

// LayerNorm normalises each example over its last dimension, or dimensions (Ba et
// al., 2016), in training and evaluation alike:
//
//	y = (x - mean) / sqrt(variance + Eps) Weight + Bias    x [.. Features]
type LayerNorm struct {
	Features int     // the last dimension's size
	Shape    []int   // the last dimensions' sizes, in place of Features
	Eps      float64 // 0 is 1e-5
	NoAffine bool    // neither Weight nor Bias

	Weight, Bias torch.Tensor // [Features] or Shape, from 1 and 0
}

// NewLayerNorm makes the layer's parameters. Panics unless either Features or
// Shape is set.
func NewLayerNorm(l LayerNorm, init Init) *LayerNorm {
	if (l.Features == 0) == (len(l.Shape) == 0) {
		panic(&torch.Error{Op: "layer_norm", Kind: torch.Value, Msg: "set either Features or Shape"})
	}
	if len(l.Shape) == 0 {
		l.Shape = []int{l.Features}
	}
	if l.Eps == 0 {
		l.Eps = 1e-5
	}
	if !l.NoAffine {
		l.Weight, l.Bias = init.scaleAndShift(l.Shape...)
	}
	return &l
}

// Forward computes y.
func (l *LayerNorm) Forward(x torch.Tensor, _ Mode) torch.Tensor {
	return x.LayerNorm(l.Shape, l.Weight, l.Bias, l.Eps)
}

// Parameters lists weight and bias.
func (l *LayerNorm) Parameters() []Parameter { return scaleAndShift(l.Weight, l.Bias) }

// GroupNorm normalises each example over groups of neighbouring channels and all
// pixels or steps (Wu and He, 2018), in training and evaluation alike. One group is
// layer normalisation over channels and pixels, Features groups are instance
// normalisation.
type GroupNorm struct {
	Groups, Features int     // channels; Groups divides Features
	Eps              float64 // 0 is 1e-5
	NoAffine         bool    // neither Weight nor Bias

	Weight, Bias torch.Tensor // [Features], from 1 and 0
}

// NewGroupNorm makes the layer's parameters for inputs [N Features ..]. Panics if
// Groups does not divide Features.
func NewGroupNorm(g GroupNorm, init Init) *GroupNorm {
	if g.Groups <= 0 || g.Features%g.Groups != 0 {
		panic(&torch.Error{Op: "group_norm", Kind: torch.Value, Msg: "Groups must divide Features"})
	}
	if g.Eps == 0 {
		g.Eps = 1e-5
	}
	if !g.NoAffine {
		g.Weight, g.Bias = init.scaleAndShift(g.Features)
	}
	return &g
}

// Forward normalises x.
func (g *GroupNorm) Forward(x torch.Tensor, _ Mode) torch.Tensor {
	return x.GroupNorm(g.Groups, g.Weight, g.Bias, g.Eps)
}

// Parameters lists weight and bias.
func (g *GroupNorm) Parameters() []Parameter { return scaleAndShift(g.Weight, g.Bias) }

func (i Init) scaleAndShift(shape ...int) (scale, shift torch.Tensor) {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return i.parameter(ones(n), shape...), i.parameter(make([]float64, n), shape...)
}

func scaleAndShift(scale, shift torch.Tensor) []Parameter {
	if !scale.Defined() {
		return nil
	}
	return []Parameter{{"weight", scale, Norm}, {"bias", shift, Norm}}
}
