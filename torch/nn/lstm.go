package nn

import (
	"fmt"
	"math"

	"github.com/losscorr/losscorr/torch"
)

// LSTM is a long short-term memory (Hochreiter and Schmidhuber, 1997) over
// sequences x [N T In]:
//
//	i, f, o = sigmoid(W x_t + b + U h + c)    g = tanh(W x_t + b + U h + c)
//	cell = f cell + i g                       h = o tanh(cell)
//
// Each of the gates i, f, o and g has a W, b, U and c of its own.
// Its output is h at every step, [N T H], or with Last only after the last one,
// [N H]; H is Hidden, or twice that if Bidirectional.
type LSTM struct {
	In, Hidden    int
	Layers        int // 0 is 1
	Bidirectional bool
	Last          bool
	ForgetBias    float64 // added to the forget gate's initial bias; Keras has 1
	// OneBias keeps bias_hh at zero, as a buffer, so that each gate has one bias, as in
	// Keras.
	OneBias bool

	// Params holds weight_ih [4 Hidden, In], weight_hh [4 Hidden, Hidden],
	// bias_ih and bias_hh [4 Hidden] for each layer and direction, gates in the
	// order i, f, g, o.
	Params []torch.Tensor
}

// NewLSTM draws the layer's parameters: input weights by the scheme, recurrent
// ones orthogonal. Under torch_default all are uniform in +-1/sqrt(Hidden).
func NewLSTM(l LSTM, init Init) *LSTM {
	l.Layers = max(l.Layers, 1)
	gates := 4 * l.Hidden
	for layer := range l.Layers {
		in := l.In
		if layer > 0 {
			in = l.Hidden * l.directions()
		}
		for range l.directions() {
			if init.Scheme == torchDefault {
				init.claim(gates, in)
				init.claim(gates, l.Hidden)
				bound := 1 / math.Sqrt(float64(l.Hidden))
				l.Params = append(l.Params,
					init.parameter(uniform(init.Rand, gates*in, bound), gates, in),
					init.parameter(uniform(init.Rand, gates*l.Hidden, bound), gates, l.Hidden),
					init.parameter(l.forget(uniform(init.Rand, gates, bound)), gates),
					l.recurrentBias(uniform(init.Rand, gates, bound), init))
				continue
			}
			recurrent := init
			recurrent.Scheme = "orthogonal"
			l.Params = append(l.Params,
				init.weight(in, gates, gates, in),
				recurrent.weight(l.Hidden, gates, gates, l.Hidden),
				init.parameter(l.forget(make([]float64, gates)), gates),
				l.recurrentBias(make([]float64, gates), init))
		}
	}
	torch.FlattenLSTM(l.Params, l.In, l.Hidden, l.Layers, l.Bidirectional)
	return &l
}

func (l *LSTM) recurrentBias(values []float64, init Init) torch.Tensor {
	if l.OneBias {
		return init.buffer(make([]float64, len(values)), len(values))
	}
	return init.parameter(values, len(values))
}

func (l *LSTM) directions() int {
	if l.Bidirectional {
		return 2
	}
	return 1
}

func (l *LSTM) forget(bias []float64) []float64 {
	for i := l.Hidden; i < 2*l.Hidden; i++ {
		bias[i] += l.ForgetBias
	}
	return bias
}

// Forward runs from states of zero.
func (l *LSTM) Forward(x torch.Tensor, _ Mode) torch.Tensor {
	if x.Dim() != 3 {
		panic(&torch.Error{Op: "lstm", Kind: torch.Shape, Msg: fmt.Sprintf("shape %v, expected [N T %d]", x.Shape(), l.In)})
	}
	zeros := torch.Zeros(x.Options(), l.Layers*l.directions(), x.Size(0), l.Hidden)
	out, h, _ := l.Run(x, zeros, zeros)
	if !l.Last {
		return out
	}
	// The backward direction's last state is the one that has seen all.
	n := l.directions()
	last := make([]torch.Tensor, n)
	for i := range last {
		last[i] = h.Select(0, (l.Layers-1)*n+i)
	}
	return torch.Cat(1, last...)
}

// Run goes on from the states h0 and c0 [Layers*directions N Hidden], and gives
// the output at every step and the last states.
func (l *LSTM) Run(x, h0, c0 torch.Tensor) (out, h, c torch.Tensor) {
	return x.LSTM(h0, c0, l.Params, l.Layers, l.Bidirectional, true)
}

// Parameters lists weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, the same
// with _reverse for the other direction, and so on by layer.
func (l *LSTM) Parameters() []Parameter {
	kinds := [...]struct {
		name string
		role Role
	}{{"weight_ih", Weight}, {"weight_hh", Weight}, {"bias_ih", Bias}, {"bias_hh", Bias}}
	params := make([]Parameter, len(l.Params))
	for i, t := range l.Params {
		kind, block := kinds[i%4], i/4
		name := fmt.Sprintf("%s_l%d", kind.name, block/l.directions())
		if block%l.directions() == 1 {
			name += "_reverse"
		}
		role := kind.role
		if l.OneBias && kind.name == "bias_hh" {
			role = Buffer
		}
		params[i] = Parameter{name, t, role}
	}
	return params
}
