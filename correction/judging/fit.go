package judging

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
)

// Input is the input of [Fit]. Arrays [N C] are stored row by row.
type Input struct {
	Logits []float32 // z [N C] of networks that have not seen the example, up to a constant per example
	Labels []int     // given labels [N]
	T      *correction.Matrix
	Refit  bool // fit T to all labels as well

	// Corrected fixes b at 0, for networks trained with the forward loss.
	Corrected bool

	// Near holds the nearest other examples of each example, len(Near)/N each, padded with -1; nil: unknown.
	Near []int32

	// Discriminants returns linear discriminants [N C] of the examples' features for each of the given [Ridges]. They
	// are fitted to the probabilities shares [N C] of the true classes, without the example's own part of the data. nil:
	// no features.
	Discriminants func(shares []float32, ridges []float64) [][]float32
}

// Ridges are the regularization strengths of discriminants to choose from.
var Ridges = []float64{.1, .3, 1, 3}

// rounds is how often discriminants, weights and T are fitted in turn. Only the first round tries all ridges: later
// the labels of a part have leaked into the other parts, and the loss favours small ridges.
const rounds = 3

// Fitted holds the clean posteriors and the T that together explain the given labels.
type Fitted struct {
	G []float32 // [N C]
	T *correction.Matrix
}

// Fit minimizes the forward loss on the given labels,
//
//	-log sum over k of T[k][y] g_k,   g = softmax(a z + b + sum over k of w_k e_k)
//
// over a, b [C] and the weights w of the evidence, and then T and the scale of g ([estimators.Refit]). With evidence
// besides logits it repeats this three times. The evidence e is the mean log probabilities of the neighbours' labels
// and the discriminants. Standard normal priors on log a, log w and b regularize the fit if labels are few. Beyond
// 30,000 examples, or 5,000,000/C, only every k-th example is used.
//
// It is an error if an array does not match the labels or is not finite.
func Fit(in Input) (Fitted, error) {
	if err := check(in.Logits, in.Labels, in.T.Classes()); err != nil {
		return Fitted{}, err
	}
	var g []float32
	t, tried := in.T, Ridges
	for range rounds {
		f := estimators.NewForward(in.Labels, t, in.Logits)
		f.Scaled = in.Corrected
		if in.Near != nil {
			votes, err := neighbourVotes(in.Near, in.Labels, t)
			if err != nil {
				return Fitted{}, err
			}
			f.Terms = append(f.Terms, votes)
		}
		if in.Discriminants == nil || g == nil {
			x, _ := f.Minimize()
			g = f.Posteriors(x)
		}
		if in.Discriminants != nil {
			alone, least, best := f.Terms, math.Inf(1), 0
			for k, z := range in.Discriminants(trueShares(g, in.Labels, t), tried) {
				f.Terms = append(alone[:len(alone):len(alone)], z)
				if x, loss := f.Minimize(); loss < least {
					least, best, g = loss, k, f.Posteriors(x)
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

// FitGiven returns posteriors of the given labels [N C], softmax(a z) with the a that makes the labels likeliest, and
// their mean cross-entropy. The kind of network with the lower cross-entropy mostly ranks wrong labels better. It is
// an error if logits do not match the labels or are not finite.
func FitGiven(logits []float32, labels []int, classes []string) (p []float32, loss float64, err error) {
	identity, err := correction.Identity(classes)
	if err = cmp.Or(err, check(logits, labels, classes)); err != nil {
		return nil, 0, err
	}
	f := estimators.NewForward(labels, identity, logits)
	f.Scaled = true
	x, _ := f.Minimize()
	return f.Posteriors(x), f.Loss(x, nil), nil
}

func check(logits []float32, labels []int, classes []string) error {
	if len(labels) == 0 || len(logits) != len(labels)*len(classes) {
		return fmt.Errorf("judging: %d logits for %d labels of %d classes", len(logits), len(labels), len(classes))
	}
	err := errors.Join(correction.CheckLabels("given label", labels, len(classes)),
		correction.CheckLogits(logits, classes))
	if err != nil {
		return fmt.Errorf("judging: %w", err)
	}
	return nil
}

// trueShares returns P(y|x, ỹ) = T[y][ỹ] g_y / sum [N C], or g if T and g rule the label out.
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
