package nn

import "github.com/losscorr/losscorr/torch"

// plain is embedded in layers without parameters.
type plain struct{}

// Parameters is empty.
func (plain) Parameters() []Parameter { return nil }

// ReLU is max(x, 0). In a Sequential, ReLU and a following Dropout run as one operation.
type ReLU struct{ plain }

// Forward computes max(x, 0).
func (ReLU) Forward(x torch.Tensor, _ Mode) torch.Tensor { return x.ReLU() }

// Dropout zeroes each element with probability P in training and scales the others by 1/(1-P) (Srivastava et al.,
// 2014).
type Dropout struct {
	plain
	P float64
}

// Forward draws from mode.Dropout in training and returns x otherwise.
func (d Dropout) Forward(x torch.Tensor, mode Mode) torch.Tensor {
	if !mode.Training || d.P == 0 {
		return x
	}
	return x.Dropout(d.P, mode.stream())
}

// reluDropout is ReLU and then Dropout, in fewer passes over memory. It draws the same numbers as Dropout.
type reluDropout struct{ Dropout }

func (d reluDropout) Forward(x torch.Tensor, mode Mode) torch.Tensor {
	if !mode.Training || d.P == 0 {
		return x.ReLU()
	}
	return x.ReLUDropout(d.P, mode.stream())
}

func (m Mode) stream() *torch.Generator {
	if m.Dropout == nil {
		panic(&torch.Error{Op: "dropout", Kind: torch.Value, Msg: "this mode has no stream to draw from: make it with " +
			"nn.Train"})
	}
	return m.Dropout
}
