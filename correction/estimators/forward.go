package estimators

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/losscorr/losscorr/correction"
)

// Forward is the mean forward loss of given labels ỹ as a function of the weights w and b that make clean posteriors
// g of logits and other evidence e. Normal priors on log w and b regularize it if labels are few:
//
//	-log sum over k of P(ỹ | y=k) g_k,   g = softmax(sum over j of w_j e_j + b)
type Forward struct {
	Terms  [][]float32           // e, each [N C]; the first one is the logits
	Label  func(x int) []float64 // P(ỹ | y=k) of example x and all k, a row of [correction.Matrix.ByLabel]
	C      int
	Scaled bool    // b is fixed at 0
	Prior  float64 // precision of the priors; 0: none
	Step   int     // only every Step-th example counts
}

// NewForward returns the forward loss of labels by T. Beyond 30,000 examples, or 5,000,000/C, only every k-th counts.
func NewForward(labels []int, t *correction.Matrix, terms ...[]float32) *Forward {
	columns := t.ByLabel()
	return &Forward{Terms: terms, C: t.Dim(), Prior: 1, Step: every(len(labels), t.Dim()),
		Label: func(x int) []float64 { return columns.RawRowView(labels[x]) }}
}

// Minimize returns the parameters x of least loss, log w and then b, and the loss.
func (f *Forward) Minimize() (x []float64, loss float64) {
	start := make([]float64, len(f.Terms)+f.C)
	for k := 1; k < len(f.Terms); k++ {
		start[k] = math.Log(.2)
	}
	// The optimizer asks for the loss and then for its gradient at the same x.
	var at []float64
	last, slope := 0., make([]float64, len(start))
	look := func(x []float64) float64 {
		if !slices.Equal(x, at) {
			at, last = slices.Clone(x), f.Loss(x, slope)
		}
		return last
	}
	problem := optimize.Problem{Func: look, Grad: func(grad, x []float64) {
		look(x)
		copy(grad, slope)
	}}
	best, _ := optimize.Minimize(problem, start, &optimize.Settings{MajorIterations: 200, GradientThreshold: 1e-5},
		&optimize.LBFGS{})
	if best == nil {
		return start, math.Inf(1)
	}
	// An error with a result means that float64 allows no lower loss.
	return best.X, best.F
}

// split returns w and b.
func (f *Forward) split(x []float64) (weights, b []float64) {
	weights = make([]float64, len(f.Terms))
	for j := range weights {
		weights[j] = math.Exp(x[j])
	}
	return weights, x[len(weights):]
}

// posterior sets p to the g of an example.
func (f *Forward) posterior(weights, b []float64, x int, p []float64) {
	copy(p, b)
	for j, term := range f.Terms {
		for k, v := range term[x*f.C : (x+1)*f.C] {
			p[k] += weights[j] * float64(v)
		}
	}
	correction.SoftmaxInPlace(p)
}

// Posteriors returns g [N C].
func (f *Forward) Posteriors(x []float64) []float32 {
	g := make([]float32, len(f.Terms[0]))
	weights, b := f.split(x)
	inParts(len(g)/f.C, func(_, from, to int) {
		p := make([]float64, f.C)
		for i := from; i < to; i++ {
			f.posterior(weights, b, i, p)
			for k, v := range p {
				g[i*f.C+k] = float32(v)
			}
		}
	})
	return g
}

// Loss returns the loss and, if grad is not nil, sets grad to its gradient.
func (f *Forward) Loss(x, grad []float64) float64 {
	weights, b := f.split(x)
	n := f.examples()
	var sums [parts]float64
	var slopes [parts][]float64
	inParts(n, func(part, from, to int) {
		p, r, slope := make([]float64, f.C), make([]float64, f.C), make([]float64, len(x))
		for i := from * f.Step; i < to*f.Step; i += f.Step {
			f.posterior(weights, b, i, p)
			q := correction.Bayes(r, p, f.Label(i))
			sums[part] -= math.Log(max(q, math.SmallestNonzeroFloat32))
			if grad == nil {
				continue
			}
			for k, v := range p {
				d := v - r[k]
				slope[len(weights)+k] += d
				for j, term := range f.Terms {
					slope[j] += d * weights[j] * float64(term[i*f.C+k])
				}
			}
		}
		slopes[part] = slope
	})
	if grad != nil {
		floats.ScaleTo(grad, f.Prior, x)
		for _, slope := range slopes {
			floats.Add(grad, slope)
		}
		if f.Scaled {
			clear(grad[len(weights):])
		}
		floats.Scale(1/float64(n), grad)
	}
	return (f.Prior*floats.Dot(x, x)/2 + floats.Sum(sums[:])) / float64(n)
}

// examples returns the number of examples that count.
func (f *Forward) examples() int { return (len(f.Terms[0])/f.C + f.Step - 1) / f.Step }

// parts is fixed so that sums are the same on every machine.
const parts = 8

// inParts calls do for each part of [0, n), in parallel if n is large.
func inParts(n int, do func(part, from, to int)) {
	const many = 256
	var all sync.WaitGroup
	for part := range parts {
		one := func() { do(part, part*n/parts, (part+1)*n/parts) }
		if n < many {
			one()
		} else {
			all.Go(one)
		}
	}
	all.Wait()
}
