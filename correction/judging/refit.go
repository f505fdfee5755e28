package judging

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/losscorr/losscorr/correction"
)

// Constants of a fit of T.
const (
	fits         = 4    // of T and the weights, in turn
	steps        = 10   // of T in each
	imaginedRows = 1e-3 // examples of a row of T, in equal shares
)

// Refitted are clean posteriors and a T that explain the given labels better together.
type Refitted struct {
	G []float32 // N x c
	T *correction.Matrix
}

// Refit fits T, and how sure clean posteriors g are of the classes, to the given labels by likelihood:
//
//	P(ỹ | x) = sum over k of T'[k][ỹ] g'_k,   log g'_k = a log g_k + constant
//
// An estimate of T is counted among the examples nearest to the vertices. Where networks are weak, or a class
// has no perfect example, examples of other classes are among them, and T-hat has too much noise: by it 19 %
// of 3,000 reviews had wrong labels, and 15 % had. Here all examples count, each for the classes that it may be
// of. T is fitted by expectation and maximization (Dempster, Laird and Rubin, 1977) from t on, with c imagined
// examples of each row of t, so that a class of few examples keeps its row; a by the least forward loss, in
// turn with T. Of more than 30,000 examples every k-th is fitted to.
//
// g must not know the example's own label. It is an error if it does not fit the labels.
func Refit(g []float32, labels []int, t *correction.Matrix) (Refitted, error) {
	n, c := len(labels), t.Dim()
	if n == 0 || len(g) != n*c {
		return Refitted{}, fmt.Errorf("correction: refit: %d posteriors of %d labels of %d classes", len(g), n, c)
	}
	if err := correction.CheckLabels("given label", labels, c); err != nil {
		return Refitted{}, fmt.Errorf("correction: refit: %w", err)
	}
	v := newClean(g, labels, t)
	v.evidence = make([]float64, n*c)
	own, _ := v.fit(t)
	out := Refitted{G: make([]float32, n*c)}
	for x := range n {
		for k, p := range v.posterior(x, own, 0) {
			out.G[x*c+k] = float32(p)
		}
	}
	rows := make([][]float64, c)
	for k := range rows {
		rows[k] = mat.Col(nil, k, v.columns)
	}
	out.T = correction.Normalized(t.Classes(), rows)
	return out, nil
}

// fit fits T and the weights in turn, and returns the weights. before is nil, or holds the rows of imagined examples.
func (v *votes) fit(before *correction.Matrix) (own, other float64) {
	for range fits {
		own, other = v.weigh()
		for range steps {
			v.columns = v.recount(own, other, before)
		}
	}
	return own, other
}

// recount returns T' by the shares of given labels among the likely true ones: a step of expectation and
// maximization.
func (v *votes) recount(own, other float64, before *correction.Matrix) mat.Matrix {
	columns := mat.NewDense(v.c, v.c, nil)
	sums := make([]float64, v.c)
	for k := range sums {
		sums[k] = imaginedRows
		for j := range sums {
			columns.Set(j, k, imaginedRows/float64(v.c))
		}
		if before != nil {
			sums[k] += float64(v.c)
			for j, p := range before.Row(k) {
				columns.Set(j, k, columns.At(j, k)+float64(v.c)*p)
			}
		}
	}
	for x := 0; x < len(v.labels); x += v.step {
		p := v.posterior(x, own, other)
		row := columns.RawRowView(v.labels[x])
		q := math.SmallestNonzeroFloat32
		for k, pk := range p {
			p[k] = pk * v.columns.At(v.labels[x], k)
			q += p[k]
		}
		floats.Scale(1/q, p)
		floats.Add(row, p)
		floats.Add(sums, p)
	}
	for j := range v.c {
		floats.Div(columns.RawRowView(j), sums)
	}
	return columns
}
