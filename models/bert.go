package models

import (
	"fmt"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// BERT is the encoder of Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers for Language
// Understanding" (2019, https://arxiv.org/abs/1810.04805), as used for sentence embeddings: the feature of a text is
// the mean of its tokens' last vectors, scaled to length 1. Its parameters have the names and shapes of transformers'
// BertModel without the pooler.
//
// It maps token ids x [N T] (Int64) to features [N Dim]. Id 0 is padding.
type BERT struct {
	Words, Positions        int // sizes of the tables
	Dim, Heads, Wide, Depth int // vector size, attention heads, hidden units of a block, blocks
}

// MiniLM has the sizes of all-MiniLM-L6-v2 (Wang et al. 2020, https://arxiv.org/abs/2002.10957).
var MiniLM = BERT{Words: 30522, Positions: 512, Dim: 384, Heads: 12, Wide: 1536, Depth: 6}

// bertEps is the epsilon of layer normalisation.
const bertEps = 1e-12

// Features returns the network with drawn weights.
func (b BERT) Features(init nn.Init) (nn.Module, error) {
	if err := init.Check(); err != nil {
		return nil, err
	}
	if b.Heads < 1 || b.Dim%b.Heads != 0 {
		return nil, fmt.Errorf("BERT: %d heads do not divide %d dimensions", b.Heads, b.Dim)
	}
	table := func(count int) *nn.Embedding { return nn.NewEmbedding(nn.Embedding{Count: count, Dim: b.Dim}, init) }
	net := &bert{words: table(b.Words), positions: table(b.Positions), types: table(2), norm: bertNorm(b.Dim, init)}
	for range b.Depth {
		net.blocks = append(net.blocks, newBERTBlock(b, init))
	}
	return net, nil
}

type bert struct {
	words, positions, types *nn.Embedding
	norm                    *nn.LayerNorm
	blocks                  []*bertBlock
}

func bertNorm(dim int, init nn.Init) *nn.LayerNorm {
	return nn.NewLayerNorm(nn.LayerNorm{Features: dim, Eps: bertEps}, init)
}

// Forward computes the features. Padding gets no attention and does not count in the mean.
func (m *bert) Forward(x torch.Tensor, mode nn.Mode) torch.Tensor {
	present := x.NeScalar(0)
	var mask torch.Tensor // zero if all texts have T tokens: attention is faster without a mask
	if present.All().ToDType(torch.Float64).Item() == 0 {
		mask = present.Unsqueeze(1).Unsqueeze(1) // [N 1 1 T]
	}
	first := m.positions.Weight.SliceDim(0, 0, x.Size(1), 1).Add(m.types.Weight.SliceDim(0, 0, 1, 1))
	h := m.norm.Forward(m.words.Forward(x, mode).Add(first), mode)
	for _, b := range m.blocks {
		h = b.forward(h, mask, mode)
	}
	h = h.ToDType(m.norm.Weight.DType())
	weights := present.ToDType(h.DType()).Unsqueeze(1) // [N 1 T]
	mean := weights.Bmm(h).Squeeze(1).Div(weights.Sum(2).ClampMin(1))
	return mean.Div(mean.Norm(2, 1).Unsqueeze(1).ClampMin(bertEps))
}

// Parameters lists the tables, their normalisation and the blocks.
func (m *bert) Parameters() []nn.Parameter {
	params := nn.Prefix("embeddings.word_embeddings", m.words)
	params = append(params, nn.Prefix("embeddings.position_embeddings", m.positions)...)
	params = append(params, nn.Prefix("embeddings.token_type_embeddings", m.types)...)
	params = append(params, nn.Prefix("embeddings.LayerNorm", m.norm)...)
	for k, b := range m.blocks {
		params = append(params, b.parameters(fmt.Sprintf("encoder.layer.%d.", k))...)
	}
	return params
}

// bertBlock is attention and two layers, each followed by a shortcut and a normalisation.
type bertBlock struct {
	attention      *nn.MultiheadAttention
	wide, narrow   *nn.Linear
	attended, done *nn.LayerNorm
}

func newBERTBlock(b BERT, init nn.Init) *bertBlock {
	linear := func(in, out int) *nn.Linear { return nn.NewLinear(nn.Linear{In: in, Out: out}, init) }
	return &bertBlock{
		attention: nn.NewMultiheadAttention(nn.MultiheadAttention{Dim: b.Dim, Heads: b.Heads}, init),
		wide:      linear(b.Dim, b.Wide), narrow: linear(b.Wide, b.Dim),
		attended: bertNorm(b.Dim, init), done: bertNorm(b.Dim, init),
	}
}

func (b *bertBlock) forward(x, mask torch.Tensor, mode nn.Mode) torch.Tensor {
	h := b.attended.Forward(b.attention.Attend(x, mask, mode).Add(x), mode)
	return b.done.Forward(b.narrow.Forward(b.wide.Forward(h, mode).GELU(), mode).Add(h), mode)
}

func (b *bertBlock) parameters(prefix string) []nn.Parameter {
	return prefixed(prefix, []layer{
		{"attention.self.query", b.attention.Query},
		{"attention.self.key", b.attention.Key},
		{"attention.self.value", b.attention.Value},
		{"attention.output.dense", b.attention.Out},
		{"attention.output.LayerNorm", b.attended},
		{"intermediate.dense", b.wide},
		{"output.dense", b.narrow},
		{"output.LayerNorm", b.done},
	})
}

// layer is a named part of a block.
type layer struct {
	name   string
	module nn.Module
}

// prefixed lists the parameters of the layers of a block.
func prefixed(block string, layers []layer) (params []nn.Parameter) {
	for _, l := range layers {
		params = append(params, nn.Prefix(block+l.name, l.module)...)
	}
	return params
}
