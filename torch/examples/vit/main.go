// Vit trains a small vision transformer (Dosovitskiy et al., 2021) on MNIST: 16
// patches of 7 by 7 pixels, two layers of four heads, the mean over patches.
package main

import (
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

type position struct{ *nn.Embedding }  // x + a vector for each place
type residual struct{ *nn.Sequential } // x + f(x)

func (p position) Forward(x torch.Tensor, _ nn.Mode) torch.Tensor { return x.Add(p.Weight) }
func (r residual) Forward(x torch.Tensor, mode nn.Mode) torch.Tensor {
	return x.Add(r.Sequential.Forward(x, mode))
}

func newModel(dim int, init nn.Init) nn.Module { // pixels [N 1 28 28] to logits [N 10]
	norm := func() nn.Module { return nn.NewLayerNorm(nn.LayerNorm{Features: dim}, init) }
	linear := func(in, out int) nn.Module { return nn.NewLinear(nn.Linear{In: in, Out: out}, init) }
	layers := []nn.Module{
		nn.NewConv2d(nn.Conv2d{In: 1, Out: dim, Kernel: 7, Stride: 7}, init),
		nn.Func(func(x torch.Tensor) torch.Tensor { return x.Flatten(2, 3).Transpose(1, 2) }), // [N 16 dim]
		position{nn.NewEmbedding(nn.Embedding{Count: 16, Dim: dim}, init)},
	}
	for range 2 {
		attention := nn.NewMultiheadAttention(nn.MultiheadAttention{Dim: dim, Heads: 4}, init)
		layers = append(layers, residual{nn.NewSequential(norm(), attention)},
			residual{nn.NewSequential(norm(), linear(dim, 2*dim), nn.Func(torch.Tensor.GELU), linear(2*dim, dim))})
	}
	layers = append(layers, norm(), nn.Func(func(x torch.Tensor) torch.Tensor { return x.Mean(1) }))
	return nn.NewSequential(append(layers, linear(dim, 10))...)
}

func draw(n int, s dataset.Split, r *rand.Rand) (x, y torch.Tensor) {
	pixels, classes := make([]byte, 0, 784*n), make([]int64, n)
	for i := range n {
		row := r.IntN(s.Len())
		pixels, classes[i] = append(pixels, s.Example(row)...), int64(s.Labels[row])
	}
	return torch.FromSlice(pixels, n, 1, 28, 28).ToDType(torch.Float32).SubScalar(33).DivScalar(79),
		torch.FromSlice(classes)
}

func train(data *dataset.Dataset, steps int, report func(step int, loss, accuracy float64)) {
	r := rand.New(rand.NewPCG(1, 1))
	model := newModel(64, nn.Init{Rand: r, Scheme: "glorot_uniform"})
	optimizer := optim.NewAdam(optim.Adam{LearningRate: .001}, model.Parameters())
	for step := range steps {
		torch.Scope(func() { // one epoch is 938 steps of 64
			x, y := draw(64, data.Train, r)
			logits := model.Forward(x, nn.Train(nil))
			loss := logits.CrossEntropy(y)
			optimizer.ZeroGrad()
			loss.Backward()
			optimizer.Step()
			report(step, loss.Item(), logits.Argmax(1).Eq(y).ToDType(torch.Float32).Mean().Item())
		})
	}
}

func main() {
	data, err := published.Open("mnist", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	torch.Scope(func() {
		train(data, 500, func(step int, loss, accuracy float64) {
			fmt.Printf("step %d: loss %.3f, accuracy %.2f\n", step, loss, accuracy)
		})
	})
}
