package models

import (
	"cmp"
	"slices"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

var lstmEntry = Entry{
	Name: "lstm", Title: "LSTM", Input: Words, AnyLength: true, Dropout: true, DropoutUnits: []string{DropChannels},
	Together: 10,
	New: func(s Settings, init nn.Init) (nn.Module, error) {
		return LSTM{Words: s.Vocabulary, Dim: s.EmbeddingDim, Classes: s.Classes, SpatialDropout: s.Dropout, Dropout: .5,
			OneBias: true}.New(init)
	},
}

// LSTM is the recurrent network of Section 5 for IMDB: an embedding of word ids and a long short-term memory whose
// last output goes through a dense layer with ReLU and dropout.
//
// As in the published Keras code, embedding and input weights are uniform in +-.05, recurrent weights are orthogonal,
// the forget gate's bias starts at 1, and init draws the dense layers. Dropout before the ReLU (the code) and after
// it (the text) give the same values. Gates are sigmoids; Keras then had hard sigmoids, min(max(.2 x + .5, 0), 1).
type LSTM struct {
	Words   int // of the vocabulary; 0 is 5000
	Dim     int // size of the embedding; 0 is 256 as in the paper; its code has 512
	Hidden  int // units of the memory and of the dense layer; 0 is 512
	Classes int // 0 is 2
	// SpatialDropout is the probability of dropping a dimension of the embedding for a whole review: .8 in the published
	// code, not in the text.
	SpatialDropout float64
	Dropout        float64 // probability for the dense layer's units; .5 in the published code
	// OneBias trains one bias for each gate as in Keras, instead of two as in PyTorch, which take steps of twice the
	// length.
	OneBias bool
}

// New returns the network with drawn weights. It maps word ids x [N T] (Int64 or Int32)
// to logits [N Classes]. It has 3,120,642 parameters, 4,924,930 with an embedding of 512; 2048
// less with OneBias. It is an error if init names an unknown scheme.
func (l LSTM) New(init nn.Init) (nn.Module, error) {
	if err := init.Check(); err != nil {
		return nil, err
	}
	l.Words, l.Dim, l.Hidden, l.Classes = cmp.Or(l.Words, 5000), cmp.Or(l.Dim, 256), cmp.Or(l.Hidden, 512),
		cmp.Or(l.Classes, 2)
	small := init
	small.Scheme = "uniform_0.05"
	return &lstm{
		words:   nn.NewEmbedding(nn.Embedding{Count: l.Words, Dim: l.Dim}, small),
		memory:  nn.NewLSTM(nn.LSTM{In: l.Dim, Hidden: l.Hidden, ForgetBias: 1, OneBias: l.OneBias}, small),
		dropout: l.SpatialDropout,
		dense: nn.NewSequential(
			nn.Named("dense", nn.NewLinear(nn.Linear{In: l.Hidden, Out: l.Hidden}, init)),
			nn.Named("relu", nn.ReLU{}), nn.Named("dropout", nn.Dropout{P: l.Dropout}),
			nn.Named("fc", nn.NewLinear(nn.Linear{In: l.Hidden, Out: l.Classes}, init.Last()))),
	}, nil
}

type lstm struct {
	words   *nn.Embedding
	memory  *nn.LSTM
	dropout float64 // of the embedding
	dense   *nn.Sequential
}

// Forward computes embedding, dropout and memory as one operation, which multiplies each word's vector by the input
// weights once, however often the word occurs.
func (m *lstm) Forward(x torch.Tensor, mode nn.Mode) torch.Tensor {
	p := 0.0
	if mode.Training {
		p = m.dropout
	}
	return m.dense.Forward(torch.EmbeddingLSTM(m.words.Weight, x, m.memory.Params, p, mode.Dropout), mode)
}

// Features returns the inputs of the last layer.
func (m *lstm) Features(x torch.Tensor) torch.Tensor {
	return m.dense.Features(torch.EmbeddingLSTM(m.words.Weight, x, m.memory.Params, 0, nil))
}

// Parameters lists embedding.weight, the memory's parameters with the prefix "lstm.", dense.weight, dense.bias,
// fc.weight and fc.bias.
func (m *lstm) Parameters() []nn.Parameter {
	return slices.Concat(nn.Prefix("embedding", m.words), nn.Prefix("lstm", m.memory), m.dense.Parameters())
}
