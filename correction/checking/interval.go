package checking

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	tail = .05 // on each side of an interval

	// modelWeight is the least share that the model's variance contributes to the variance of the terms. At 0 intervals
	// are too short if unexpected wrong labels are rare; at 1 they are too long, because w is often underconfident.
	modelWeight = .5
)

// part is a set of examples: all of them, or one given class.
type part struct {
	size         float64 // examples
	model        float64 // sum of w
	terms        []float64
	expected     float64 // the variance of the terms by the model
	wrong, right float64 // distinct examples found wrong, and right
}

// parts divides the examples by class. Each check is a term of each part: (e - w)/q if the example is in the part,
// and 0 otherwise. By the model the variance of the terms is about
//
//	expected = mean over the checks of w(1-w)/q^2
func (c *Count) parts(class []int, classes int) []part {
	parts := make([]part, classes)
	for k := range parts {
		parts[k].terms = make([]float64, c.Checked)
	}
	for x, k := range class {
		parts[k].size++
		parts[k].model += c.w[x]
	}
	seen := map[int]bool{}
	for k, check := range c.checks {
		p, w, q := &parts[class[check.Index]], c.w[check.Index], check.Chance
		e, found := 0., &p.right
		if c.wrong[k] {
			e, found = 1, &p.wrong
		}
		p.terms[k] = (e - w) / q
		p.expected += w * (1 - w) / (q * q) / float64(c.Checked)
		if !seen[check.Index] {
			seen[check.Index] = true
			*found++
		}
	}
	return parts
}

// interval returns the number of wrong labels of a part and its interval at 90 %. The interval is Student's, or an
// exact one if no label is found wrong, because the terms then do not show their variance. n draws miss W wrong
// labels with a probability of at most (1 - W min q)^n, so that
//
//	high = (1 - .05^(1/n)) / min q
//
// and low is 0. If no label is found right, the same holds for the number of right labels.
func (c *Count) interval(p part) (number, low, high float64) {
	number, low, high = c.student(p)
	switch {
	case p.wrong == 0:
		low, high = 0, c.mostMissed()
	case p.right == 0:
		low, high = p.size-c.mostMissed(), p.size
	}
	fit := func(v float64) float64 { return min(max(v, p.wrong), p.size-p.right) }
	low, high = fit(low), fit(high)
	return min(max(number, low), high), low, high
}

// student returns the interval of Student's t. With n checks and s^2 the variance of the terms, or half of it plus
// half of the model's if that is larger,
//
//	low  = number - t s/sqrt(n) + min(0, skew)
//	high = number + t s/sqrt(n) + max(0, skew)
//	skew = (1 + 2 t^2) m3 / (6 s^2 n)
//
// where m3 is the third central moment of the terms. skew is Johnson's shift (Modified t Tests, 1978), applied to the
// end on the side of the long tail. It matters if few labels are found wrong.
func (c *Count) student(p part) (number, low, high float64) {
	n := float64(c.Checked)
	mean, variance := stat.MeanVariance(p.terms, nil)
	number = p.model + mean
	variance = max(variance, (1-modelWeight)*variance+modelWeight*p.expected)
	if variance == 0 {
		return number, number, number
	}
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(1 - tail)
	half := t * math.Sqrt(variance/n)
	skew := (1 + 2*t*t) * stat.Moment(3, p.terms, nil) / (6 * variance * n)
	return number, number - half + min(0, skew), number + half + max(0, skew)
}

// mostMissed returns the largest number of labels of one kind that the checks may have missed.
func (c *Count) mostMissed() float64 {
	least := 1.
	for _, check := range c.checks {
		least = min(least, check.Chance)
	}
	return (1 - math.Pow(tail, 1/float64(c.Checked))) / least
}
