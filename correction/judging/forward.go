package judging

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
)

// CalibrateClean returns the clean posteriors of networks that were trained by cross-entropy on
// given labels, from their logits z, N x c row by row, on examples that they have not seen:
//
//	g = softmax(a z + b)
//
// with the scale a > 0 and the shift b of each class that make the given labels likeliest, whose
// probabilities are g T. Where labels of class i are wrong, networks that are sure of it say T[i][i],
// and not 1: a posterior of given labels levels off there. Linear networks cannot say that, so the
// inverse of T takes what they say for doubt about the class. The scale and the shifts bring their
// logits to those of the class, and g T levels off by itself. b and log a have a standard normal prior,
// which holds them where a class has few labels. Of more than 30,000 examples every k-th is used, as by
// Calibrate, whose errors it has.
func CalibrateClean(logits []float32, labels []int, t *correction.Matrix) ([]float32, error) {
	c := t.Dim()
	if len(labels) == 0 || len(logits) != len(labels)*c {
		return nil, fmt.Errorf("correction: calibrate: %d logits for %d labels of %d classes", len(logits), len(labels), c)
	}
	if err := correction.CheckLabels("given label", labels, c); err != nil {
		return nil, fmt.Errorf("correction: calibrate: %w", err)
	}
	if err := estimators.CheckFinite(logits, t.Classes()); err != nil {
		return nil, fmt.Errorf("correction: calibrate: %w", err)
	}
	f := forwardFit{logits: logits, labels: labels, c: c, step: (len(labels) + calibrated - 1) / calibrated, p: make([]float64, c)}
	for y := range c {
		column := make([]float64, c)
		for k := range column {
			column[k] = t.At(k, y)
		}
		f.columns = append(f.columns, column)
	}
	problem := optimize.Problem{Func: func(x []float64) float64 { return f.loss(x, nil) }, Grad: func(grad, x []float64) { f.loss(x, grad) }}
	best, err := optimize.Minimize(problem, make([]float64, c+1), &optimize.Settings{MajorIterations: 200}, &optimize.LBFGS{})
	if best == nil {
		return nil, fmt.Errorf("correction: calibrate: %w", err)
	}
	// An error beside a result says that the loss gets no lower in float64.
	g := make([]float32, len(logits))
	for x := range labels {
		f.softmax(x, best.X)
		for k, v := range f.p {
			g[x*c+k] = float32(v)
		}
	}
	return g, nil
}

// forwardFit is the loss of parameters: the shifts of the classes, then the logarithm of the scale.
type forwardFit struct {
	logits  []float32
	labels  []int
	c, step int
	columns [][]float64 // of T: P(given label | class), by given label
	p       []float64   // softmax's result
}

// softmax sets p to the clean posterior of an example.
func (f *forwardFit) softmax(x int, params []float64) {
	scale := math.Exp(params[f.c])
	for k, z := range f.logits[x*f.c : (x+1)*f.c] {
		f.p[k] = scale*float64(z) + params[k]
	}
	floats.AddConst(-floats.Max(f.p), f.p)
	for k, v := range f.p {
		f.p[k] = math.Exp(v)
	}
	floats.Scale(1/floats.Sum(f.p), f.p)
}

// loss returns the mean of -log of the given labels' probabilities with that of the prior, and fills in
// its gradient if grad is not nil.
func (f *forwardFit) loss(params, grad []float64) float64 {
	scale := math.Exp(params[f.c])
	n := float64((len(f.labels) + f.step - 1) / f.step)
	sum := floats.Dot(params, params) / 2
	if grad != nil {
		copy(grad, params)
	}
	for x := 0; x < len(f.labels); x += f.step {
		f.softmax(x, params)
		column := f.columns[f.labels[x]]
		q := max(floats.Dot(column, f.p), math.SmallestNonzeroFloat32)
		sum -= math.Log(q)
		if grad == nil {
			continue
		}
		for k, z := range f.logits[x*f.c : (x+1)*f.c] {
			d := f.p[k] * (1 - column[k]/q)
			grad[k] += d
			grad[f.c] += d * scale * float64(z)
		}
	}
	if grad != nil {
		floats.Scale(1/n, grad)
	}
	return sum / n
}
