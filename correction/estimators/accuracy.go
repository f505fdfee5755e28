package estimators

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/guard"
)

// CleanAccuracy estimates the accuracy of a classifier against the true labels, from noisy labels of examples that it
// was not trained on:
//
//	accuracy = 1/n sum over x of Tinv[ỹ][h(x)]
//
// with h(x) the predicted class. By Theorem 1 for the 0-1 loss, its expectation over the noise is the accuracy
// against the true labels. The interval at 90 % comes from the bootstrap over examples, each time with one of the
// matrices draws ([Estimation.Draws]) in place of T. It covers the errors of sampling and of counting T, but not
// other errors of T. It also covers every accuracy at which n examples are all right, or all wrong, with a
// probability of at least 5 %, since the bootstrap does not vary if they are. Both results are clipped to [0, 1].
//
// Draws without an inverse are ignored. It is an error if the slices differ in length or are empty, a class is out of
// range, or T has no inverse.
func CleanAccuracy(predicted, given []int, t *correction.Matrix, draws []*correction.Matrix, rng *rand.Rand) (
	accuracy float64, interval correction.Interval, err error) {
	defer guard.Wrap(&err, "correction: clean accuracy")
	n := len(given)
	if len(predicted) != n || n == 0 {
		return 0, interval, fmt.Errorf("%d predictions for %d labels", len(predicted), n)
	}
	err = errors.Join(correction.CheckLabels("prediction", predicted, t.Dim()),
		correction.CheckLabels("given label", given, t.Dim()))
	if err != nil {
		return 0, interval, err
	}
	inverse, err := t.Inverse()
	if err != nil {
		return 0, interval, err
	}
	for x, y := range given {
		accuracy += inverse.At(y, predicted[x]) / float64(n)
	}
	samples := []float64{accuracy}
	for _, d := range draws {
		inverse, err := d.Inverse()
		if err != nil {
			continue
		}
		sum := 0.
		for range n {
			x := rng.IntN(n)
			sum += inverse.At(given[x], predicted[x]) / float64(n)
		}
		samples = append(samples, sum)
	}
	slices.Sort(samples)
	quantile := func(q float64) float64 { return stat.Quantile(q, stat.LinInterp, samples, nil) }
	unit := func(v float64) float64 { return min(1, max(0, v)) }
	all := math.Pow(.05, 1/float64(n))
	interval = correction.Interval{Low: min(unit(quantile(.05)), all), High: max(unit(quantile(.95)), 1-all)}
	return unit(accuracy), interval, nil
}
