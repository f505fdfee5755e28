package judging

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
)

// Input is what [Fit] fits clean posteriors to. N x C arrays are row by row.
type Input struct {
	Logits []float32 // z [N C] of networks that have not seen the example, given up to a constant of each example
	Labels []int     // given labels [N]
	T      *correction.Matrix
	Refit  bool // fit T to all labels, too

	// Corrected says that the networks were trained with the forward loss: then b is 0.
	Corrected bool

	// Near holds the nearest other examples of each example, len(Near)/N each, -1 for none; nil: they are not known.
	Near []int32

	// Discriminants returns linear discriminants [N C] of the examples' features for each of [Ridges] that is asked for,
	// fitted to probabilities [N C] of the true classes without the example's own part of the data; nil: no features.
	Discriminants func(shares []float32, ridges []float64) [][]float32
}

// Ridges are the strengths of regularization of discriminants that are tried.
var Ridges = []float64{.1, .3, 1, 3}

// rounds is how often discriminants, the weights and T are fitted, each time to the last ones of the others. All ridges
// are tried in the first round alone: later the labels of a part have reached the other parts, and the loss favours
// small ridges.
const rounds = 3

// Fitted are clean posteriors and T that together explain the given labels.
type Fitted struct {
	G []float32 // [N C]
	T *correction.Matrix
}

// Fit minimizes the forward loss on the given labels,
//
//	-log sum over k of T[k][y] g_k,   g = softmax(a z + b + sum over k of w_k e_k)
//
// over a, b [C] and the weights w of the evidence, and then T and the scale of g ([estimators.Refit]), three times in
// turn where there is other evidence than logits. Standard normal priors on log a, log w and b hold what few labels
// leave open. Evidence e are the mean log probabilities of the neighbours' labels, and discriminants. Of more than
// 30,000 examples, or 5,000,000/C, every k-th is fitted to.
//
// It is an error if an array does not fit the labels or is not finite.
func Fit(in Input) (Fitted, error) {
	if err := check(in.Logits, in.Labels, in.T.Classes()); err != nil {
		return Fitted{}, err
	}
	var g []float32
	t, tried := in.T, Ridges
	for range rounds {
		f := newForward([][]float32{in.Logits}, in.Labels, t)
		f.scaled = in.Corrected
		if in.Near != nil {
			votes, err := neighbourVotes(in.Near, in.Labels, t)
			if err != nil {
				return Fitted{}, err
			}
			f.terms = append(f.terms, votes)
		}
		if in.Discriminants == nil || g == nil {
			x, _ := f.minimize()
			g = f.posteriors(x)
		}
		if in.Discriminants != nil {
			alone, least, best := f.terms, math.Inf(1), 0
			for k, z := range in.Discriminants(trueShares(g, in.Labels, t), tried) {
				f.terms = append(alone[:len(alone):len(alone)], z)
				if x, loss := f.minimize(); loss < least {
					least, best, g = loss, k, f.posteriors(x)
				}
			}
			tried = tried[best : best+1]
		}
		if in.Refit {
			var err error
			if g, t, err = estimators.Refit(g, in.Labels, t); err != nil {
				return Fitted{}, err
			}
		}
		if in.Discriminants == nil && in.Near == nil {
			break
		}
	}
	return Fitted{g, t}, nil
}

// FitGiven returns posteriors of the given labels [N C] from logits, softmax(a z) with the a that makes the labels
// likeliest, and their mean cross-entropy. Of two kinds of networks, the one with the lower cross-entropy mostly ranks
// wrong labels better. The errors are those of Fit.
func FitGiven(logits []float32, labels []int, classes []string) (p []float32, loss float64, err error) {
	identity, err := correction.Identity(classes)
	if err = cmp.Or(err, check(logits, labels, classes)); err != nil {
		return nil, 0, err
	}
	f := newForward([][]float32{logits}, labels, identity)
	f.scaled = true
	x, _ := f.minimize()
	return f.posteriors(x), f.loss(x, nil), nil
}

func check(logits []float32, labels []int, classes []string) error {
	if len(labels) == 0 || len(logits) != len(labels)*len(classes) {
		return fmt.Errorf("judging: %d logits for %d labels of %d classes", len(logits), len(labels), len(classes))
	}
	err := errors.Join(correction.CheckLabels("given label", labels, len(classes)),
		estimators.CheckFinite(logits, classes))
	if err != nil {
		return fmt.Errorf("judging: %w", err)
	}
	return nil
}

// trueShares returns P(y|x, ỹ) = T[y][ỹ] g_y / sum [N C]: g where both rule the label out.
func trueShares(g []float32, labels []int, t *correction.Matrix) []float32 {
	c, columns, out := t.Dim(), t.ByLabel(), slices.Clone(g)
	p, r := make([]float64, c), make([]float64, c)
	for x, y := range labels {
		for k, v := range g[x*c : (x+1)*c] {
			p[k] = float64(v)
		}
		if correction.Bayes(r, p, columns.RawRowView(y)) > 0 {
			for k, v := range r {
				out[x*c+k] = float32(v)
			}
		}
	}
	return out
}

// forward is the forward loss as a function of its parameters x: the logarithms of the terms' weights, then b.
type forward struct {
	terms   [][]float32 // z and the evidence, each [N C]
	labels  []int
	columns *mat.Dense
	c, step int
	scaled  bool // b is 0
}

func newForward(terms [][]float32, labels []int, t *correction.Matrix) *forward {
	return &forward{terms: terms, labels: labels, columns: t.ByLabel(), c: t.Dim(),
		step: estimators.Every(len(labels), t.Dim())}
}

// minimize returns the parameters of least loss.
func (f *forward) minimize() (x []float64, loss float64) {
	start := make([]float64, len(f.terms)+f.c)
	for k := 1; k < len(f.terms); k++ {
		start[k] = math.Log(.2)
	}
	problem := optimize.Problem{Func: func(x []float64) float64 {
		return f.loss(x, nil)
	}, Grad: func(grad, x []float64) { f.loss(x, grad) }}
	best, _ := optimize.Minimize(problem, start, &optimize.Settings{MajorIterations: 200, GradientThreshold: 1e-5},
		&optimize.LBFGS{})
	if best == nil {
		return start, math.Inf(1)
	}
	// An error beside a result means that float64 allows no lower loss.
	return best.X, best.F
}

// posterior sets p to g of an example.
func (f *forward) posterior(weights, b []float64, x int, p []float64) {
	copy(p, b)
	for j, term := range f.terms {
		for k, v := range term[x*f.c : (x+1)*f.c] {
			p[k] += weights[j] * float64(v)
		}
	}
	correction.SoftmaxInPlace(p)
}

// split returns the weights of the terms, and b.
func (f *forward) split(x []float64) (weights, b []float64) {
	weights = make([]float64, len(f.terms))
	for j := range weights {
		weights[j] = math.Exp(x[j])
	}
	return weights, x[len(weights):]
}

// posteriors returns g of all examples.
func (f *forward) posteriors(x []float64) []float32 {
	g := make([]float32, len(f.labels)*f.c)
	weights, b := f.split(x)
	inParts(len(f.labels), func(_, from, to int) {
		p := make([]float64, f.c)
		for i := from; i < to; i++ {
			f.posterior(weights, b, i, p)
			for k, v := range p {
				g[i*f.c+k] = float32(v)
			}
		}
	})
	return g
}

// loss returns the mean loss with the priors, and sets grad to its gradient if that is not nil.
func (f *forward) loss(x, grad []float64) float64 {
	weights, b := f.split(x)
	n := (len(f.labels) + f.step - 1) / f.step
	var sums [parts]float64
	var slopes [parts][]float64
	inParts(n, func(part, from, to int) {
		p, r, slope := make([]float64, f.c), make([]float64, f.c), make([]float64, len(x))
		for i := from * f.step; i < to*f.step; i += f.step {
			f.posterior(weights, b, i, p)
			q := correction.Bayes(r, p, f.columns.RawRowView(f.labels[i]))
			sums[part] -= math.Log(max(q, math.SmallestNonzeroFloat32))
			if grad == nil {
				continue
			}
			for k, v := range p {
				d := v - r[k]
				slope[len(weights)+k] += d
				for j, term := range f.terms {
					slope[j] += d * weights[j] * float64(term[i*f.c+k])
				}
			}
		}
		slopes[part] = slope
	})
	if grad != nil {
		copy(grad, x)
		for _, slope := range slopes {
			floats.Add(grad, slope)
		}
		if f.scaled {
			clear(grad[len(weights):])
		}
		floats.Scale(1/float64(n), grad)
	}
	return (floats.Dot(x, x)/2 + floats.Sum(sums[:])) / float64(n)
}

// parts is a fixed number, so that sums are the same on every machine.
const parts = 8

// inParts calls do for each part of [0, n), side by side.
func inParts(n int, do func(part, from, to int)) {
	var all sync.WaitGroup
	for part := range parts {
		all.Go(func() { do(part, part*n/parts, (part+1)*n/parts) })
	}
	all.Wait()
}
