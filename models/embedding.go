package models

import (
	"cmp"
	"fmt"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

var embeddingEntry = Entry{
	Name: "embedding", Title: "word embedding", Input: Words, Dropout: true, DropoutUnits: []string{DropElements,
		DropChannels, DropWords},
	New: func(s Settings, init nn.Init) (nn.Module, error) {
		return Embedding{Words: s.Vocabulary, Length: s.Inputs, Dim: s.EmbeddingDim, Classes: s.Classes, Dropout: s.Dropout,
			DropoutUnits: s.DropoutUnits}.New(init)
	},
}

// Embedding is the network of Section 5 for IMDB: a vector for each word, dropout, ReLU, and one dense layer over all
// words of the text. The zero value has the paper's sizes, a vocabulary of 5000 words, 400 words per text, vectors of
// 50 numbers and 2 classes: 290,002 parameters.
type Embedding struct {
	Words   int // vocabulary; 0 is 5000
	Length  int // words per text; 0 is 400
	Dim     int // size of a word's vector; 0 is 50
	Classes int // 0 is 2

	Dropout float64 // probability; .8 in the paper and in its code
	// DropoutUnits selects what dropout drops. DropChannels, the default, drops the same dimensions in all words of an
	// example, as in the published code. DropElements drops each number independently, a reading of the paper's text.
	// DropWords drops whole rows of the table for all examples of a batch, as embeddings did in Keras 1 at the time of
	// the paper.
	DropoutUnits string
}

// New returns the network with drawn weights. It maps word ids x [N Length] (Int64 or
// Int32) to logits [N Classes]. init draws the dense layer; the vectors of the words
// are uniform in +-.05, as in Keras. It is an error if init names an unknown scheme.
func (m Embedding) New(init nn.Init) (nn.Module, error) {
	if err := init.Check(); err != nil {
		return nil, err
	}
	net := &embedding{dropout: m.Dropout}
	switch m.DropoutUnits {
	case "", DropChannels:
		net.shared = []int{1}
	case DropElements:
	case DropWords:
		net.whole = true
	default:
		return nil, fmt.Errorf("embedding: dropout units %q: use channels, elements or words", m.DropoutUnits)
	}
	length, dim := cmp.Or(m.Length, 400), cmp.Or(m.Dim, 50)
	vectors := init
	vectors.Scheme = "uniform_0.05"
	net.words = nn.NewEmbedding(nn.Embedding{Count: cmp.Or(m.Words, 5000), Dim: dim}, vectors)
	net.dense = nn.NewLinear(nn.Linear{In: length * dim, Out: cmp.Or(m.Classes, 2)}, init.Last())
	return net, nil
}

type embedding struct {
	words   *nn.Embedding
	dense   *nn.Linear
	dropout float64
	shared  []int // dimensions of [N Length Dim] along which dropout draws once
	whole   bool  // dropout drops rows of the table
}

// Forward computes all layers as one operation. It never stores the vectors of a batch's words, which would take
// forty times the memory of the words.
func (m *embedding) Forward(x torch.Tensor, mode nn.Mode) torch.Tensor {
	switch {
	case !mode.Training:
		return torch.EmbeddingLinear(m.words.Weight, x, m.dense.Weight, m.dense.Bias, 0, nil)
	case m.whole:
		table := m.words.Weight.Dropout(m.dropout, mode.Dropout, 1)
		return torch.EmbeddingLinear(table, x, m.dense.Weight, m.dense.Bias, 0, nil)
	}
	return torch.EmbeddingLinear(m.words.Weight, x, m.dense.Weight, m.dense.Bias, m.dropout, mode.Dropout, m.shared...)
}

// Features returns the mean vector of a text's words, [N Dim]. The input of the last layer, the vectors of all words
// in order, would be similar only for texts with the same words in the same places.
func (m *embedding) Features(x torch.Tensor) torch.Tensor {
	return m.words.Forward(x, nn.Eval).Mean(1)
}

// Parameters lists embedding.weight, dense.weight and dense.bias.
func (m *embedding) Parameters() []nn.Parameter {
	return append(nn.Prefix("embedding", m.words), nn.Prefix("dense", m.dense)...)
}
