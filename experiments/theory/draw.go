package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
)

var double = torch.Options{DType: torch.Float64}

// randomT draws a diagonally dominant transition matrix, which has an inverse and the largest entry of each column on
// the diagonal.
func randomT(rng *rand.Rand, c int) *correction.Matrix {
	rows := make([][]float64, c)
	names := make([]string, c)
	for i := range rows {
		rows[i] = make([]float64, c)
		names[i] = fmt.Sprint("class ", i)
		keep := .55 + .45*rng.Float64()
		sum := 0.0
		for j := range rows[i] {
			if j != i {
				rows[i][j] = rng.ExpFloat64() * float64(rng.IntN(2))
				sum += rows[i][j]
			}
		}
		if sum == 0 {
			keep, sum = 1, 1
		}
		for j := range rows[i] {
			rows[i][j] *= (1 - keep) / sum
		}
		rows[i][i] = keep
	}
	return must(correction.NewMatrix(names, rows))
}

// must unwraps a result that is valid by construction.
func must[V any](v V, err error) V {
	if err != nil {
		panic(&torch.Error{Op: "draw", Kind: torch.Internal, Msg: err.Error()})
	}
	return v
}

func classes(rng *rand.Rand) int { return 2 + rng.IntN(9) }

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

// posterior draws uniformly from the simplex without its rim.
func posterior(rng *rand.Rand, c int) []float64 {
	p := make([]float64, c)
	sum := 0.0
	for i := range p {
		p[i] = .05 + rng.ExpFloat64()
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// noisy returns the posterior of the given label: q_j = sum_i p_i T_ij.
func noisy(p []float64, t *correction.Matrix) []float64 {
	q := make([]float64, len(p))
	for i, v := range p {
		for j := range q {
			q[j] += v * t.At(i, j)
		}
	}
	return q
}

func labels(rng *rand.Rand, n, c int) torch.Tensor {
	y := make([]int64, n)
	for i := range y {
		y[i] = rng.Int64N(int64(c))
	}
	return torch.FromSlice(y)
}

// loss returns one of the three losses by name.
func loss(name string, t *correction.Matrix) losses.Loss {
	return must(losses.All.Named(name).New(t, losses.Options{Options: double}))
}

// expected returns sum_j q_j L(z, j) at logits z [1 C].
func expected(l losses.Loss, z torch.Tensor, q []float64) torch.Tensor {
	sum := torch.Scalar(0, double)
	for j, v := range q {
		sum = sum.Add(l.Apply(z, torch.FromSlice([]int64{int64(j)})).MulScalar(v))
	}
	return sum
}

// apart returns the largest difference of two slices, relative to the larger of 1 and the second's entry.
func apart(got, want []float64) float64 {
	d := 0.0
	for i := range want {
		d = max(d, math.Abs(got[i]-want[i])/max(1, math.Abs(want[i])))
	}
	return d
}

func values(t torch.Tensor) []float64 { return torch.Slice[float64](t) }
