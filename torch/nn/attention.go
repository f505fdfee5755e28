package nn

import (
	"fmt"

	"github.com/losscorr/losscorr/torch"
)

// MultiheadAttention lets each step of a sequence look at others (Vaswani et al.,
// 2017). Dim is cut into Heads parts, and for each of them
//
//	softmax(q k^T / sqrt(Dim/Heads)) v
//
// with q, k and v linear in the query, key and value; the heads' outputs are joined
// and mixed by OutProj. Sequences are [N T Dim], PyTorch's batch_first.
type MultiheadAttention struct {
	Dim, Heads int     // Heads divides Dim
	Dropout    float64 // of the weights, in training
	Causal     bool    // step t looks at steps 0 to t alone
	NoBias     bool

	InProjWeight torch.Tensor // [3 Dim, Dim]: of query, key and value
	InProjBias   torch.Tensor // [3 Dim], from 0
	OutProj      *Linear      // its bias from 0
}

// NewMultiheadAttention draws the layer's parameters. Under torch_default the three
// input projections are glorot_uniform as one matrix, which is what PyTorch does.
// Panics if Heads does not divide Dim.
func NewMultiheadAttention(m MultiheadAttention, init Init) *MultiheadAttention {
	if m.Heads <= 0 || m.Dim%m.Heads != 0 {
		panic(&torch.Error{Op: "multihead_attention", Kind: torch.Value, Msg: fmt.Sprintf("%d heads do not divide %d dimensions", m.Heads, m.Dim)})
	}
	in := init
	if in.Scheme == torchDefault {
		in.Scheme = "glorot_uniform"
	}
	m.InProjWeight = in.weight(m.Dim, 3*m.Dim, 3*m.Dim, m.Dim)
	m.OutProj = NewLinear(Linear{In: m.Dim, Out: m.Dim, NoBias: true}, init)
	if !m.NoBias {
		m.InProjBias = init.parameter(make([]float64, 3*m.Dim), 3*m.Dim)
		m.OutProj.NoBias = false
		m.OutProj.Bias = init.parameter(make([]float64, m.Dim), m.Dim)
	}
	return &m
}

// Forward is self-attention: x [N T Dim] is query, key and value.
func (m *MultiheadAttention) Forward(x torch.Tensor, mode Mode) torch.Tensor {
	return m.Attend(x, x, x, torch.Tensor{}, mode)
}

// Attend computes [N L Dim] for query [N L Dim], key and value [N S Dim]. The mask,
// or the zero Tensor, is that of torch.AttentionOptions and broadcasts to
// [N Heads L S]; a mask of PyTorch's MultiheadAttention is true where ours is
// false. Panics if shapes do not fit.
func (m *MultiheadAttention) Attend(query, key, value, mask torch.Tensor, mode Mode) torch.Tensor {
	for _, x := range []torch.Tensor{query, key, value} {
		if shape := x.Shape(); len(shape) != 3 || shape[2] != m.Dim {
			panic(&torch.Error{Op: "multihead_attention", Kind: torch.Shape, Msg: fmt.Sprintf("shape %v, expected [N T %d]", shape, m.Dim)})
		}
	}
	q, k, v := m.project(query, key, value)
	o := torch.AttentionOptions{Mask: mask, Causal: m.Causal}
	if mode.Training && m.Dropout != 0 {
		o.Dropout, o.Rand = m.Dropout, mode.stream()
	}
	y := torch.Attention(m.split(q), m.split(k), m.split(v), o)
	return m.OutProj.Forward(y.Transpose(1, 2).Flatten(2, 3), mode)
}

// project makes q, k and v, in one product where they come from one tensor.
func (m *MultiheadAttention) project(query, key, value torch.Tensor) (q, k, v torch.Tensor) {
	if query == key && key == value {
		parts := query.Linear(m.InProjWeight, m.InProjBias).Chunk(3, -1)
		return parts[0], parts[1], parts[2]
	}
	weights, biases := m.InProjWeight.Chunk(3, 0), make([]torch.Tensor, 3)
	if m.InProjBias.Defined() {
		biases = m.InProjBias.Chunk(3, 0)
	}
	return query.Linear(weights[0], biases[0]), key.Linear(weights[1], biases[1]), value.Linear(weights[2], biases[2])
}

// split is [N T Dim] as [N Heads T Dim/Heads].
func (m *MultiheadAttention) split(x torch.Tensor) torch.Tensor {
	return x.Reshape(x.Size(0), x.Size(1), m.Heads, m.Dim/m.Heads).Transpose(1, 2)
}

// Parameters lists in_proj_weight, in_proj_bias, out_proj.weight and out_proj.bias.
func (m *MultiheadAttention) Parameters() []Parameter {
	params := []Parameter{{"in_proj_weight", m.InProjWeight, Weight}}
	if m.InProjBias.Defined() {
		params = append(params, Parameter{"in_proj_bias", m.InProjBias, Bias})
	}
	return append(params, Prefix("out_proj", m.OutProj)...)
}
