package nn

import "github.com/losscorr/losscorr/torch"

// Linear is a fully connected layer:
//
//	y = x Weight^T + Bias    x [.. In], y [.. Out]
type Linear struct {
	In, Out int

	Weight torch.Tensor // [Out In]
	Bias   torch.Tensor // [Out]
}

// NewLinear draws the layer's parameters.
func NewLinear(l Linear, init Init) *Linear {
	l.Weight = init.weight(l.In, l.Out, l.Out, l.In)
	l.Bias = init.bias(l.In, l.Out)
	return &l
}

// Forward computes y.
func (l *Linear) Forward(x torch.Tensor, _ Mode) torch.Tensor { return x.Linear(l.Weight, l.Bias) }

// Parameters lists weight and bias.
func (l *Linear) Parameters() []Parameter { return weightAndBias(l.Weight, l.Bias) }

func weightAndBias(weight, bias torch.Tensor) []Parameter {
	params := []Parameter{{Name: "weight", Tensor: weight, Role: Weight}}
	if bias.Defined() {
		params = append(params, Parameter{Name: "bias", Tensor: bias, Role: Bias})
	}
	return params
}
