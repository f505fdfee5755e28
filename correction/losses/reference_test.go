package losses_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// reference is a loss of one example with label y by the formulas of the paper, in float64 without tensors: its value
// and w = -dL/dl as functions of log-probabilities l.
type reference func(l []float64, y int) (value float64, w []float64)

// at returns value and gradient at logits h: p sum(w) - w, where w is 0 for clipped l.
func (r reference) at(h []float64, y int, clip float64) (value float64, gradient []float64) {
	l := slices.Clone(h)
	floats.AddConst(-floats.Max(l), l)
	floats.AddConst(-floats.LogSumExp(l), l)
	clipped := slices.Clone(l)
	if clip > 0 {
		for k, v := range l {
			clipped[k] = min(max(v, math.Log(clip)), math.Log1p(-clip))
		}
	}
	value, w := r(clipped, y)
	for k := range w {
		if clipped[k] != l[k] {
			w[k] = 0
		}
	}
	gradient = make([]float64, len(h))
	for k, v := range l {
		gradient[k] = math.Exp(v)*floats.Sum(w) - w[k]
	}
	return value, gradient
}

// withTarget makes a reference of a target w: value -sum w l.
func withTarget(target func(l []float64, y int, w []float64)) reference {
	return func(l []float64, y int) (value float64, w []float64) {
		w = make([]float64, len(l))
		target(l, y, w)
		return -floats.Dot(w, l), w
	}
}

func sigma(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func squareOfSigma(m float64) float64 { return sigma(-2*m) * sigma(-2*m) }

func slopeOfSavage(m float64) float64 { return -4 * squareOfSigma(m) * sigma(2*m) }

// references are the losses after a softmax.
func references(t *testing.T, m *correction.Matrix) map[string]reference {
	t.Helper()
	var inverse mat.Dense
	expect.OK(t, inverse.Inverse(m.ByLabel().T()))
	return map[string]reference{
		"cross-entropy": withTarget(func(_ []float64, y int, w []float64) { w[y] = 1 }),
		"backward":      withTarget(func(_ []float64, y int, w []float64) { mat.Row(w, y, &inverse) }),
		"bootstrap-hard": withTarget(func(l []float64, y int, w []float64) {
			w[y] = .8
			w[floats.MaxIdx(l)] += .2
		}),
		"forward": func(l []float64, y int) (float64, []float64) { // -log sum_j T_jy p_j
			joint := slices.Clone(l)
			for j := range joint {
				joint[j] += math.Log(m.At(j, y))
			}
			sum := floats.LogSumExp(joint)
			for j, v := range joint {
				joint[j] = math.Exp(v - sum)
			}
			return -sum, joint
		},
		"bootstrap-soft": func(l []float64, y int) (value float64, w []float64) { // its target has a gradient
			w = make([]float64, len(l))
			for k, v := range l {
				value -= .05 * math.Exp(v) * v
				w[k] = .05 * math.Exp(v) * (1 + v)
			}
			w[y] += .95
			return value - .95*l[y], w
		},
		"savage": func(l []float64, y int) (float64, []float64) { // phi(m) = sigma(-2 m)^2 of m = y p
			c, p, w := float64(len(l)), math.Exp(l[y]), make([]float64, len(l))
			w[y] = -slopeOfSavage(p) * p / c
			return ((c-1)*squareOfSigma(0) + squareOfSigma(p)) / c, w
		},
	}
}

// margin is a loss of logits h without a softmax: the mean of phi(s h), with targets s of 1 for the label and other.
type margin struct {
	other      float64
	phi, slope func(m float64) float64
}

func (r margin) at(h []float64, y int) (value float64, gradient []float64) {
	gradient = make([]float64, len(h))
	for k, v := range h {
		s := r.other
		if k == y {
			s = 1
		}
		value += r.phi(s*v) / float64(len(h))
		gradient[k] = s * r.slope(s*v) / float64(len(h))
	}
	return value, gradient
}

func margins() map[string]margin {
	unhinged := [2]func(float64) float64{func(m float64) float64 { return 1 - m }, func(float64) float64 { return -1 }}
	sigmoid := [2]func(float64) float64{
		func(m float64) float64 { return sigma(-m) }, func(m float64) float64 { return -sigma(m) * sigma(-m) },
	}
	return map[string]margin{
		"unhinged":           {0, unhinged[0], unhinged[1]},
		"unhinged-symmetric": {-1, unhinged[0], unhinged[1]},
		"sigmoid":            {0, sigmoid[0], sigmoid[1]},
		"sigmoid-symmetric":  {-1, sigmoid[0], sigmoid[1]},
		"savage-logits":      {-1, squareOfSigma, slopeOfSavage},
	}
}

// Every loss that the paper compares, and its gradient, at logits of +-1e4 and at ordinary ones, clipped and not, in
// float32 and float64, against the formulas in float64.
func TestLossesEqualReference(t *testing.T) {
	defer torchtest.Scoped(t)()
	type formula func(h []float64, y int) (value float64, gradient []float64)
	check := func(name string, m *correction.Matrix, o losses.Options, want formula) {
		loss, c, rng := newLoss(t, name, m, o), m.Dim(), rand.New(rand.NewPCG(31, 32))
		for _, scale := range []float64{1, 1e4} {
			for _, y := range []int{0, c / 2, c - 1} {
				h := make([]float64, c) // of either sign, the first +scale and the last -scale
				for k := range h {
					h[k] = scale * float64(2*rng.IntN(2)-1)
				}
				h[0], h[c-1] = scale, -scale
				value, gradient := want(h, y)
				apply := func(z torch.Tensor) torch.Tensor { return loss.Apply(z, torch.FromSlice([]int64{int64(y)})) }
				checkValue(t, fmt.Sprintf("%s %v c=%d clip=%v scale=%v y=%d", name, o.DType, c, o.Clip, scale, y), apply,
					torch.FromSlice(h, 1, c).ToDType(o.DType), value, gradient, dtypes[o.DType])
			}
		}
	}
	for _, c := range []int{2, 10, 100} {
		m := correctiontest.RandomMatrix(t, rand.New(rand.NewPCG(33, 34)), c)
		for dtype := range dtypes {
			o := losses.Options{Options: torch.Options{DType: dtype}}
			for name, r := range margins() {
				check(name, m, o, r.at)
			}
			for _, clip := range []float64{0, 1e-7, .02} {
				o.Clip = clip
				for name, r := range references(t, m) {
					check(name, m, o, func(h []float64, y int) (float64, []float64) { return r.at(h, y, clip) })
				}
			}
		}
	}
}

// An impossible label does not move the network.
func TestForwardOfImpossibleLabel(t *testing.T) {
	defer torchtest.Scoped(t)()
	m := matrixOf(t, [][]float64{{1, 0, 0}, {.5, .5, 0}, {0, 1, 0}})
	z := torch.FromSlice([]float64{1, 2, 3}, 1, 3).SetRequiresGrad(true)
	v := losses.NewForward(m, double).Apply(z, torch.FromSlice([]int64{2}))
	torchtest.Close(t, "gradient", torch.Grad(v, []torch.Tensor{z}, false)[0], []float64{0, 0, 0}, 1e-12)
}
