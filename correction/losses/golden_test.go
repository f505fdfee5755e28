package losses_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Losses and gradients equal PyTorch's by the formulas of the papers (testdata/losses.py): for batches of one
// example, of one class, of probabilities 0 and 1, clipped and not.
func TestLossesEqualFormulas(t *testing.T) {
	for _, name := range []string{
		"cross-entropy", "gce", "label-smoothing", "mae", "nce-rce", "negative-label-smoothing", "reweight", "sce",
	} {
		cases := readGolden[[]struct {
			Name             string
			Classes          int
			Clip, Loss       float64
			Logits, Gradient []float64
			Labels           []int64
		}](t, name)
		expect.Same(t, 12, len(cases), "cases of", name)
		torchtest.NoLeak(t, func() {
			for _, c := range cases {
				y := torch.FromSlice(c.Labels)
				for dtype, tolerance := range dtypes {
					loss := newLoss(t, name, goldenT(c.Classes), losses.Options{Clip: c.Clip, Options: torch.Options{DType: dtype}})
					if trainer, ok := loss.(losses.Trainer); ok {
						loss = trained{trainer}
					}
					z := torch.FromSlice(c.Logits, len(c.Labels), c.Classes).ToDType(dtype)
					checkValue(t, fmt.Sprintf("%s %s clip=%v %v", name, c.Name, c.Clip, dtype),
						func(z torch.Tensor) torch.Tensor { return loss.Apply(z, y) }, z, c.Loss, c.Gradient, tolerance)
				}
			}
		})
	}
}

// Losses, gradients and targets of three steps equal testdata/elr.py's, with probabilities 0 and 1 among them.
func TestELREqualsFormula(t *testing.T) {
	steps := readGolden[[]struct {
		Rows, Labels              []int64
		Logits, Gradient, Targets []float64
		Loss                      float64
	}](t, "elr")
	expect.Same(t, 3, len(steps), "steps")
	defer torchtest.Scoped(t)()
	for dtype, tolerance := range dtypes {
		loss := newLoss(t, "elr", goldenT(3), losses.Options{Rows: 6, Options: torch.Options{DType: dtype}})
		kept := loss.(losses.Stateful).State()["targets"]
		for _, s := range steps {
			b := losses.Batch{Labels: torch.FromSlice(s.Labels), Rows: torch.FromSlice(s.Rows)}
			checkValue(t, "elr", func(z torch.Tensor) torch.Tensor { return train(loss, z, b) },
				torch.FromSlice(s.Logits, 4, 3).ToDType(dtype), s.Loss, s.Gradient, tolerance)
			torchtest.Close(t, "targets", kept.ToDType(torch.Float64), s.Targets, tolerance)
		}
	}
}

// Losses and gradients at several epochs equal Algorithm 1's in testdata/coteaching.py.
func TestCoTeachingEqualsAlgorithm(t *testing.T) {
	golden := readGolden[struct {
		Shares, Logits []float64
		Labels         []int64
		Epochs         []struct {
			Epoch    int
			Loss     float64
			Gradient []float64
		}
	}](t, "co-teaching")
	expect.Same(t, 4, len(golden.Epochs), "epochs")
	m := matrixOf(t, [][]float64{{.9, .1, 0, 0}, {0, .8, .2, 0}, {0, 0, .7, .3}, {.7, 0, 0, .3}})
	defer torchtest.Scoped(t)()
	for dtype, tolerance := range dtypes {
		loss := newLoss(t, "co-teaching", m, losses.Options{Shares: golden.Shares, Options: torch.Options{DType: dtype}})
		for _, e := range golden.Epochs {
			b := losses.Batch{Labels: torch.FromSlice(golden.Labels), Epoch: e.Epoch}
			checkValue(t, "co-teaching", func(z torch.Tensor) torch.Tensor { return train(loss, z, b) },
				torch.FromSlice(golden.Logits, 2, 10, 4).ToDType(dtype), e.Loss, e.Gradient, tolerance)
		}
	}
}

// The loss and its gradient equal the paper's algorithm in testdata/gold.py.
func TestGoldEqualsAlgorithm(t *testing.T) {
	golden := readGolden[struct {
		Labels, Rows     []int64
		Trusted          []correction.Trusted
		Logits, Gradient []float64
		Loss             float64
	}](t, "gold")
	defer torchtest.Scoped(t)()
	for dtype, tolerance := range dtypes {
		loss := newLoss(t, "gold", goldenT(4), losses.Options{
			Rows: 10, Trusted: golden.Trusted, Options: torch.Options{DType: dtype},
		})
		b := losses.Batch{Labels: torch.FromSlice(golden.Labels), Rows: torch.FromSlice(golden.Rows)}
		checkValue(t, "gold", func(z torch.Tensor) torch.Tensor { return train(loss, z, b) },
			torch.FromSlice(golden.Logits, 8, 4).ToDType(dtype), golden.Loss, golden.Gradient, tolerance)
	}
}

// Losses and gradients by the weights of a linear network equal the soft labels' in testdata/mixup.py.
func TestMixupEqualsFormula(t *testing.T) {
	golden := readGolden[struct {
		X, W          []float64
		Labels, Order []int64
		Cases         []struct {
			Weight, Loss float64
			Gradient     []float64
		}
	}](t, "mixup")
	expect.Same(t, 4, len(golden.Cases), "cases")
	defer torchtest.Scoped(t)()
	for dtype, tolerance := range dtypes {
		loss := newLoss(t, "mixup", goldenT(3), losses.Options{Options: torch.Options{DType: dtype}})
		x := torch.FromSlice(golden.X, 5, 4).ToDType(dtype)
		for _, c := range golden.Cases {
			checkValue(t, "mixup", func(w torch.Tensor) torch.Tensor {
				return losses.Mixed(loss, losses.Batch{
					X: x, Labels: torch.FromSlice(golden.Labels),
					Forward: func(x torch.Tensor) torch.Tensor { return x.Linear(w, torch.Tensor{}) },
				}, c.Weight, golden.Order)
			}, torch.FromSlice(golden.W, 3, 4).ToDType(dtype), c.Loss, c.Gradient, tolerance)
		}
	}
}

// The loss, its gradients and T after 25 steps equal the paper's equation in testdata/volume.py.
func TestVolumeMinimizationEqualsFormula(t *testing.T) {
	golden := readGolden[struct {
		Labels          []int64
		Logits, Learned []float64
		Loss            float64
		ByLogits        []float64 `json:"by_logits"`
		ByV             []float64 `json:"by_v"`
	}](t, "volume-minimization")
	defer torchtest.Scoped(t)()
	labels := torch.FromSlice(golden.Labels)
	for dtype, tolerance := range dtypes {
		tolerance = max(tolerance, 1e-11)
		o := losses.Options{Options: torch.Options{DType: dtype}, Settings: losses.Settings{Lambda: .05}}
		loss := newLoss(t, "volume-minimization", goldenT(4), o)
		learner := loss.(losses.Learner)
		params := learner.Parameters()
		apply := func(z torch.Tensor) torch.Tensor { return train(loss, z, losses.Batch{Labels: labels}) }
		z := torch.FromSlice(golden.Logits, 8, 4).ToDType(dtype)
		checkValue(t, "volume minimization", apply, z, golden.Loss, golden.ByLogits, tolerance)
		by := torch.Grad(apply(z), []torch.Tensor{params[0].Tensor}, false)[0]
		torchtest.Close(t, "gradient by V", by.ToDType(torch.Float64), golden.ByV, tolerance)
		optimizer := optim.NewSGD(optim.SGD{LearningRate: .5, WeightDecay: .1}, params)
		for range 25 {
			optimizer.ZeroGrad()
			apply(z).Backward()
			optimizer.Step()
		}
		torchtest.Near(t, "T after 25 steps", slices.Concat(learner.Learned().Rows()...), golden.Learned, 100*tolerance)
	}
}

// Each loss reads its constants: one example with p = 3/4 and 1/4 and the first label.
func TestSettingsAreRead(t *testing.T) {
	const l, other = -0.2876820724517809, -1.3862943611198906 // log p
	for _, tt := range []struct {
		loss string
		s    losses.Settings
		want float64
	}{
		{"gce", losses.Settings{Q: .5}, (1 - 0.8660254037844386) / .5},
		{"gce", losses.Settings{Q: 1}, .25},
		{"sce", losses.Settings{Alpha: 3, Beta: 5}, -3*l + 5*4*.25},
		{"sce", losses.Settings{Alpha: 3, Beta: 5, LogZero: -9}, -3*l + 5*9*.25},
		{"nce-rce", losses.Settings{Alpha: 2, Beta: 10, LogZero: -7}, 2*l/(l+other) + 10*7*.25},
		{"label-smoothing", losses.Settings{Smoothing: .3}, -.85*l - .15*other},
		{"negative-label-smoothing", losses.Settings{Smoothing: -.3}, -1.15*l + .15*other},
		{"elr", losses.Settings{Lambda: 5, Beta: .5}, -l + 5*-0.3746934494414107}, // log(1 - sum p p/2)
	} {
		torchtest.NoLeak(t, func() {
			o := double
			o.Rows, o.Settings = 1, tt.s
			loss := newLoss(t, tt.loss, goldenT(2), o)
			if trainer, ok := loss.(losses.Trainer); ok {
				loss = trained{trainer}
			}
			got := loss.Apply(torch.FromSlice([]float64{1.0986122886681098, 0}, 1, 2), torch.FromSlice([]int64{0}))
			torchtest.Close(t, fmt.Sprintf("%s %+v", tt.loss, tt.s), got, []float64{tt.want}, 1e-12)
		})
	}
}
