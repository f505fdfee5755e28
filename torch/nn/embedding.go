package nn

import "github.com/losscorr/losscorr/torch"

// Embedding looks up a vector for each index:
//
//	y[..., :] = Weight[x[...], :]    x [..] Int64 or Int32, y [.. Dim]
type Embedding struct {
	Count, Dim int // indices go from 0 to Count-1

	Weight torch.Tensor // [Count Dim]
}

// NewEmbedding draws the vectors; fan_in is Count and fan_out Dim, as in Keras.
// Under torch_default they are standard normal.
func NewEmbedding(e Embedding, init Init) *Embedding {
	if init.Scheme == torchDefault {
		init.claim(e.Count, e.Dim)
		e.Weight = init.parameter(normal(init.Rand, e.Count*e.Dim), e.Count, e.Dim)
	} else {
		e.Weight = init.weight(e.Count, e.Dim, e.Count, e.Dim)
	}
	return &e
}

// Forward computes y.
func (e *Embedding) Forward(x torch.Tensor, _ Mode) torch.Tensor { return torch.Embedding(e.Weight, x) }

// Parameters lists weight.
func (e *Embedding) Parameters() []Parameter { return []Parameter{{"weight", e.Weight, Weight}} }
