package checking

import (
	"fmt"
	"math"
)

// ClassCount is a Count of the labels of one class.
type ClassCount struct {
	Wrong     float64 // the sum of Probabilities over the class
	Low, High float64 // an interval that holds Wrong, and is at least the one at 90 %
}

// ByClass estimates the number of wrong labels of each given class. Wrong of all classes sum
// to c.Wrong. The interval is that of the difference estimator for the class,
//
//	N_k = sum of w' over k + sum over h of N_h mean over the checked of h (e - w' where given is k, else 0)
//
// extended to hold Wrong: N_k has no bias, but with few checks of a class it varies more. Where all
// checked labels of a class are right, or all wrong, it also holds the interval of Clopper and Pearson.
//
// It is an error if given is not one class below classes for each example.
func (c *Count) ByClass(given []int, classes int) ([]ClassCount, error) {
	if len(given) != c.total() {
		return nil, fmt.Errorf("checking: by class: %d labels, want %d", len(given), c.total())
	}
	out := make([]ClassCount, classes)
	size, right, wrong := make([]float64, classes), make([]float64, classes), make([]float64, classes)
	for x, k := range given {
		if k < 0 || k >= classes {
			return nil, fmt.Errorf("checking: by class: label %d of %d classes", k, classes)
		}
		size[k]++
		out[k].Wrong += c.Probabilities[x]
	}
	estimate, variance := make([]float64, classes), make([]float64, classes)
	for _, s := range c.strata {
		n, m := float64(len(s.members)), float64(len(s.checks))
		sum, squares, least := make([]float64, classes), make([]float64, classes), make([]float64, classes)
		for i, x := range s.checks {
			k := given[x]
			r := s.e[i] - c.Probabilities[x]
			sum[k] += r
			squares[k] += r * r
			wrong[k] += s.e[i]
			right[k] += 1 - s.e[i]
		}
		for _, x := range s.members {
			p := c.Probabilities[x]
			least[given[x]] += p * (1 - p) / n
		}
		for k := range out {
			mean := sum[k] / m
			sample := max((squares[k]-m*mean*mean)/(m-1), least[k])
			estimate[k] += n * mean
			variance[k] += n * n * (1/m - 1/n) * sample
		}
	}
	for k := range out {
		if size[k] == 0 {
			continue
		}
		half := c.quantile() * math.Sqrt(variance[k])
		center := out[k].Wrong + estimate[k]
		fit := func(v float64) float64 { return min(max(v, wrong[k]), size[k]-right[k]) }
		low, high := min(center-half, out[k].Wrong), max(center+half, out[k].Wrong)
		if wrong[k] == 0 || right[k] == 0 { // their variance says nothing
			l, h := clopperPearson(int(wrong[k]), int(wrong[k]+right[k]))
			low, high = min(low, size[k]*l), max(high, size[k]*h)
		}
		out[k].Low, out[k].High = fit(low), fit(high)
	}
	return out, nil
}
