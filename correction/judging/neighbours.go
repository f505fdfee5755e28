package judging

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/losscorr/losscorr/correction"
)

// Neighbours combines clean posteriors g with the given labels of the nearest neighbours of each
// example in the space of its features, near of them for each, which are evidence of its class by T:
//
//	log g'_k = a log g_k + b mean over neighbours m of log T'[k][ỹ_m] + constant
//
// with T' = .95 T + .05/c. The weights a and b have the least forward loss on the given labels, as
// Calibrate's temperature has; b is at most the number of neighbours, which is their weight if they are
// independent. If the loss is not less by three standard errors than the least one with b = 0, the
// neighbours say nothing new, and g comes back with the weights 1 and 0. Of more than 30,000 examples every k-th is fitted to.
//
// near holds the examples, near/len(labels) for each, nearest or not; -1 is none. It is an error if g
// or near do not fit the labels, or if an entry of near is neither an example nor -1.
func Neighbours(g []float32, labels []int, near []int32, t *correction.Matrix) (combined []float32, own, others float64, err error) {
	n, c := len(labels), t.Dim()
	if n == 0 || len(g) != n*c || len(near) == 0 || len(near)%n != 0 {
		return nil, 0, 0, fmt.Errorf("correction: neighbours: %d posteriors and %d neighbours of %d labels of %d classes", len(g), len(near), n, c)
	}
	if err := correction.CheckLabels("given label", labels, c); err != nil {
		return nil, 0, 0, fmt.Errorf("correction: neighbours: %w", err)
	}
	for k, m := range near {
		if m < -1 || int(m) >= n {
			return nil, 0, 0, fmt.Errorf("correction: neighbours: neighbour %d of example %d, want one of %d examples or -1",
				m, k/(len(near)/n), n)
		}
	}
	v := newVotes(g, labels, near, t)
	temper := func() {
		own = math.Exp(leastOf(func(a float64) float64 { return floats.Sum(v.losses(math.Exp(a), others)) }, -1, 1))
	}
	temper()
	before := v.losses(own, 0)
	for range 3 {
		others = leastOf(func(b float64) float64 { return floats.Sum(v.losses(own, b)) }, 0, float64(len(near)/n))
		temper()
	}
	if !less(v.losses(own, others), before) {
		return g, 1, 0, nil
	}
	combined = make([]float32, len(g))
	for x := range n {
		for k, p := range v.posterior(x, own, others) {
			combined[x*c+k] = float32(p)
		}
	}
	return combined, own, others, nil
}

// less reports whether losses are less than others, in the mean over examples, by three standard errors.
func less(losses, others []float64) bool {
	sum, squares := 0., 0.
	for k, v := range losses {
		d := others[k] - v
		sum += d
		squares += d * d
	}
	n := float64(len(losses))
	return sum > 3*math.Sqrt(max(0, squares-sum*sum/n))
}

// votes are what Neighbours and Blend combine.
type votes struct {
	log, evidence []float64 // of g, and of the neighbours or others, N x c
	labels        []int
	columns       mat.Matrix
	c, step       int
	row           []float64
}

func newVotes(g []float32, labels []int, near []int32, t *correction.Matrix) *votes {
	v := newClean(g, labels, t)
	n, c := len(labels), t.Dim()
	v.evidence = make([]float64, n*c)
	each := len(near) / n
	for x := range n {
		votes := 0.
		for _, m := range near[x*each : (x+1)*each] {
			if m < 0 {
				continue
			}
			votes++
			for k := range c {
				v.evidence[x*c+k] += math.Log((1-rankedBy)*t.At(k, labels[m]) + rankedBy/float64(c))
			}
		}
		for k := range c {
			v.evidence[x*c+k] /= max(1, votes)
		}
	}
	return v
}

// newClean are votes without the neighbours'.
func newClean(g []float32, labels []int, t *correction.Matrix) *votes {
	n, c := len(labels), t.Dim()
	v := &votes{log: make([]float64, n*c), labels: labels, columns: t.Dense().T(), c: c, step: (n + calibrated - 1) / calibrated, row: make([]float64, c)}
	for k, p := range g {
		v.log[k] = math.Log(max(float64(p), 1e-12))
	}
	return v
}

// posterior returns g' of an example, until the next call.
func (v *votes) posterior(x int, own, others float64) []float64 {
	for k := range v.row {
		v.row[k] = own*v.log[x*v.c+k] + others*v.evidence[x*v.c+k]
	}
	floats.AddConst(-floats.Max(v.row), v.row)
	for k, z := range v.row {
		v.row[k] = math.Exp(z)
	}
	floats.Scale(1/floats.Sum(v.row), v.row)
	return v.row
}

// losses are the forward losses of the examples.
func (v *votes) losses(own, others float64) []float64 {
	var out []float64
	for x := 0; x < len(v.labels); x += v.step {
		q := 0.
		for k, p := range v.posterior(x, own, others) {
			q += v.columns.At(v.labels[x], k) * p
		}
		out = append(out, -math.Log(max(q, math.SmallestNonzeroFloat32)))
	}
	return out
}
