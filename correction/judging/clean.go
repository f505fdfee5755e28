package judging

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/losscorr/losscorr/correction"
)

// CleanPosteriors returns estimates of the clean posteriors g = p(y|x) from the noisy
// posteriors p(ỹ|x) of networks trained by cross-entropy on noisy labels, N x c row by
// row. As p(ỹ|x) = g T, they are
//
//	g = p(ỹ|x) T^-1, negative entries set to 0, divided by its sum
//
// It is an error if noisy is not in rows of c, if an entry is negative or not finite,
// if a row is 0, or if T cannot be inverted, as [Matrix.Inverse] says.
func CleanPosteriors(noisy []float32, t *correction.Matrix) ([]float32, error) {
	inverse, err := t.Inverse()
	if err != nil {
		return nil, fmt.Errorf("correction: clean posteriors: labels do not tell some classes apart, whose rows of T are about equal: %w", err)
	}
	c := t.Dim()
	if len(noisy) == 0 || len(noisy)%c != 0 {
		return nil, fmt.Errorf("correction: clean posteriors: %d posteriors are not rows of %d classes", len(noisy), c)
	}
	clean := make([]float32, len(noisy))
	p, g := mat.NewVecDense(c, nil), mat.NewVecDense(c, nil)
	for at := 0; at < len(noisy); at += c {
		for k, v := range noisy[at : at+c] {
			if !(v >= 0 && v <= math.MaxFloat32) {
				return nil, fmt.Errorf("correction: clean posteriors: posterior of example %d for class %s is %v", at/c, t.Class(k), v)
			}
			p.SetVec(k, float64(v))
		}
		g.MulVec(inverse.T(), p)
		row := g.RawVector().Data
		for k, v := range row {
			row[k] = max(0, v)
		}
		sum := floats.Sum(row)
		if sum == 0 { // the rows of the inverse sum to 1: so did p to 0
			return nil, fmt.Errorf("correction: clean posteriors: the posterior of example %d is 0", at/c)
		}
		for k, v := range row {
			clean[at+k] = float32(v / sum)
		}
	}
	return clean, nil
}
