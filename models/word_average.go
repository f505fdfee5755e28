package models

import (
	"cmp"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

var wordAverageEntry = Entry{
	Name: "word-average", Title: "mean of word vectors", Input: Words, AnyLength: true,
	New: func(s Settings, init nn.Init) (nn.Module, error) {
		return WordAverage{Words: s.Vocabulary, Dim: s.EmbeddingDim, Classes: s.Classes}.New(init)
	},
}

// WordAverage is one dense layer over the mean of the vectors of a text's words, as in
// Joulin et al., "Bag of Tricks for Efficient Text Classification" (2016,
// https://arxiv.org/abs/1607.01759). Word id 0 is padding and does not count.
type WordAverage struct {
	Words   int // vocabulary; 0 is 5000
	Dim     int // size of a word's vector; 0 is 50
	Classes int // 0 is 2
}

// New returns the network with drawn weights. It maps word ids x [N T] (Int64 or Int32)
// to logits [N Classes]. init draws the dense layer; the vectors of the words are uniform
// in +-.05. It is an error if init names an unknown scheme.
func (m WordAverage) New(init nn.Init) (nn.Module, error) {
	if err := init.Check(); err != nil {
		return nil, err
	}
	vectors := init
	vectors.Scheme = "uniform_0.05"
	dim := cmp.Or(m.Dim, 50)
	return &wordAverage{
		words: nn.NewEmbedding(nn.Embedding{Count: cmp.Or(m.Words, 5000), Dim: dim}, vectors),
		dense: nn.NewLinear(nn.Linear{In: dim, Out: cmp.Or(m.Classes, 2)}, init.Last()),
	}, nil
}

type wordAverage struct {
	words *nn.Embedding
	dense *nn.Linear
}

// Forward averages with weights 1/k for the k words of a text, 0 for padding.
func (m *wordAverage) Forward(x torch.Tensor, mode nn.Mode) torch.Tensor {
	return m.dense.Forward(m.Features(x), mode)
}

// Features returns the average.
func (m *wordAverage) Features(x torch.Tensor) torch.Tensor {
	present := x.NeScalar(0).ToDType(m.words.Weight.DType())
	weights := present.Div(present.SumKeep(1).ClampMin(1)).Unsqueeze(1) // [N 1 T]
	return weights.Bmm(m.words.Forward(x, nn.Eval)).Squeeze(1)
}

// Parameters lists embedding.weight, dense.weight and dense.bias.
func (m *wordAverage) Parameters() []nn.Parameter {
	return append(nn.Prefix("embedding", m.words), nn.Prefix("dense", m.dense)...)
}
