package own

import (
	"fmt"
	"math"
	"slices"

	"github.com/losscorr/losscorr/internal/humanize"
)

const (
	// sumTolerance is how much the sum of a row may differ from 1 without a finding, about as for float16.
	sumTolerance = 1e-3
	// sumLimit is how much it may differ at all: rounded numbers and the top few of many classes do not add up to
	// 1.
	sumLimit = .5
)

// sum returns the sum of a row, or NaN if a number is negative.
func sum(row []float32) float64 {
	total := 0.0
	for _, v := range row {
		if !(v >= 0) {
			return math.NaN()
		}
		total += float64(v)
	}
	return total
}

func nearOne(sum float64) bool { return math.Abs(sum-1) <= sumLimit }

// check checks the rows and divides them by their sums.
func (p *probabilities) check(out *Probabilities) error {
	switch {
	case p.c < 2:
		return fmt.Errorf("%s has %d columns of probabilities: want one for each of two or more classes", p.path, p.c)
	case len(p.p) == 0:
		return fmt.Errorf("%s has no rows", p.path)
	}
	oneHot, off, low, high := true, 0, math.Inf(1), 0.0
	for k := 0; k*p.c < len(p.p); k++ {
		row := p.p[k*p.c : (k+1)*p.c]
		total := sum(row)
		if !nearOne(total) {
			return fmt.Errorf("%s: row %d (from 0) %w", p.path, k, wrongRow(row))
		}
		if math.Abs(total-1) > sumTolerance {
			off, low, high = off+1, min(low, total), max(high, total)
		}
		for j, v := range row {
			oneHot = oneHot && (v == 0 || v == 1)
			row[j] = float32(float64(v) / total)
		}
	}
	if oneHot {
		return fmt.Errorf("%s looks like predicted classes (argmax): all its rows are one-hot. Use the probabilities "+
			"(predict_proba, softmax)", p.path)
	}
	if off > 0 {
		out.Findings = append(out.Findings, fmt.Sprintf("%s of %s with a sum of %.3g to %.3g rather than 1, perhaps from "+
			"rounding: divided by their sums",
			humanize.Count(off, "row"), p.path, low, high))
	}
	return nil
}

// wrongRow describes why a row is not probabilities.
func wrongRow(row []float32) error {
	if low, high := slices.Min(row), slices.Max(row); !(low >= 0 && high <= 1) {
		return fmt.Errorf("has numbers from %.4g to %.4g: want probabilities from 0 to 1, such as the softmax of logits", low,
			high)
	}
	return fmt.Errorf("adds up to %.6g, want 1", sum(row))
}
