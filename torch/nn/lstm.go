package nn

import (
	"fmt"

	"github.com/losscorr/losscorr/torch"
)

// LSTM is a long short-term memory (Hochreiter and Schmidhuber, 1997) over
// sequences x [N T In]:
//
//	i, f, o = sigmoid(W x_t + b + U h + c)    g = tanh(W x_t + b + U h + c)
//	cell = f cell + i g                       h = o tanh(cell)
//
// Each of the gates i, f, o and g has its own W, b, U and c. The output is h after the last step, [N Hidden].
type LSTM struct {
	In, Hidden int
	ForgetBias float64 // added to the forget gate's initial bias; Keras has 1
	// OneBias keeps bias_hh at zero, as a buffer, so that each gate has one bias as in Keras.
	OneBias bool

	// Params holds weight_ih [4 Hidden, In], weight_hh [4 Hidden, Hidden],
	// bias_ih and bias_hh [4 Hidden], gates in the order i, f, g, o.
	Params []torch.Tensor
}

// NewLSTM draws the layer's parameters: input weights by the scheme, recurrent
// ones orthogonal. Under torch_default all are uniform in +-1/sqrt(Hidden).
func NewLSTM(l LSTM, init Init) *LSTM {
	gates, fanIn, recurrent := 4*l.Hidden, l.In, init
	if init.Scheme == torchDefault {
		fanIn = l.Hidden
	} else {
		recurrent.Scheme = "orthogonal"
	}
	l.Params = []torch.Tensor{
		init.weight(fanIn, gates, gates, l.In),
		recurrent.weight(l.Hidden, gates, gates, l.Hidden),
		init.parameter(l.forget(init.biases(l.Hidden, gates)), gates),
		l.recurrentBias(init.biases(l.Hidden, gates), init),
	}
	torch.FlattenLSTM(l.Params, l.In, l.Hidden)
	return &l
}

func (l *LSTM) recurrentBias(values []float64, init Init) torch.Tensor {
	if l.OneBias {
		return init.buffer(make([]float64, len(values)), len(values))
	}
	return init.parameter(values, len(values))
}

func (l *LSTM) forget(bias []float64) []float64 {
	for i := l.Hidden; i < 2*l.Hidden; i++ {
		bias[i] += l.ForgetBias
	}
	return bias
}

// Forward starts from states of zero.
func (l *LSTM) Forward(x torch.Tensor, _ Mode) torch.Tensor {
	if x.Dim() != 3 {
		panic(&torch.Error{Op: "lstm", Kind: torch.Shape, Msg: fmt.Sprintf("shape %v, expected [N T %d]", x.Shape(), l.In)})
	}
	zeros := torch.Zeros(x.Options(), 1, x.Size(0), l.Hidden)
	_, h, _ := x.LSTM(zeros, zeros, l.Params)
	return h.Select(0, 0)
}

// Parameters lists weight_ih_l0, weight_hh_l0, bias_ih_l0 and bias_hh_l0.
func (l *LSTM) Parameters() []Parameter {
	recurrent := Bias
	if l.OneBias {
		recurrent = Buffer
	}
	return []Parameter{
		{"weight_ih_l0", l.Params[0], Weight}, {"weight_hh_l0", l.Params[1], Weight},
		{"bias_ih_l0", l.Params[2], Bias}, {"bias_hh_l0", l.Params[3], recurrent},
	}
}
