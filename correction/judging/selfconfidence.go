package judging

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/losscorr/losscorr/correction"
)

// SelfConfidence ranks labels by the noisy posterior p(ỹ|x) of the given label alone, the
// least first: what is left where networks are too weak to estimate T by
// ([Estimation.Weak]). Wrong is 1 - p(ỹ|x), which is no probability of a wrong label: neither
// it, nor sums of it, nor Suggested, which is the given label, should be shown.
//
// noisy holds p(ỹ|x), N x c row by row, of networks that have not seen the example. It is
// an error if it is not in rows of c, or a label is out of range.
func SelfConfidence(noisy []float32, labels []int, c int) (*Audited, error) {
	n := len(labels)
	if n == 0 || len(noisy) != n*c {
		return nil, fmt.Errorf("correction: self-confidence: %d posteriors for %d labels of %d classes", len(noisy), n, c)
	}
	if err := correction.CheckLabels("given label", labels, c); err != nil {
		return nil, fmt.Errorf("correction: self-confidence: %w", err)
	}
	a := &Audited{Wrong: make([]float64, n), Suggested: make([]int, n), ExpectedByClass: make([]float64, c),
		odds: make([]float64, n), sure: make([]float64, n), doubt: make([]float64, n), g: noisy, given: labels}
	p := make([]float64, c)
	for x, y := range labels {
		for k, v := range noisy[x*c : (x+1)*c] {
			p[k] = float64(v)
		}
		own := p[y]
		a.Wrong[x], a.Suggested[x] = 1-own, y
		if own < 1 {
			a.odds[x] = own / (1 - own)
		} else {
			a.odds[x] = math.Inf(1)
		}
		a.doubt[x] = stat.Entropy(p)
		a.ExpectedByClass[y] += a.Wrong[x]
	}
	a.ExpectedWrong = floats.Sum(a.ExpectedByClass)
	return a, nil
}
