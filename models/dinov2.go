package models

import (
	"fmt"
	"math"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// DINOv2 is the vision transformer of Oquab et al., "DINOv2: Learning Robust Visual Features without
// Supervision" (2023, https://arxiv.org/abs/2304.07193): the feature of an image is its class token
// after the last normalisation. Names and shapes of its parameters are those of transformers'
// Dinov2Model, as its files have them, without the token of hidden patches.
//
// It maps images x [N 3 H W] to features [N Dim]. Pixels right of and below the last whole patch are
// not looked at. Positions are interpolated for images that have not Side pixels.
type DINOv2 struct {
	Side, Patch       int // pixels of the images that the positions are for, and of a patch
	Dim, Heads, Depth int // of a vector, attention; blocks
}

// DINOv2Small has the sizes of the smallest published network.
var DINOv2Small = DINOv2{Side: 518, Patch: 14, Dim: 384, Heads: 6, Depth: 12}

// dinoEps is the variance below which layer normalisation does not divide.
const dinoEps = 1e-6

// Features returns the network with drawn weights; its class token and its positions are zero.
func (d DINOv2) Features(init nn.Init) (nn.Module, error) {
	if err := init.Check(); err != nil {
		return nil, err
	}
	if d.Heads < 1 || d.Dim%d.Heads != 0 || d.Patch < 1 || d.Side < d.Patch {
		return nil, fmt.Errorf("DINOv2: %d heads do not divide %d dimensions, or patches of %d pixels do not fit in %d", d.Heads, d.Dim, d.Patch, d.Side)
	}
	patches := nn.Conv2d{In: 3, Out: d.Dim, Kernel: d.Patch, Stride: d.Patch}
	o := torch.Options{DType: init.DType, Device: init.Device}
	side := d.Side / d.Patch
	net := &dinov2{
		class: torch.Zeros(o, 1, 1, d.Dim), positions: torch.Zeros(o, 1, side*side+1, d.Dim), side: side,
		patches: nn.NewConv2d(patches, init), norm: dinoNorm(d.Dim, init),
	}
	for range d.Depth {
		net.blocks = append(net.blocks, newDINOBlock(d, init))
	}
	return net, nil
}

type dinov2 struct {
	class, positions torch.Tensor
	side             int // of the positions, in patches
	patches          *nn.Conv2d
	blocks           []*dinoBlock
	norm             *nn.LayerNorm
}

func dinoNorm(dim int, init nn.Init) *nn.LayerNorm {
	return nn.NewLayerNorm(nn.LayerNorm{Features: dim, Eps: dinoEps}, init)
}

// Forward computes the features.
func (m *dinov2) Forward(x torch.Tensor, mode nn.Mode) torch.Tensor {
	h := m.patches.Forward(x, mode)
	places := m.places(h.Size(2), h.Size(3))
	h = h.Flatten(2, 3).Transpose(1, 2).ToDType(m.class.DType())
	h = torch.Cat(1, m.class.Expand(h.Size(0), -1, -1), h).Add(places)
	for _, b := range m.blocks {
		h = b.forward(h, mode)
	}
	return m.norm.Forward(h.Select(1, 0), mode)
}

// places returns the vectors of the class token and of rows x columns patches, [1 1+rows*columns
// Dim]. They are interpolated in float64, which autocast leaves alone.
func (m *dinov2) places(rows, columns int) torch.Tensor {
	if rows == m.side && columns == m.side {
		return m.positions
	}
	dim := m.class.Size(2)
	weights := func(to int) torch.Tensor {
		return torch.FromSlice(bicubic(m.side, to), to, m.side).ToDevice(m.positions.Device())
	}
	grid := m.positions.SliceDim(1, 1, m.side*m.side+1, 1).ToDType(torch.Float64).Reshape(m.side, m.side*dim)
	grid = weights(rows).Matmul(grid).Reshape(rows, m.side, dim)
	grid = weights(columns).Unsqueeze(0).Expand(rows, -1, -1).Bmm(grid).Reshape(1, rows*columns, dim)
	return torch.Cat(1, m.positions.SliceDim(1, 0, 1, 1), grid.ToDType(m.positions.DType()))
}

// bicubic returns the weights [to from] by which from values in a row become to values: those of
// PyTorch's interpolate with mode bicubic, Keys's kernel with a = -3/4 (1981). What is beyond an end
// is the value there.
func bicubic(from, to int) []float64 {
	const a = -.75
	near := func(t float64) float64 { return ((a+2)*t-(a+3))*t*t + 1 }  // up to 1 from the place
	far := func(t float64) float64 { return ((a*t-5*a)*t+8*a)*t - 4*a } // up to 2
	weights := make([]float64, to*from)
	for k := range to {
		place := (float64(k)+.5)*float64(from)/float64(to) - .5
		first := math.Floor(place)
		t := place - first
		for j, w := range []float64{far(1 + t), near(t), near(1 - t), far(2 - t)} {
			weights[k*from+min(max(int(first)-1+j, 0), from-1)] += w
		}
	}
	return weights
}

// Parameters lists the tokens, the patches, the blocks and the last normalisation.
func (m *dinov2) Parameters() []nn.Parameter {
	params := []nn.Parameter{
		{Name: "embeddings.cls_token", Tensor: m.class, Role: nn.Weight},
		{Name: "embeddings.position_embeddings", Tensor: m.positions, Role: nn.Weight},
	}
	params = append(params, nn.Prefix("embeddings.patch_embeddings.projection", m.patches)...)
	for k, b := range m.blocks {
		params = append(params, b.parameters(fmt.Sprintf("encoder.layer.%d.", k))...)
	}
	return append(params, nn.Prefix("layernorm", m.norm)...)
}

// dinoBlock is attention and two layers, each behind a normalisation and scaled by channel, with a
// shortcut.
type dinoBlock struct {
	query, key, value, mixed *nn.Linear
	wide, narrow             *nn.Linear
	before, between          *nn.LayerNorm
	scale1, scale2           torch.Tensor
	heads                    int
}

func newDINOBlock(d DINOv2, init nn.Init) *dinoBlock {
	linear := func(in, out int) *nn.Linear { return nn.NewLinear(nn.Linear{In: in, Out: out}, init) }
	ones := func() torch.Tensor { return torch.Ones(torch.Options{DType: init.DType, Device: init.Device}, d.Dim) }
	return &dinoBlock{
		query: linear(d.Dim, d.Dim), key: linear(d.Dim, d.Dim), value: linear(d.Dim, d.Dim), mixed: linear(d.Dim, d.Dim),
		wide: linear(d.Dim, 4*d.Dim), narrow: linear(4*d.Dim, d.Dim),
		before: dinoNorm(d.Dim, init), between: dinoNorm(d.Dim, init), scale1: ones(), scale2: ones(), heads: d.Heads,
	}
}

func (b *dinoBlock) forward(x torch.Tensor, mode nn.Mode) torch.Tensor {
	y := b.before.Forward(x, mode)
	heads := func(l *nn.Linear) torch.Tensor { // [N Heads T Dim/Heads]
		return l.Forward(y, mode).Reshape(x.Size(0), x.Size(1), b.heads, x.Size(2)/b.heads).Transpose(1, 2)
	}
	y = torch.Attention(heads(b.query), heads(b.key), heads(b.value), torch.AttentionOptions{})
	x = b.mixed.Forward(y.Transpose(1, 2).Flatten(2, 3), mode).Mul(b.scale1).Add(x)
	y = b.narrow.Forward(b.wide.Forward(b.between.Forward(x, mode), mode).GELU(), mode)
	return y.Mul(b.scale2).Add(x)
}

func (b *dinoBlock) parameters(prefix string) []nn.Parameter {
	return append([]nn.Parameter{
		{Name: prefix + "layer_scale1.lambda1", Tensor: b.scale1, Role: nn.Norm},
		{Name: prefix + "layer_scale2.lambda1", Tensor: b.scale2, Role: nn.Norm},
	}, prefixed(prefix, []layer{
		{"norm1", b.before},
		{"attention.attention.query", b.query},
		{"attention.attention.key", b.key},
		{"attention.attention.value", b.value},
		{"attention.output.dense", b.mixed},
		{"norm2", b.between},
		{"mlp.fc1", b.wide},
		{"mlp.fc2", b.narrow},
	})...)
}
