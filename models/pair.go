package models

import (
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// NewPair returns a pair of networks that train on the same data side by side. In training it maps x to the logits of
// both, [2 N C], and otherwise to the logits of the first, [N C]. Parameter names have the prefixes "first." and
// "second.".
func NewPair(first, second nn.Module) nn.Module { return pair{first, second} }

type pair struct{ first, second nn.Module }

func (p pair) Forward(x torch.Tensor, mode nn.Mode) torch.Tensor {
	if !mode.Training {
		return p.first.Forward(x, mode)
	}
	return torch.Stack(0, p.first.Forward(x, mode), p.second.Forward(x, mode))
}

func (p pair) Parameters() []nn.Parameter {
	return append(nn.Prefix("first", p.first), nn.Prefix("second", p.second)...)
}
