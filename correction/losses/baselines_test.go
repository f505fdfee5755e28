package losses_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// baseline is a loss that the paper compares with, and the same out of plain
// differentiable operations on logits z, probabilities p and one-hot labels e.
type baseline struct {
	loss     losses.Loss
	composed func(z, p, e torch.Tensor) torch.Tensor
}

// signs turns one-hot labels into targets of +-1.
func signs(e torch.Tensor) torch.Tensor { return e.MulScalar(2).SubScalar(1) }

func sigmoidOf(x torch.Tensor) torch.Tensor { return inverse(x.Neg().Exp().AddScalar(1)) }

func unitRows(y torch.Tensor, classes int, o torch.Options) torch.Tensor {
	return torch.Eye(classes, o).IndexSelect(0, y)
}

func inverse(x torch.Tensor) torch.Tensor { return torch.Ones(x.Options()).Div(x) }

func savageOf(m torch.Tensor) torch.Tensor {
	return inverse(m.MulScalar(2).Exp().AddScalar(1).Square()).Mean()
}

func bootstrap(share float64, own func(p torch.Tensor) torch.Tensor) func(z, p, e torch.Tensor) torch.Tensor {
	return func(_, p, e torch.Tensor) torch.Tensor {
		return e.MulScalar(share).Add(own(p).MulScalar(1 - share)).Mul(p.Log()).Sum(1).Mean().Neg()
	}
}

func baselines(c int, o losses.Options) []baseline {
	published := losses.MarginOptions{Options: o.Options}
	symmetric := losses.MarginOptions{Options: o.Options, Symmetric: true}
	return []baseline{
		{losses.NewUnhinged(c, published), func(z, _, e torch.Tensor) torch.Tensor { return e.Mul(z).Neg().AddScalar(1).Mean() }},
		{losses.NewUnhinged(c, symmetric), func(z, _, e torch.Tensor) torch.Tensor { return signs(e).Mul(z).Neg().AddScalar(1).Mean() }},
		{losses.NewSigmoid(c, published), func(z, _, e torch.Tensor) torch.Tensor { return sigmoidOf(e.Mul(z).Neg()).Mean() }},
		{losses.NewSigmoid(c, symmetric), func(z, _, e torch.Tensor) torch.Tensor { return sigmoidOf(signs(e).Mul(z).Neg()).Mean() }},
		{losses.NewSavage(c, o), func(_, p, e torch.Tensor) torch.Tensor { return savageOf(e.Mul(p)) }},
		{losses.NewSavageLogits(c, published), func(z, _, e torch.Tensor) torch.Tensor { return savageOf(signs(e).Mul(z)) }},
		{losses.NewBootstrapSoft(c, o), bootstrap(.95, func(p torch.Tensor) torch.Tensor { return p })},
		{losses.NewBootstrapHard(c, o), bootstrap(.8, func(p torch.Tensor) torch.Tensor { return unitRows(p.Argmax(1), c, o.Options) })},
	}
}

// Values, first and second derivatives equal those of the composed loss. The
// unhinged loss is linear and has no second ones.
func TestBaselinesEqualComposed(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(21, 22))
		for _, c := range []int{2, 10, 100} {
			for _, clip := range []float64{0, 1e-7, 0.02} {
				z, y := normal(rng, 2, 6, c).SetRequiresGrad(true), labelsOf(rng, 6, c)
				e := unitRows(y, c, double.Options)
				for _, b := range baselines(c, clipping(double, clip)) {
					p := z.Softmax(1)
					if clip > 0 {
						p = p.Clamp(clip, 1-clip)
					}
					name := fmt.Sprintf("%s c=%d clip=%v", b.loss.Name(), c, clip)
					got, want := b.loss.Apply(z, y), b.composed(z, p, e)
					torchtest.Close(t, name, got, torch.Slice[float64](want), 1e-12)
					inputs := []torch.Tensor{z}
					g, w := torch.Grad(got, inputs, true)[0], torch.Grad(want, inputs, true)[0]
					torchtest.Close(t, name+" gradient", g, torch.Slice[float64](w), 1e-12)
					if !w.RequiresGrad() {
						continue
					}
					v := normal(rng, 1, 6, c)
					hg, hw := torch.Grad(g.Mul(v).Sum(), inputs, false)[0], torch.Grad(w.Mul(v).Sum(), inputs, false)[0]
					torchtest.Close(t, name+" Hessian-vector product", hg, torch.Slice[float64](hw), 1e-10)
				}
			}
		}
	})
}

// At logits of +-1e4 in float32 values and gradients equal those in float64,
// where the composed loss would overflow.
func TestBaselinesAtSaturation(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for _, c := range []int{2, 10, 100} {
			data := make([]float32, 2*c)
			for k := range data {
				data[k] = -1e4
			}
			data[0], data[c] = 1e4, 1e4
			y := torch.FromSlice([]int64{0, int64(c - 1)})
			for _, clip := range []float64{0, 1e-7} {
				single, exact := baselines(c, losses.Options{Clip: clip}), baselines(c, clipping(double, clip))
				for k, b := range single {
					z := torch.FromSlice(data, 2, c).SetRequiresGrad(true)
					wide := z.Detach().To(double.Options).SetRequiresGrad(true)
					v, want := b.loss.Apply(z, y), exact[k].loss.Apply(wide, y)
					name := fmt.Sprintf("%s c=%d clip=%v", b.loss.Name(), c, clip)
					if x := want.Item(); math.IsNaN(x) || math.IsInf(x, 0) || math.Abs(x) > 1e5 {
						t.Errorf("%s: loss %v", name, x)
					}
					// Clipping at 1 - 1e-7 rounds by 2e-8 in float32.
					torchtest.Close(t, name, v, []float64{want.Item()}, 1e-6*(1+math.Abs(want.Item())))
					g := torch.Grad(v, []torch.Tensor{z}, false)[0]
					w := torch.Slice[float64](torch.Grad(want, []torch.Tensor{wide}, false)[0])
					torchtest.Close(t, name+" gradient", g, w, 1e-6)
				}
			}
		}
	})
}

// Only the logit of the given label moves under the published margins, by
// 1/c; the symmetric form moves all.
func TestPublishedMarginsMoveTheTrueLogitAlone(t *testing.T) {
	torchtest.NoLeak(t, func() {
		z := torch.FromSlice([]float64{3, -2, .5, 0}, 1, 4).SetRequiresGrad(true)
		y := torch.FromSlice([]int64{2})
		gradient := func(l losses.Loss) torch.Tensor { return torch.Grad(l.Apply(z, y), []torch.Tensor{z}, false)[0] }
		published := losses.MarginOptions{Options: double.Options}
		symmetric := losses.MarginOptions{Options: double.Options, Symmetric: true}
		torchtest.Close(t, "unhinged", gradient(losses.NewUnhinged(4, published)), []float64{0, 0, -.25, 0}, 1e-15)
		torchtest.Close(t, "unhinged-symmetric", gradient(losses.NewUnhinged(4, symmetric)), []float64{.25, .25, -.25, .25}, 1e-15)
		slope := math.Exp(-.5) / math.Pow(1+math.Exp(-.5), 2) / 4
		torchtest.Close(t, "sigmoid", gradient(losses.NewSigmoid(4, published)), []float64{0, 0, -slope, 0}, 1e-15)
	})
}

// The published Savage hardly moves: at equal probabilities its gradient is
// 4.5e-3 of cross-entropy's for 10 classes and 4.9e-5 for 100 (method.md).
func TestSavageGradientScale(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for c, want := range map[int]float64{10: 4.5e-3, 100: 4.9e-5} {
			z := torch.Zeros(double.Options, 1, c).SetRequiresGrad(true)
			y := torch.FromSlice([]int64{1})
			size := func(l losses.Loss) float64 {
				return torch.Grad(l.Apply(z, y), []torch.Tensor{z}, false)[0].Norm(2).Item()
			}
			got := size(losses.NewSavage(c, double)) / size(losses.NewCrossEntropy(c, double))
			torchtest.Near(t, fmt.Sprintf("share of cross-entropy's gradient, c=%d", c), []float64{got}, []float64{want}, .02*want)
		}
	})
}

func TestBaselinesRefuseMisfits(t *testing.T) {
	torchtest.NoLeak(t, func() {
		z := torch.Zeros(double.Options, 4, 3)
		for _, b := range baselines(3, double) {
			torchtest.Raises(t, torch.Index, func() { b.loss.Apply(z, torch.FromSlice([]int64{0, 1, 2, 3})) })
			torchtest.Raises(t, torch.Shape, func() { b.loss.Apply(z, torch.FromSlice([]int64{0, 1, 2, 0, 1})) })
		}
	})
}
