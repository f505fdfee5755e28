package estimators

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/losscorr/losscorr/correction"
)

var hocEntry = Entry{
	Name: "hoc", About: "how often an example and its two nearest neighbours have which given labels (Zhu et al., 2021)",
	Labels: true, Triples: true, Beside: "class-quantile", estimate: estimateHOC,
}

// The constants of estimateHOC. The number of label triples grows as c^3.
const (
	mostTripled = 200 // most classes
	adamSteps   = 1500
)

// estimateHOC is the estimator from high-order consensuses of Zhu, Song and Liu, "Clusterability as an Alternative to
// Anchor Points When Learning with Noisy Labels" (ICML 2021), Section 4. It assumes that an example and its two
// nearest neighbours by the cosine of their features share a class k, and counts their given labels:
//
//	P(ỹ1=i)             = sum_k P(k) T_ki
//	P(ỹ1=i, ỹ2=j)       = sum_k P(k) T_ki T_kj
//	P(ỹ1=i, ỹ2=j, ỹ3=l) = sum_k P(k) T_ki T_kj T_kl
//
// As in the published code, 1500 steps of Adam at .1 minimise the sum of the Frobenius norms of the three differences
// over T and P(k), each a softmax, from 5 I - 1 for T and equal classes. It uses no posteriors, which makes it a
// second opinion on estimators that do. It is as good as the assumption about neighbours.
func estimateHOC(p *posteriors, noisy []int, o Options) (reading, error) {
	switch {
	case p.c > mostTripled:
		return reading{}, fmt.Errorf("%d classes: counting triples of labels takes too long for more than %d; choose "+
			"another estimator", p.c, mostTripled)
	case len(o.Triples) == 0:
		return reading{}, errors.New("no example has two neighbours: hoc needs three examples and the features of a " +
			"network with a linear layer at its end")
	}
	for _, t := range o.Triples {
		if min(t[0], t[1], t[2]) < 0 || max(t[0], t[1], t[2]) >= p.n {
			return reading{}, fmt.Errorf("triple %v of neighbours: examples have to be in [0, %d)", t, p.n)
		}
	}
	shares := countTriples(p.c, noisy, o.Triples)
	rows := agree(p.c, shares, adamSteps)
	return reading{anchors: p.likeliest(), warnings: absent(shares[0], p.classes), rows: rows}, nil
}

// countTriples returns the shares of labels [C], of pairs of labels of an example and a neighbour [C C], and of
// triples with both neighbours [C C C].
func countTriples(c int, labels []int, triples [][3]int) (shares [3][]float64) {
	for order := range shares {
		shares[order] = make([]float64, int(math.Pow(float64(c), float64(order+1))))
	}
	one := 1 / float64(len(triples))
	for _, t := range triples {
		i, j, l := labels[t[0]], labels[t[1]], labels[t[2]]
		shares[0][i] += one
		shares[1][i*c+j] += one
		shares[2][(i*c+j)*c+l] += one
	}
	return shares
}

// agree returns the rows of the T that explains the shares best after the given number of steps.
func agree(c int, shares [3][]float64, steps int) [][]float64 {
	const (
		rate         = .1
		beta1, beta2 = .9, .999
		epsilon      = 1e-8
	)
	x := slices.Repeat([]float64{-1}, c*c+c) // the logits of T, row by row, and of P(k)
	for i := range c {
		x[i*c+i] += 5
	}
	clear(x[c*c:])
	mean, square := make([]float64, len(x)), make([]float64, len(x))
	var best *mat.Dense
	least := math.Inf(1)
	for step := 1; step <= steps; step++ {
		value, gradient, t := consensusLoss(c, x, shares)
		if value < least {
			least, best = value, t
		}
		for k, g := range gradient {
			mean[k] = beta1*mean[k] + (1-beta1)*g
			square[k] = beta2*square[k] + (1-beta2)*g*g
			x[k] -= rate * mean[k] / (1 - math.Pow(beta1, float64(step))) /
				(math.Sqrt(square[k]/(1-math.Pow(beta2, float64(step)))) + epsilon)
		}
	}
	return slices.Collect(slices.Chunk(best.RawMatrix().Data, c))
}

// consensusLoss returns the sum of the norms of the differences D1, D2 and D3 between the shares by T and P(k) and
// the counted ones, its gradient by the logits x of T and P(k), and T. With Gr = Dr / |Dr|:
//
//	d/dT_ka = P(k) (G1_a + sum_j T_kj (G2_aj + G2_ja) + sum_jl T_kj T_kl (G3_ajl + G3_jal + G3_jla))
//	d/dP(k) = sum_i T_ki (G1_i + sum_j T_kj (G2_ij + sum_l T_kl G3_ijl))
func consensusLoss(c int, x []float64, shares [3][]float64) (loss float64, gradient []float64, t *mat.Dense) {
	t = mat.NewDense(c, c, slices.Clone(x[:c*c]))
	for k := range c {
		correction.SoftmaxInPlace(t.RawRowView(k))
	}
	p := slices.Clone(x[c*c:])
	correction.SoftmaxInPlace(p)
	pairs := mat.NewDense(c, c*c, nil) // [k (i j)]
	weighted := mat.NewDense(c, c*c, nil)
	for k := range c {
		for i, v := range t.RawRowView(k) {
			floats.AddScaled(pairs.RawRowView(k)[i*c:(i+1)*c], v, t.RawRowView(k))
		}
		floats.AddScaled(weighted.RawRowView(k), p[k], pairs.RawRowView(k))
	}
	prior := mat.NewVecDense(c, p)
	var one, two mat.VecDense
	var three mat.Dense
	one.MulVec(t.T(), prior)
	two.MulVec(pairs.T(), prior)
	three.Mul(weighted.T(), t) // [(i j) l]
	difference := [3][]float64{one.RawVector().Data, two.RawVector().Data, three.RawMatrix().Data}
	for order, d := range difference {
		floats.Sub(d, shares[order])
		norm := math.Sqrt(floats.Dot(d, d) + 1e-24) // the root has no derivative at 0
		loss += norm
		floats.Scale(1/norm, d)
	}
	g2 := mat.NewDense(c, c, difference[1])
	var last, inner mat.Dense // by l: [k l]; summed over l: [(i j) k]
	last.Mul(pairs, &three)
	inner.Mul(&three, t.T())
	gradient = make([]float64, len(x))
	byP := gradient[c*c:]
	for k := range c {
		row, byT := t.RawRowView(k), gradient[k*c:(k+1)*c]
		for a := range c {
			sum := 0.
			for j, v := range row {
				sum += v * (g2.At(a, j) + g2.At(j, a) + inner.At(a*c+j, k) + inner.At(j*c+a, k))
				byP[k] += row[a] * v * (g2.At(a, j) + inner.At(a*c+j, k))
			}
			byT[a] = p[k] * (difference[0][a] + sum + last.At(k, a))
			byP[k] += row[a] * difference[0][a]
		}
		throughSoftmax(byT, row)
	}
	throughSoftmax(byP, p)
	return loss, gradient, t
}

// throughSoftmax turns the gradient by probabilities p into the gradient by their logits.
func throughSoftmax(gradient, p []float64) {
	mean := floats.Dot(gradient, p)
	for k := range gradient {
		gradient[k] = p[k] * (gradient[k] - mean)
	}
}
