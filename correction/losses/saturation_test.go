package losses_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// reference is the loss and its gradient at one example, by the formulas of the
// paper in Go's float64 alone, without a tensor: h are logits, l their
// log-softmax, y the label.
type reference func(h, l []float64, y int) (value float64, gradient []float64)

func logSoftmax(h []float64) []float64 {
	top, sum := h[0], 0.
	for _, v := range h {
		top = max(top, v)
	}
	for _, v := range h {
		sum += math.Exp(v - top)
	}
	l := make([]float64, len(h))
	for k, v := range h {
		l[k] = v - top - math.Log(sum)
	}
	return l
}

func oneHot(k, y int) float64 {
	if k == y {
		return 1
	}
	return 0
}

// afterSoftmax makes a reference of a target w: value -sum w l, gradient p - w.
func afterSoftmax(target func(l []float64, y int) []float64) reference {
	return func(_, l []float64, y int) (value float64, gradient []float64) {
		gradient = make([]float64, len(l))
		for k, w := range target(l, y) {
			if w != 0 {
				value -= w * l[k]
			}
			gradient[k] = math.Exp(l[k]) - w
		}
		return value, gradient
	}
}

// ofMargins makes a reference of phi and its slope: mean of phi(s h), targets s.
func ofMargins(target func(k, y int) float64, phi, slope func(m float64) float64) reference {
	return func(h, _ []float64, y int) (value float64, gradient []float64) {
		c := float64(len(h))
		gradient = make([]float64, len(h))
		for k, v := range h {
			s := target(k, y)
			value += phi(s*v) / c
			gradient[k] = s * slope(s*v) / c
		}
		return value, gradient
	}
}

func sigma(x float64) float64 {
	if x < 0 {
		return math.Exp(x) / (1 + math.Exp(x))
	}
	return 1 / (1 + math.Exp(-x))
}

func squareOfSigma(m float64) float64 { return sigma(-2*m) * sigma(-2*m) }

func slopeOfSavage(m float64) float64 { return -4 * squareOfSigma(m) * sigma(2*m) }

// savageOfSoftmax has phi(m) = sigma(-2 m)^2 of m = y p, chained through softmax.
func savageOfSoftmax(_, l []float64, y int) (float64, []float64) {
	c, p := float64(len(l)), math.Exp(l[y])
	gradient := make([]float64, len(l))
	for k := range l {
		gradient[k] = slopeOfSavage(p) / c * p * (oneHot(k, y) - math.Exp(l[k]))
	}
	return ((c-1)*squareOfSigma(0) + squareOfSigma(p)) / c, gradient
}

// softBootstrap has the gradient through its own target as well.
func softBootstrap(_, l []float64, y int) (value float64, gradient []float64) {
	const share = .95
	w, sum := make([]float64, len(l)), 0.
	for k, v := range l {
		p := math.Exp(v)
		value -= (share*oneHot(k, y) + (1-share)*p) * v
		w[k] = share*oneHot(k, y) + (1-share)*p*(1+v)
		sum += w[k]
	}
	gradient = make([]float64, len(l))
	for k, v := range l {
		gradient[k] = math.Exp(v)*sum - w[k]
	}
	return value, gradient
}

// forwardOf is -log sum_j T_jy p_j by the largest term.
func forwardOf(m *correction.Matrix) reference {
	return func(_, l []float64, y int) (float64, []float64) {
		joint := make([]float64, len(l))
		top := math.Inf(-1)
		for j, v := range l {
			joint[j] = math.Log(m.At(j, y)) + v
			top = max(top, joint[j])
		}
		sum := 0.
		for _, v := range joint {
			sum += math.Exp(v - top)
		}
		gradient := make([]float64, len(l))
		for j, v := range l {
			gradient[j] = math.Exp(v) - math.Exp(joint[j]-top)/sum
		}
		return -top - math.Log(sum), gradient
	}
}

// Every loss and its gradient at logits of +-1e4 and at ordinary ones, in float32
// and float64, against the formulas in float64.
func TestLossesEqualReference(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(31, 32))
		symmetric := func(k, y int) float64 { return 2*oneHot(k, y) - 1 }
		for _, c := range []int{2, 10, 100} {
			m := randomMatrix(t, rng, c)
			var inverse mat.Dense
			if err := inverse.Inverse(m.Dense()); err != nil {
				t.Fatal(err)
			}
			unhinged := [2]func(float64) float64{func(m float64) float64 { return 1 - m }, func(float64) float64 { return -1 }}
			sigmoid := [2]func(float64) float64{func(m float64) float64 { return sigma(-m) }, func(m float64) float64 { return -sigma(m) * sigma(-m) }}
			want := map[string]reference{
				"cross-entropy": afterSoftmax(func(l []float64, y int) []float64 {
					w := make([]float64, len(l))
					w[y] = 1
					return w
				}),
				"backward": afterSoftmax(func(_ []float64, y int) []float64 { return mat.Row(nil, y, &inverse) }),
				"bootstrap-hard": afterSoftmax(func(l []float64, y int) []float64 {
					w, top := make([]float64, len(l)), 0
					for k, v := range l {
						if v > l[top] {
							top = k
						}
					}
					w[y] += .8
					w[top] += .2
					return w
				}),
				"forward":            forwardOf(m),
				"bootstrap-soft":     softBootstrap,
				"savage":             savageOfSoftmax,
				"savage-logits":      ofMargins(symmetric, squareOfSigma, slopeOfSavage),
				"unhinged":           ofMargins(oneHot, unhinged[0], unhinged[1]),
				"unhinged-symmetric": ofMargins(symmetric, unhinged[0], unhinged[1]),
				"sigmoid":            ofMargins(oneHot, sigmoid[0], sigmoid[1]),
				"sigmoid-symmetric":  ofMargins(symmetric, sigmoid[0], sigmoid[1]),
			}
			for dtype, tolerance := range map[torch.DType]float64{torch.Float32: 1e-5, torch.Float64: 1e-12} {
				o := losses.Options{Options: torch.Options{DType: dtype}}
				losses := lossesOf(t, m, o)
				for _, b := range baselines(c, o) {
					losses = append(losses, b.loss)
				}
				if len(losses) != len(want) {
					t.Fatalf("%d losses, %d references", len(losses), len(want))
				}
				for _, loss := range losses {
					for _, scale := range []float64{1, 1e4} {
						for _, y := range []int{0, c / 2, c - 1} {
							checkLoss(t, fmt.Sprintf("%s %v c=%d scale=%v y=%d", loss.Name(), dtype, c, scale, y),
								loss, want[loss.Name()], saturated(rng, c, scale), y, dtype, tolerance)
						}
					}
				}
			}
		}
	})
}

// saturated are c logits of either sign, the first +scale and the last -scale.
func saturated(rng *rand.Rand, c int, scale float64) []float64 {
	h := make([]float64, c)
	for k := range h {
		h[k] = scale * float64(2*rng.IntN(2)-1)
	}
	h[0], h[c-1] = scale, -scale
	return h
}

// checkLoss allows for rounding relative to the larger of 1 and the value.
func checkLoss(t *testing.T, name string, loss losses.Loss, want reference, h []float64, y int, dtype torch.DType, tolerance float64) {
	t.Helper()
	torch.Scope(func() {
		z := torch.FromSlice(h, 1, len(h)).ToDType(dtype).SetRequiresGrad(true)
		got := loss.Apply(z, torch.FromSlice([]int64{int64(y)}))
		value, gradient := want(h, logSoftmax(h), y)
		torchtest.Close(t, name, got.ToDType(torch.Float64), []float64{value}, tolerance*max(1, math.Abs(value)))
		g := torch.Grad(got, []torch.Tensor{z}, false)[0]
		torchtest.Close(t, name+" gradient", g.ToDType(torch.Float64), gradient, tolerance)
	})
}
