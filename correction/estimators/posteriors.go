package estimators

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

// posteriors holds p(ỹ=j | x) and its logarithm for n examples and c classes, and is immutable.
type posteriors struct {
	n, c      int
	classes   []string
	log, rows [][]float64 // by example
}

func newPosteriors(logits []float32, classes []string) (*posteriors, error) {
	c := len(classes)
	if len(logits) == 0 || len(logits)%c != 0 {
		return nil, fmt.Errorf("%d logits do not fill rows of %d classes", len(logits), c)
	}
	if err := correction.CheckLogits(logits, classes); err != nil {
		return nil, err
	}
	p := &posteriors{n: len(logits) / c, c: c, classes: classes}
	log, row := make([]float64, len(logits)), make([]float64, len(logits))
	for k, z := range logits {
		log[k] = float64(z)
	}
	for x := range p.n {
		p.log, p.rows = append(p.log, log[x*c:(x+1)*c]), append(p.rows, row[x*c:(x+1)*c])
		floats.AddConst(-floats.LogSumExp(p.log[x]), p.log[x])
		for j, v := range p.log[x] {
			p.rows[x][j] = math.Exp(v)
		}
	}
	return p, nil
}

// scores returns the log-odds of class i for all x, which rank examples as p(ỹ=i | x) does:
//
//	log p_i - log(1 - p_i) = z_i - log sum over j≠i of exp(z_j)
//
// A trained network's p_i rounds to 1 on many examples, which then tie: from gaps between logits of 17 in float32 and
// 37 in float64. Log-odds do not saturate.
func (p *posteriors) scores(i int) []float64 {
	v := make([]float64, p.n)
	others := make([]float64, 0, p.c-1)
	for x, row := range p.log {
		if row[i] < -math.Ln2 {
			v[x] = row[i] - math.Log1p(-math.Exp(row[i]))
			continue
		}
		others = append(append(others[:0], row[:i]...), row[i+1:]...)
		v[x] = row[i] - floats.LogSumExp(others)
	}
	return v
}

// likeliest returns the example with the largest posterior of each class, the first on a tie.
func (p *posteriors) likeliest() []int {
	anchors := make([]int, p.c)
	for i := range anchors {
		anchors[i] = floats.MaxIdx(p.scores(i))
	}
	return anchors
}

// quantileAnchor returns the example with the largest value strictly below the q-quantile of v, the first on a tie.
// If no value is below, as in a column of equal values, it returns the example with the largest value and false.
//
// The quantile is numpy.percentile's, the linear interpolation between the order statistics around q (n-1). A
// monotone map does not change which values lie below it, so log-odds and probabilities give the same result.
func quantileAnchor(v []float64, q float64) (x int, below bool) {
	sorted := slices.Clone(v)
	slices.Sort(sorted)
	position := q * float64(len(v)-1)
	limit := sorted[int(math.Ceil(position))]
	x = -1
	for k, value := range v {
		if value < limit && (x < 0 || value > v[x]) {
			x = k
		}
	}
	if x < 0 {
		return floats.MaxIdx(v), false
	}
	return x, true
}
