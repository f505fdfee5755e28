package losses_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// goldenCase is a batch with its loss and gradient.
type goldenCase struct {
	Name     string
	Classes  int
	Clip     float64
	Logits   []float64
	Labels   []int64
	Loss     float64
	Gradient []float64
}

// readGolden reads what a script of testdata has written of a loss.
func readGolden[T any](t *testing.T, name string) (out T) {
	t.Helper()
	raw, err := os.ReadFile("testdata/losses/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func golden(t *testing.T, name string) []goldenCase {
	t.Helper()
	cases := readGolden[[]goldenCase](t, name)
	if len(cases) != 12 {
		t.Fatalf("%d cases of %s, want 12", len(cases), name)
	}
	return cases
}

// checkGolden compares a loss with what PyTorch computed by the formula of its paper
// (torch 2.11.0, testdata/losses.py): batches of one example, of one class, of
// probabilities 0 and 1, clipped and not. In float64 its gradient and second derivative
// are compared with central differences, too, unless it holds a part of the loss constant
// (partial). It refuses labels that are no class and shapes that do not fit.
func checkGolden(t *testing.T, name string, loss func(classes int, o losses.Options) losses.Loss, partial ...bool) {
	t.Helper()
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(41, 42))
		for _, c := range golden(t, name) {
			y := torch.FromSlice(c.Labels)
			for dtype, tolerance := range map[torch.DType]float64{torch.Float32: 1e-5, torch.Float64: 1e-12} {
				what := fmt.Sprintf("%s %s clip=%v %v", name, c.Name, c.Clip, dtype)
				made := loss(c.Classes, losses.Options{Clip: c.Clip, Options: torch.Options{DType: dtype}})
				z := torch.FromSlice(c.Logits, len(c.Labels), c.Classes).ToDType(dtype).SetRequiresGrad(true)
				got := made.Apply(z, y)
				torchtest.Close(t, what, got.ToDType(torch.Float64), []float64{c.Loss}, tolerance)
				g := torch.Grad(got, []torch.Tensor{z}, false)[0]
				torchtest.Close(t, what+" gradient", g.ToDType(torch.Float64), c.Gradient, tolerance*max(1, largest(c.Gradient)))
			}
			if largest(c.Logits) > 100 || c.Clip > 0 || len(partial) > 0 { // where differences are too coarse, or the slope has jumps
				continue
			}
			exact, z := loss(c.Classes, double), torch.FromSlice(c.Logits, len(c.Labels), c.Classes)
			apply := func(x torch.Tensor) torch.Tensor { return exact.Apply(x, y) }
			torchtest.GradCheck(t, name+" "+c.Name, apply, z)
			v := normal(rng, 1, len(c.Labels), c.Classes)
			torchtest.GradCheck(t, name+" "+c.Name+" second", func(x torch.Tensor) torch.Tensor {
				if !x.RequiresGrad() {
					x = x.Detach().SetRequiresGrad(true)
				}
				return torch.Grad(apply(x), []torch.Tensor{x}, true)[0].Mul(v).Sum()
			}, z)
		}
		z := torch.Zeros(double.Options, 4, 3)
		torchtest.Raises(t, torch.Index, func() { loss(3, double).Apply(z, torch.FromSlice([]int64{0, 1, 2, 3})) })
		torchtest.Raises(t, torch.Shape, func() { loss(3, double).Apply(z, torch.FromSlice([]int64{0, 1, 2, 0, 1})) })
	})
}

// trained is a Trainer as a function of the logits of one network: Apply is the loss of
// a batch whose rows are 0 to N-1, at the last of many epochs.
type trained struct{ losses.Trainer }

func (t trained) Apply(z, y torch.Tensor) torch.Tensor {
	return t.Train(losses.Batch{
		X: z, Labels: y, Rows: torch.Arange(0, float64(y.Size(0)), 1, torch.Options{DType: torch.Int64}), Epoch: 100,
		Rand: rand.New(rand.NewPCG(1, 2)), Forward: func(x torch.Tensor) torch.Tensor { return x },
	})
}

func largest(v []float64) (top float64) {
	for _, x := range v {
		top = max(top, math.Abs(x))
	}
	return top
}

func TestCrossEntropyEqualsFormula(t *testing.T) {
	checkGolden(t, "cross-entropy", losses.NewCrossEntropy)
}
