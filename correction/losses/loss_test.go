package losses_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

var double = losses.Options{Options: torch.Options{DType: torch.Float64}}

func clipping(o losses.Options, clip float64) losses.Options {
	o.Clip = clip
	return o
}

// randomMatrix is diagonally dominant, so that it has an inverse.
func randomMatrix(t testing.TB, rng *rand.Rand, c int) *correction.Matrix {
	t.Helper()
	rows := make([][]float64, c)
	for i := range rows {
		rows[i] = make([]float64, c)
		sum := 0.0
		for j := range rows[i] {
			rows[i][j] = rng.Float64()
			if i == j {
				rows[i][j] += float64(c)
			} else if rng.IntN(3) == 0 {
				rows[i][j] = 0
			}
			sum += rows[i][j]
		}
		for j := range rows[i] {
			rows[i][j] /= sum
		}
	}
	m, err := correction.NewMatrix(names(c), rows)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func names(c int) []string {
	out := make([]string, c)
	for i := range out {
		out[i] = fmt.Sprint("class ", i)
	}
	return out
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

// composed is the same losses out of plain differentiable operations, through
// probabilities instead of logarithms: the oracle for values and gradients.
func composed(t testing.TB, name string, m *correction.Matrix, clip float64, z, y torch.Tensor) torch.Tensor {
	t.Helper()
	p := z.Softmax(1)
	if clip > 0 {
		p = p.Clamp(clip, 1-clip)
	}
	at := func(x torch.Tensor) torch.Tensor { return x.Gather(1, y.Unsqueeze(1)) }
	switch name {
	case "cross-entropy":
		return at(p.Log().Neg()).Mean()
	case "forward":
		return at(p.Mm(torch.FromDense(m.Dense())).Log().Neg()).Mean()
	}
	return at(p.Log().Neg().Mm(torch.FromDense(m.Dense()).Inverse().T())).Mean()
}

func lossesOf(t testing.TB, m *correction.Matrix, o losses.Options) []losses.Loss {
	t.Helper()
	b, err := losses.NewBackward(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return []losses.Loss{losses.NewCrossEntropy(m.Dim(), o), losses.NewForward(m, o), b}
}

// Values, first and second derivatives equal those of the composed loss.
func TestLossesEqualComposed(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, c := range []int{2, 3, 10} {
			for _, clip := range []float64{0, 1e-7, 0.02} {
				m := randomMatrix(t, rng, c)
				z, y := normal(rng, 2, 6, c).SetRequiresGrad(true), labelsOf(rng, 6, c)
				for _, loss := range lossesOf(t, m, clipping(double, clip)) {
					name := fmt.Sprintf("%s c=%d clip=%v", loss.Name(), c, clip)
					got, want := loss.Apply(z, y), composed(t, loss.Name(), m, clip, z, y)
					torchtest.Close(t, name, got, torch.Slice[float64](want), 1e-12)
					inputs := []torch.Tensor{z}
					g, w := torch.Grad(got, inputs, true)[0], torch.Grad(want, inputs, true)[0]
					torchtest.Close(t, name+" gradient", g, torch.Slice[float64](w), 1e-12)
					v := normal(rng, 1, 6, c)
					hg, hw := torch.Grad(g.Mul(v).Sum(), inputs, false)[0], torch.Grad(w.Mul(v).Sum(), inputs, false)[0]
					torchtest.Close(t, name+" Hessian-vector product", hg, torch.Slice[float64](hw), 1e-10)
				}
			}
		}
	})
}

// With T = I both corrections are cross-entropy.
func TestIdentityIsCrossEntropy(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(3, 4))
		m, err := correction.Identity(names(7))
		if err != nil {
			t.Fatal(err)
		}
		z, y := normal(rng, 3, 20, 7).SetRequiresGrad(true), labelsOf(rng, 20, 7)
		losses := lossesOf(t, m, double)
		want := losses[0].Apply(z, y)
		gradient := torch.Slice[float64](torch.Grad(want, []torch.Tensor{z}, false)[0])
		for _, loss := range losses[1:] {
			got := loss.Apply(z, y)
			torchtest.Close(t, loss.Name(), got, []float64{want.Item()}, 1e-12)
			torchtest.Close(t, loss.Name()+" gradient", torch.Grad(got, []torch.Tensor{z}, false)[0], gradient, 1e-12)
		}
	})
}

// Theorem 1: the expectation of the backward loss over the noisy label of an
// example is its clean loss.
func TestTheorem1BackwardIsUnbiased(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(5, 6))
		for _, c := range []int{2, 5, 10} {
			m := randomMatrix(t, rng, c)
			losses := lossesOf(t, m, double)
			z := normal(rng, 3, 1, c)
			for y := range c {
				clean := losses[0].Apply(z, torch.FromSlice([]int64{int64(y)})).Item()
				mean := 0.0
				for noisy := range c {
					mean += m.At(y, noisy) * losses[2].Apply(z, torch.FromSlice([]int64{int64(noisy)})).Item()
				}
				torchtest.Near(t, "expected backward loss", []float64{mean}, []float64{clean}, 1e-10)
			}
		}
	})
}

// Theorem 2: descending the expected forward loss under noise leads to the clean
// class probabilities, the minimiser of the clean cross-entropy.
func TestTheorem2ForwardMinimiser(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(7, 8))
		const c = 4
		m := randomMatrix(t, rng, c)
		clean := torch.Slice[float64](normal(rng, 1, c).Softmax(0))
		loss := losses.NewForward(m, double)
		z := torch.Zeros(double.Options, 1, c).SetRequiresGrad(true)
		for range 3000 {
			torch.Scope(func() {
				total := torch.Scalar(0, double.Options)
				for noisy := range c {
					q := 0.0
					for y := range c {
						q += clean[y] * m.At(y, noisy)
					}
					total = total.Add(loss.Apply(z, torch.FromSlice([]int64{int64(noisy)})).MulScalar(q))
				}
				g := torch.Grad(total, []torch.Tensor{z}, false)[0]
				torch.NoGrad(func() { z.AddInPlace(g, -4) })
			})
		}
		torchtest.Close(t, "minimiser", z.Softmax(1), clean, 1e-6)
	})
}

// At logits of +-1e4 in float32 nothing overflows: values and gradients are
// finite and, where they can be had exactly, right.
func TestLossesAtSaturation(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(9, 10))
		for _, c := range []int{2, 10, 100} {
			m := randomMatrix(t, rng, c)
			data := make([]float32, c)
			for i := range data {
				data[i] = -1e4
			}
			data[0] = 1e4
			for _, clip := range []float64{0, 1e-7} {
				for _, loss := range lossesOf(t, m, losses.Options{Clip: clip}) {
					for _, y := range []int64{0, int64(c - 1)} {
						z := torch.FromSlice(data, 1, c).SetRequiresGrad(true)
						v := loss.Apply(z, torch.FromSlice([]int64{y}))
						g := torch.Slice[float64](torch.Grad(v, []torch.Tensor{z}, false)[0])
						if x := v.Item(); math.IsNaN(x) || math.IsInf(x, 0) {
							t.Errorf("%s c=%d clip=%v y=%d: loss %v", loss.Name(), c, clip, y, x)
						}
						for _, x := range g {
							if math.IsNaN(x) || math.Abs(x) > 1e4 {
								t.Errorf("%s c=%d clip=%v y=%d: gradient %v", loss.Name(), c, clip, y, x)
							}
						}
						if loss.Name() == "cross-entropy" && clip == 0 {
							want := map[bool]float64{true: 0, false: 2e4}[y == 0]
							torchtest.Near(t, "saturated cross-entropy", []float64{v.Item()}, []float64{want}, 1e-6)
						}
					}
				}
			}
		}
	})
}

// A label that no class can be given leaves the network alone.
func TestForwardOfImpossibleLabel(t *testing.T) {
	torchtest.NoLeak(t, func() {
		m, err := correction.NewMatrix(names(3), [][]float64{{1, 0, 0}, {.5, .5, 0}, {0, 1, 0}})
		if err != nil {
			t.Fatal(err)
		}
		z := torch.FromSlice([]float64{1, 2, 3}, 1, 3).SetRequiresGrad(true)
		v := losses.NewForward(m, double).Apply(z, torch.FromSlice([]int64{2}))
		torchtest.Close(t, "gradient", torch.Grad(v, []torch.Tensor{z}, false)[0], []float64{0, 0, 0}, 1e-12)
	})
}

func TestBackwardRefusesSingular(t *testing.T) {
	torchtest.Open(t)
	m, err := correction.NewMatrix(names(2), [][]float64{{.5, .5}, {.5, .5}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := losses.NewBackward(m, double); err == nil || !strings.Contains(err.Error(), "it is singular: use forward correction") {
		t.Errorf("a singular T: error is %v", err)
	}
}

func TestLossRefusesMisfits(t *testing.T) {
	torchtest.NoLeak(t, func() {
		m, _ := correction.Identity(names(3))
		z := torch.Zeros(double.Options, 4, 3)
		for _, loss := range lossesOf(t, m, double) {
			torchtest.Raises(t, torch.Index, func() { loss.Apply(z, torch.FromSlice([]int64{0, 1, 2, 3})) })
			torchtest.Raises(t, torch.Shape, func() { loss.Apply(z, torch.FromSlice([]int64{0, 1, 2, 0, 1})) })
		}
	})
}
