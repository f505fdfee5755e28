package judging

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/losscorr/losscorr/correction"
)

// Audited is the judgement of given labels: for each example the probability that its
// label is wrong, and the label that it most likely has.
type Audited struct {
	// Wrong holds w = P(y ≠ ỹ | x, ỹ) of each example, in [0, 1].
	Wrong []float64

	// Suggested holds the likeliest true label of each example.
	Suggested []int

	// ExpectedWrong is the expected number of wrong labels, the sum of Wrong.
	// ExpectedByClass splits it by given label.
	ExpectedWrong   float64
	ExpectedByClass []float64

	t     *correction.Matrix // nil of SelfConfidence
	g     []float32
	given []int
	odds  []float64 // of a right label to a wrong one; ranks as Wrong does, without saturation
	doubt []float64 // entropy of the true label given x and ỹ
	sure  []float64 // of the suggested label; ranks labels of equal odds
	self  []float64 // noisy posterior of the given label, where BreakTies has set it; ranks before sure
}

// Audit judges the given labels ỹ by the clean posteriors g of the examples and the
// transition matrix. By Bayes' rule, where a label depends on its example only through
// the true class,
//
//	P(y=k | x, ỹ) = T[k][ỹ] g_k / sum over l of T[l][ỹ] g_l
//
// so that the label is wrong with probability
//
//	w = 1 - T[ỹ][ỹ] g_ỹ / sum over k of T[k][ỹ] g_k
//
// and the likeliest true label is argmax over k of T[k][ỹ] g_k: the given label on a
// tie, then the first class.
//
// g holds p(y=k|x), N x c row by row, of networks that have not seen the example: of a
// network trained with forward correction by T, or by [CleanPosteriors]. Rows need not
// sum to 1. Where the sum over k is 0, T and g together rule the label out: w is 1, and
// the suggestion is argmax of g.
//
// It is an error if g is not len(labels) x c, if an entry of g is negative or not
// finite, or if a label is out of range.
func Audit(g []float32, labels []int, t *correction.Matrix) (*Audited, error) {
	c := t.Dim()
	if len(labels) == 0 || len(g) != len(labels)*c {
		return nil, fmt.Errorf("correction: audit: %d posteriors for %d labels of %d classes", len(g), len(labels), c)
	}
	if err := correction.CheckLabels("given label", labels, c); err != nil {
		return nil, fmt.Errorf("correction: audit: %w", err)
	}
	n := len(labels)
	a := &Audited{Wrong: make([]float64, n), Suggested: make([]int, n), ExpectedByClass: make([]float64, c),
		odds: make([]float64, n), sure: make([]float64, n), doubt: make([]float64, n), t: t, g: g, given: labels}
	joint := make([]float64, c)
	for x, given := range labels {
		row := g[x*c : (x+1)*c]
		others := 0.
		for k, v := range row {
			if !(v >= 0 && v <= math.MaxFloat32) {
				return nil, fmt.Errorf("correction: audit: posterior of example %d for class %s is %v", x, t.Class(k), v)
			}
			joint[k] = t.At(k, given) * float64(v)
			if k != given {
				others += joint[k]
			}
		}
		own := joint[given]
		if own+others == 0 {
			a.Wrong[x], a.Suggested[x] = 1, likeliest(row, given)
			a.sure[x] = float64(row[a.Suggested[x]])
		} else {
			a.Wrong[x], a.Suggested[x] = others/(own+others), likeliest(joint, given)
			a.odds[x] = own / others // +Inf where no other class is possible
			floats.Scale(1/(own+others), joint)
			a.doubt[x], a.sure[x] = stat.Entropy(joint), joint[a.Suggested[x]]
		}
		a.ExpectedByClass[given] += a.Wrong[x]
	}
	a.ExpectedWrong = floats.Sum(a.ExpectedByClass)
	return a, nil
}

// likeliest returns argmax of v: given on a tie, then the first.
func likeliest[F float32 | float64](v []F, given int) int {
	best := given
	for k, p := range v {
		if p > v[best] {
			best = k
		}
	}
	return best
}

// BreakTies ranks labels of equal odds by the noisy posterior of the given label, the
// least first: those whose own class has a clean posterior of 0 are equally likely wrong,
// and can be a fifth of the data. noisy holds p(ỹ|x), N x c row by row. Panics if its length
// is another one.
func (a *Audited) BreakTies(noisy []float32) {
	if len(noisy) != len(a.g) {
		panic(fmt.Sprintf("correction: break ties: %d noisy posteriors for %d clean ones", len(noisy), len(a.g)))
	}
	c := len(noisy) / len(a.given)
	a.self = make([]float64, len(a.given))
	for x, y := range a.given {
		a.self[x] = float64(noisy[x*c+y])
	}
}

// Order returns the examples from the most to the least likely wrong one. Of labels of equal
// odds, those come first whose noisy posterior is less (BreakTies), then those whose
// suggestion is surer. What is still equal is shuffled, in the same way each time: the order
// of the data says nothing of a label, or what nobody should use.
func (a *Audited) Order() []int {
	order := rand.New(rand.NewPCG(1, uint64(len(a.Wrong)))).Perm(len(a.Wrong))
	slices.SortStableFunc(order, func(x, y int) int {
		if by := cmp.Compare(a.odds[x], a.odds[y]); by != 0 {
			return by
		}
		if a.self != nil && a.self[x] != a.self[y] {
			return cmp.Compare(a.self[x], a.self[y])
		}
		return cmp.Compare(a.sure[y], a.sure[x])
	})
	return order
}

// LikelyWrong is the probability of being wrong above which a label is more likely wrong
// than right.
const LikelyWrong = .5

// Flagged returns the number of examples whose label is more likely wrong than right.
func (a *Audited) Flagged() int {
	n := 0
	for _, w := range a.Wrong {
		if w > LikelyWrong {
			n++
		}
	}
	return n
}

// Checks returns how many labels a person has to check, in the given order, which is
// Order's, until the expected share of wrong labels among all examples is at most share.
// A checked label counts as right.
func (a *Audited) Checks(order []int, share float64) int {
	left := a.ExpectedWrong
	limit := share * float64(len(a.Wrong))
	for n, x := range order {
		if left <= limit {
			return n
		}
		left -= a.Wrong[x]
	}
	return len(order)
}
