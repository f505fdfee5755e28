package losses_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

var double = losses.Options{Options: torch.Options{DType: torch.Float64}}

// dtypes of logits, with the tolerances of values and gradients.
var dtypes = map[torch.DType]float64{torch.Float32: 1e-5, torch.Float64: 1e-12}

func matrixOf(t *testing.T, rows [][]float64) *correction.Matrix {
	t.Helper()
	return expect.Got(correction.NewMatrix(correctiontest.Names(len(rows)), rows))(t)
}

// goldenT keeps .6 of the labels of each class, gives .3 to the next one and .1 to the
// one after it, as testdata/losses.py has it.
func goldenT(c int) *correction.Matrix {
	rows := make([][]float64, c)
	for i := range rows {
		rows[i] = make([]float64, c)
		for step, share := range []float64{.6, .3, .1} {
			rows[i][(i+step)%c] += share
		}
	}
	return correction.Normalized(correctiontest.Names(c), rows)
}

func normal(rng *rand.Rand, scale float64, shape ...int) torch.Tensor {
	n := 1
	for _, s := range shape {
		n *= s
	}
	data := make([]float64, n)
	for i := range data {
		data[i] = scale * rng.NormFloat64()
	}
	return torch.FromSlice(data, shape...)
}

func labelsOf(rng *rand.Rand, n, c int) torch.Tensor {
	data := make([]int64, n)
	for i := range data {
		data[i] = rng.Int64N(int64(c))
	}
	return torch.FromSlice(data)
}

func newLoss(t *testing.T, name string, m *correction.Matrix, o losses.Options) losses.Loss {
	t.Helper()
	return expect.Got(losses.All.Named(name).New(m, o))(t)
}

// train is the loss of training of a batch of logits z.
func train(loss losses.Loss, z torch.Tensor, b losses.Batch) torch.Tensor {
	b.X, b.Forward = z, func(x torch.Tensor) torch.Tensor { return x }
	return loss.(losses.Trainer).Train(b)
}

// trained is a Trainer as a function of logits: Apply is the loss of a batch whose rows are 0
// to N-1, at the last of many epochs.
type trained struct{ losses.Trainer }

func (t trained) Apply(z, y torch.Tensor) torch.Tensor {
	rows := torch.Arange(0, float64(y.Size(0)), 1, torch.Options{DType: torch.Int64})
	return train(t.Trainer, z, losses.Batch{Labels: y, Rows: rows, Epoch: 100, Rand: rand.New(rand.NewPCG(1, 2))})
}

// readGolden reads what a script of testdata has written of a loss (torch 2.11.0).
func readGolden[T any](t *testing.T, name string) (out T) {
	t.Helper()
	raw := expect.Got(os.ReadFile("testdata/losses/" + name + ".json"))(t)
	expect.OK(t, json.Unmarshal(raw, &out))
	return out
}

// checkValue compares a loss and its gradient by x with known ones.
func checkValue(
	t *testing.T, name string, loss func(x torch.Tensor) torch.Tensor, x torch.Tensor,
	value float64, gradient []float64, tolerance float64,
) {
	t.Helper()
	x = x.Detach().SetRequiresGrad(true)
	got := loss(x)
	torchtest.Close(t, name, got.ToDType(torch.Float64), []float64{value}, tolerance)
	by := torch.Grad(got, []torch.Tensor{x}, false)[0]
	torchtest.Close(t, name+" gradient", by.ToDType(torch.Float64), gradient, tolerance)
}
