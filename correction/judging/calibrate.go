package judging

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
)

// calibrated is the number of examples that Calibrate looks at: enough for two digits.
const calibrated = 30000

// Calibrate returns the clean posteriors of a network with forward correction from its
// logits z, N x c row by row, on examples that it has not seen, and their temperature
// (Guo et al., "On Calibration of Modern Neural Networks", 2017):
//
//	g = softmax(z / temperature)
//
// Networks trained briefly are underconfident, and networks trained for long
// overconfident; both bias w. The true labels that show it are hidden, but the
// forward loss has its minimum at the clean posterior (Theorem 2), so that the
// temperature in [1/10, 10] with the least forward loss on the given labels is right
// wherever T is. It changes no prediction. Of more than 30,000 examples every k-th is used,
// with the smallest k that leaves no more than that.
//
// It is an error if logits is not len(labels) x c or not finite, or a label out of range.
func Calibrate(logits []float32, labels []int, t *correction.Matrix) (g []float32, temperature float64, err error) {
	c := t.Dim()
	if len(labels) == 0 || len(logits) != len(labels)*c {
		return nil, 0, fmt.Errorf("correction: calibrate: %d logits for %d labels of %d classes", len(logits), len(labels), c)
	}
	if err := correction.CheckLabels("given label", labels, c); err != nil {
		return nil, 0, fmt.Errorf("correction: calibrate: %w", err)
	}
	if err := estimators.CheckFinite(logits, t.Classes()); err != nil {
		return nil, 0, fmt.Errorf("correction: calibrate: %w", err)
	}
	columns := t.Dense().T()
	g, temperature, _ = calibrate(logits, labels, c, func(y int, p []float64) float64 {
		q := 0.
		for k, v := range p {
			q += columns.At(y, k) * v
		}
		return q
	})
	return g, temperature, nil
}

// CalibrateGiven returns the posteriors of given labels of networks with cross-entropy, from
// their logits as Calibrate has them, and their mean loss: the cross-entropy of the given labels,
// which the temperature makes as low as it can be. Of two kinds of networks, that with the lower
// loss knows more of the labels, and mostly ranks wrong ones better. The errors are Calibrate's.
func CalibrateGiven(logits []float32, labels []int, classes []string) (p []float32, loss float64, err error) {
	c := len(classes)
	if c == 0 || len(labels) == 0 || len(logits) != len(labels)*c {
		return nil, 0, fmt.Errorf("correction: calibrate: %d logits for %d labels of %d classes", len(logits), len(labels), c)
	}
	if err := correction.CheckLabels("given label", labels, c); err != nil {
		return nil, 0, fmt.Errorf("correction: calibrate: %w", err)
	}
	if err := estimators.CheckFinite(logits, classes); err != nil {
		return nil, 0, fmt.Errorf("correction: calibrate: %w", err)
	}
	p, _, loss = calibrate(logits, labels, c, func(y int, p []float64) float64 { return p[y] })
	return p, loss, nil
}

// calibrate returns softmax(logits / temperature) for the temperature with the least mean loss,
// -log q. q gives the probability of a given label where classes have the probabilities p.
func calibrate(logits []float32, labels []int, c int, q func(y int, p []float64) float64) (g []float32, temperature, mean float64) {
	p := make([]float64, c)
	softmax := func(x int, temperature float64) {
		for k, z := range logits[x*c : (x+1)*c] {
			p[k] = float64(z) / temperature
		}
		floats.AddConst(-floats.Max(p), p)
		for k, v := range p {
			p[k] = math.Exp(v)
		}
		floats.Scale(1/floats.Sum(p), p)
	}
	step := (len(labels) + calibrated - 1) / calibrated
	loss := func(log float64) float64 {
		sum, n := 0., 0.
		for x := 0; x < len(labels); x += step {
			softmax(x, math.Exp(log))
			sum -= math.Log(max(q(labels[x], p), math.SmallestNonzeroFloat32))
			n++
		}
		return sum / n
	}
	best := leastOf(loss, -math.Log(10), math.Log(10))
	g = make([]float32, len(logits))
	for x := range labels {
		softmax(x, math.Exp(best))
		for k, v := range p {
			g[x*c+k] = float32(v)
		}
	}
	return g, math.Exp(best), loss(best)
}

// leastOf returns where a function with one minimum in [low, high] has it, within .01, by
// golden section.
func leastOf(f func(float64) float64, low, high float64) float64 {
	const golden = 1 / math.Phi
	a, b := high-golden*(high-low), low+golden*(high-low)
	fa, fb := f(a), f(b)
	for high-low > .02 {
		if fa < fb {
			high, b, fb = b, a, fa
			a = high - golden*(high-low)
			fa = f(a)
		} else {
			low, a, fa = a, b, fb
			b = low + golden*(high-low)
			fb = f(b)
		}
	}
	return (low + high) / 2
}
