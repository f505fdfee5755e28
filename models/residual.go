package models

import (
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// residual is a block of layers with a shortcut:
//
//	y = body(x) + shortcut(x)
//
// A nil shortcut is the identity. The body's parameters have the names of its layers; the shortcut's parameters have
// its name as prefix.
type residual struct {
	body     *nn.Sequential
	shortcut nn.Module
	name     string // of the shortcut
}

// Forward computes y.
func (r *residual) Forward(x torch.Tensor, mode nn.Mode) torch.Tensor {
	y := r.body.Forward(x, mode)
	if r.shortcut != nil {
		x = r.shortcut.Forward(x, mode)
	}
	return y.Add(x)
}

// Parameters lists the body's parameters, then the shortcut's.
func (r *residual) Parameters() []nn.Parameter {
	params := r.body.Parameters()
	if r.shortcut != nil {
		params = append(params, nn.Prefix(r.name, r.shortcut)...)
	}
	return params
}
