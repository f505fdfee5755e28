package judging

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
)

// Blended are clean posteriors with other evidence.
type Blended struct {
	G          []float32 // N x c
	Own, Other float64   // weights
	Used       int       // number of the evidence; -1: none says anything new
}

// Blend combines clean posteriors g with other evidence z of the classes, such as that of linear
// discriminants, logarithms of probabilities N x c row by row, but for a constant of each example:
//
//	log g'_k = a log g_k + b z_k + constant
//
// Of several z, that one is used by which the forward loss on the given labels is the least; so are the weights a
// and b above 0. If it is not less by three standard errors than that of g alone with its best a, z says nothing
// new, and g comes back with the weights 1 and 0. Of more than 30,000 examples every k-th is fitted to.
//
// Neither g nor z may know the example's own label. It is an error if one does not fit the labels, or is not finite.
func Blend(g []float32, labels []int, z [][]float32, t *correction.Matrix) (Blended, error) {
	n, c := len(labels), t.Dim()
	if n == 0 || len(g) != n*c || len(z) == 0 {
		return Blended{}, fmt.Errorf("correction: blend: %d posteriors of %d labels of %d classes, and %d others", len(g), n, c, len(z))
	}
	if err := correction.CheckLabels("given label", labels, c); err != nil {
		return Blended{}, fmt.Errorf("correction: blend: %w", err)
	}
	v := newClean(g, labels, t)
	v.evidence = make([]float64, n*c)
	alone, _ := v.weigh()
	before := v.losses(alone, 0)
	var b Blended
	least := math.Inf(1)
	var now, best []float64
	for k, evidence := range z {
		if len(evidence) != n*c {
			return Blended{}, fmt.Errorf("correction: blend: %d numbers beside %d posteriors", len(evidence), n*c)
		}
		if err := estimators.CheckFinite(evidence, t.Classes()); err != nil {
			return Blended{}, fmt.Errorf("correction: blend: %w", err)
		}
		v.take(evidence)
		own, other := v.weigh()
		if losses := v.losses(own, other); floats.Sum(losses) < least {
			least, now, best = floats.Sum(losses), losses, v.evidence
			b = Blended{Own: own, Other: other, Used: k}
		}
	}
	if best == nil || !less(now, before) {
		return Blended{G: g, Own: 1, Used: -1}, nil
	}
	v.evidence, b.G = best, make([]float32, n*c)
	for x := range n {
		for k, p := range v.posterior(x, b.Own, b.Other) {
			b.G[x*c+k] = float32(p)
		}
	}
	return b, nil
}

// take sets the evidence beside g.
func (v *votes) take(z []float32) {
	v.evidence = make([]float64, len(z))
	for k, e := range z {
		v.evidence[k] = float64(e)
	}
}

// weigh returns the weights of g and of the other evidence that have the least loss, by their logarithms.
func (v *votes) weigh() (own, other float64) {
	problem := optimize.Problem{Func: func(x []float64) float64 { return v.loss(x, nil) }, Grad: func(grad, x []float64) { v.loss(x, grad) }}
	start := []float64{math.Log(.5), math.Log(.2)}
	best, _ := optimize.Minimize(problem, start, &optimize.Settings{MajorIterations: 100}, &optimize.LBFGS{})
	if best == nil {
		return 1, 0
	}
	// An error beside a result says that the loss gets no lower in float64.
	return math.Exp(best.X[0]), math.Exp(best.X[1])
}

// loss returns the mean loss by the logarithms of the weights, and fills in its gradient if grad is not nil. A
// standard normal prior with the weight of one example holds what the labels do not.
func (v *votes) loss(logs, grad []float64) float64 {
	own, other := math.Exp(logs[0]), math.Exp(logs[1])
	sum := floats.Dot(logs, logs) / 2
	g := []float64{logs[0], logs[1]}
	n := 0.
	for x := 0; x < len(v.labels); x += v.step {
		p := v.posterior(x, own, other)
		q := 0.
		for k, pk := range p {
			q += v.columns.At(v.labels[x], k) * pk
		}
		q = max(q, math.SmallestNonzeroFloat32)
		sum -= math.Log(q)
		n++
		if grad == nil {
			continue
		}
		for k, pk := range p {
			d := pk * (1 - v.columns.At(v.labels[x], k)/q)
			g[0] += d * own * v.log[x*v.c+k]
			g[1] += d * other * v.evidence[x*v.c+k]
		}
	}
	if grad != nil {
		grad[0], grad[1] = g[0]/n, g[1]/n
	}
	return sum / n
}
