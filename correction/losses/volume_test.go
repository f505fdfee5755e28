package losses_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// The loss, its gradients and what T becomes in 25 steps are those of the paper's equation
// in PyTorch (torch 2.11.0, testdata/volume.py); gradients are those of central
// differences, too.
func TestVolumeMinimizationEqualsFormula(t *testing.T) {
	golden := readGolden[struct {
		Labels          []int64
		Logits, Learned []float64
		Loss            float64
		ByLogits        []float64 `json:"by_logits"`
		ByV             []float64 `json:"by_v"`
	}](t, "volume-minimization")
	torchtest.NoLeak(t, func() {
		labels := torch.FromSlice(golden.Labels)
		for dtype, tolerance := range map[torch.DType]float64{torch.Float32: 1e-5, torch.Float64: 1e-11} {
			o := losses.Options{Options: torch.Options{DType: dtype}}
			o.Settings.Lambda = .05
			loss, err := losses.NewVolumeMinimization(goldenT(t, 4), o)
			if err != nil {
				t.Fatal(err)
			}
			learner := loss.(losses.Learner)
			params := learner.Parameters()
			train := func(z torch.Tensor) torch.Tensor { return (trained{loss.(losses.Trainer)}).Apply(z, labels) }
			z := torch.FromSlice(golden.Logits, 8, 4).ToDType(dtype).SetRequiresGrad(true)
			got := train(z)
			torchtest.Close(t, "loss", got.ToDType(torch.Float64), []float64{golden.Loss}, tolerance)
			by := torch.Grad(got, []torch.Tensor{z, params[0].Tensor}, false)
			torchtest.Close(t, "gradient by the logits", by[0].ToDType(torch.Float64), golden.ByLogits, tolerance)
			torchtest.Close(t, "gradient by V", by[1].ToDType(torch.Float64), golden.ByV, tolerance)
			if dtype == torch.Float64 {
				torchtest.GradCheck(t, "volume minimization", train, z)
			}
			optimizer := optim.NewSGD(optim.SGD{LearningRate: .5, WeightDecay: .1}, params)
			for range 25 {
				optimizer.ZeroGrad()
				train(z.Detach()).Backward()
				optimizer.Step()
			}
			torchtest.Near(t, "T after 25 steps", slices.Concat(learner.Learned().Rows()...), golden.Learned, 100*tolerance)
		}
	})
}

// Validation has forward's loss with T as it is; a T with zeros can be learned from.
func TestVolumeMinimizationInValidation(t *testing.T) {
	torchtest.NoLeak(t, func() {
		m, err := correction.Asymmetric(names(4), .6, []correction.Flip{{From: "class 0", To: "class 1"}})
		if err != nil {
			t.Fatal(err)
		}
		clipped := clipping(double, 1e-3)
		z, y := torch.FromSlice([]float64{30, 0, 0, 1, 0, 1, 2, 3}, 2, 4), torch.FromSlice([]int64{1, 2})
		loss, err := losses.NewVolumeMinimization(m, clipped)
		if err != nil {
			t.Fatal(err)
		}
		torchtest.Close(t, "in validation", loss.Apply(z, y), []float64{losses.NewForward(m, clipped).Apply(z, y).Item()}, 1e-3)
		torchtest.Near(t, "T at the start", slices.Concat(loss.(losses.Learner).Learned().Rows()...), slices.Concat(m.Rows()...), 3e-4)
	})
}

// A T without a volume has a loss of -Inf and no gradient.
func TestVolumeMinimizationRefusesSingular(t *testing.T) {
	alike := func(eps float64) *correction.Matrix {
		m, err := correction.NewMatrix(names(3), [][]float64{{.7, .2, .1}, {.7 - eps, .2 + eps, .1}, {0, 0, 1}})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for eps, want := range map[float64]string{0: "it is singular", 1e-8: "condition number 1."} {
		_, err := losses.NewVolumeMinimization(alike(eps), losses.Options{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "use forward correction") {
			t.Errorf("rows apart by %v: error is %v, want %s", eps, err, want)
		}
	}
}
