package nn

import (
	"slices"

	"github.com/losscorr/losscorr/torch"
)

// MultiheadAttention lets each step of a sequence attend to the others (Vaswani et al., 2017). Dim is split into
// Heads parts, and each head computes
//
//	softmax(q k^T / sqrt(Dim/Heads)) v
//
// with q, k and v linear in the sequence. Out mixes the joined outputs of the heads.
type MultiheadAttention struct {
	Dim, Heads int // Heads divides Dim

	Query, Key, Value, Out *Linear
}

// NewMultiheadAttention draws the layer's parameters.
func NewMultiheadAttention(m MultiheadAttention, init Init) *MultiheadAttention {
	linear := func() *Linear { return NewLinear(Linear{In: m.Dim, Out: m.Dim}, init) }
	m.Query, m.Key, m.Value, m.Out = linear(), linear(), linear(), linear()
	return &m
}

// Forward maps x [N T Dim] to [N T Dim].
func (m *MultiheadAttention) Forward(x torch.Tensor, mode Mode) torch.Tensor {
	return m.Attend(x, torch.Tensor{}, mode)
}

// Attend is Forward with the mask of torch.Attention, which broadcasts to [N Heads T T].
// Panics if Heads does not divide Dim.
func (m *MultiheadAttention) Attend(x, mask torch.Tensor, mode Mode) torch.Tensor {
	heads := func(l *Linear) torch.Tensor { // [N Heads T Dim/Heads]
		return l.Forward(x, mode).Reshape(x.Size(0), x.Size(1), m.Heads, m.Dim/m.Heads).Transpose(1, 2)
	}
	y := torch.Attention(heads(m.Query), heads(m.Key), heads(m.Value), mask)
	return m.Out.Forward(y.Transpose(1, 2).Flatten(2, 3), mode)
}

// Parameters lists the parameters of query, key, value and out.
func (m *MultiheadAttention) Parameters() []Parameter {
	return slices.Concat(Prefix("query", m.Query), Prefix("key", m.Key), Prefix("value", m.Value), Prefix("out", m.Out))
}
