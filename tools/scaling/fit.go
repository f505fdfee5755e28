package scaling

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
)

// law is y = factor x^exponent, fitted to the points from on.
type law struct {
	exponent, factor float64
	from             float64 // the least x of the points that it was fitted to
}

// fit returns the power law of least squares, both axes logarithmic, over the upper half
// of the range: the points whose x is at least the geometric mean of the smallest and the
// largest one. It returns false if fewer than two points are there. All coordinates are
// positive.
func fit(points []plotter.XY) (law, bool) {
	low, high := math.Inf(1), 0.
	for _, p := range points {
		low, high = min(low, p.X), max(high, p.X)
	}
	const rounding = 1 - 1e-9
	middle := math.Sqrt(low*high) * rounding
	l := law{from: math.Inf(1)}
	var x, y []float64
	for _, p := range points {
		if p.X >= middle {
			l.from = min(l.from, p.X)
			x, y = append(x, math.Log(p.X)), append(y, math.Log(p.Y))
		}
	}
	if len(x) < 2 || low == high {
		return law{}, false
	}
	var log float64
	log, l.exponent = stat.LinearRegression(x, y, nil, false)
	l.factor = math.Exp(log)
	return l, true
}
