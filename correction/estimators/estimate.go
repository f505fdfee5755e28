package estimators

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/losscorr/losscorr/correction"
)

// Options says how T-hat is estimated from the posteriors of a network
// trained on noisy labels. Fields that an estimator does not use are ignored.
type Options struct {
	// Name is the name of one of All. Default percentile, the paper's
	// choice for all data sets but CIFAR-100, where it uses argmax.
	Name string

	// Quantile is percentile's cut, in (0, 1]. Default 0.97.
	Quantile float64

	// Kappa is class-quantile's cut as a share of the examples labelled i, in
	// (0, 1]. Default 0.3, which equals Quantile 0.97 at ten equal classes.
	Kappa float64

	// Average is the number of rows that class-quantile averages, the anchor
	// itself included. Default n/(100 c), at least 1.
	Average int

	// Prior is the least number of imagined examples that vertices adds to those that it counts
	// for a row, with as many wrong labels as all rows together have, in equal parts of the
	// other classes: no entry is 0, and rows that differ no more than by chance become alike
	// (empirical Bayes). Default 0: none. An audit sets 1: a kind of wrong label that is too rare to be
	// counted is not impossible.
	Prior float64

	// Triples holds examples with two others each that are taken to be of the same class, its
	// nearest neighbours by the features of a network, for estimators that compare them.
	Triples [][3]int

	// Held lists the examples that the network was not trained on, for estimators that compare what it says of them
	// with their labels.
	Held []int

	// Trusted lists examples whose true label is known. They decide the names of
	// the rows of any estimator, which noisy labels alone cannot if more than half
	// of a class is mislabelled.
	Trusted []correction.Trusted

	// Alone leaves out the second estimate, which takes as long as class-quantile or
	// vertices does: Estimation.Disagreement is 0.
	Alone bool
}

// Estimation is an estimate of T with its anchors and warnings.
type Estimation struct {
	T       *correction.Matrix
	Anchors []int // per class, the index of its anchor in X'

	// Disagreement is the RowError between the estimate and that of a second
	// estimator: class-quantile, or vertices for class-quantile itself. It is 0 if
	// the second estimator fails, as it does without labels.
	Disagreement float64

	// Warnings describes, for a reader, the parts of T that may be wrong.
	Warnings []string

	noisy []int // the labels that it was estimated from
	counts
}

// counts are the examples whose labels make the rows of an estimator that counts.
type counts struct {
	// near lists, per class, the examples nearest to its row, the nearest first; the labels of the first counted of
	// them make the row, none that of a class with too few labels. Both are nil where rows are not counts.
	near    [][]int
	counted []int

	// imagined is the number of examples that each row has beside those that were counted, with wrong labels of all
	// classes alike: many where the rows are alike, few where each class goes wrong in its own way.
	imagined float64
}

// of returns the examples whose labels make row i.
func (c counts) of(i int) []int {
	if c.near == nil {
		return nil
	}
	return c.near[i][:c.counted[i]]
}

// reading is the output of an estimator, per class.
type reading struct {
	anchors []int
	at      [][]float64 // the posterior at the anchor; nil: rows
	rows    [][]float64 // of T-hat, not normalised
	counts
	warnings []string
}

func newReading(c int) reading { return reading{anchors: make([]int, c), rows: zeros(c)} }

// rename puts row v under class names[v].
func (r *reading) rename(names []int) {
	r.anchors, r.at, r.rows = renamed(r.anchors, names), renamed(r.at, names), renamed(r.rows, names)
	r.near, r.counted = renamed(r.near, names), renamed(r.counted, names)
}

func renamed[E any](list []E, names []int) []E {
	if list == nil {
		return nil
	}
	out := make([]E, len(list))
	for v, i := range names {
		out[i] = list[v]
	}
	return out
}

// posteriors returns the rows' own posteriors.
func (r *reading) posteriors(classes []string) *correction.Matrix {
	if r.at == nil {
		return r.matrix(classes)
	}
	return correction.Normalized(classes, r.at)
}

func (r *reading) matrix(classes []string) *correction.Matrix {
	return correction.Normalized(classes, r.rows)
}

// Estimate returns T-hat from the logits of a network on X', the training and
// validation sets together, in evaluation mode and without augmentation:
//
//	x_i      = argmax over x in X' of p(ỹ=i | x)
//	T-hat_ij = p(ỹ=j | x_i) / sum over k of p(ỹ=k | x_i)
//
// for argmax; see All for the others. With argmax T-hat equals T if X' has a
// perfect example of each class and the network's outputs are p(ỹ|x) (Theorem 3).
//
// logits is n x c, row by row, where c = len(classes). Posteriors are their
// softmax in float64. Examples are ranked by log-odds, because many probabilities
// round to 1. noisy holds the n given labels, and is kept; argmax, percentile and gold
// accept nil, and then there is no second estimate (Estimation.Disagreement).
//
// It is an error if logits is empty, not n x c or not finite, if a label is
// missing or out of range, or if opt is invalid.
func Estimate(classes []string, logits []float32, noisy []int, opt Options) (*Estimation, error) {
	e, err := estimate(classes, logits, noisy, opt)
	if err != nil {
		return nil, fmt.Errorf("correction: estimate transition matrix: %w", err)
	}
	return e, nil
}

func estimate(classes []string, logits []float32, noisy []int, opt Options) (*Estimation, error) {
	if err := correction.CheckClasses(classes); err != nil {
		return nil, err
	}
	p, err := newPosteriors(logits, classes)
	if err != nil {
		return nil, err
	}
	opt.Name = cmp.Or(opt.Name, "percentile")
	if err := opt.check(p, noisy); err != nil {
		return nil, err
	}
	run := All.Named(opt.Name)
	r, names, err := opt.read(run, p, noisy)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", opt.Name, err)
	}
	e := &Estimation{T: r.matrix(classes), Anchors: r.anchors, Warnings: r.warnings, noisy: noisy, counts: r.counts}
	e.doubt(names, opt.Trusted)
	if noisy == nil || opt.Alone { // the second estimators need noisy labels
		return e, nil
	}
	opt.Average = min(opt.Average, p.n)
	if beside, _, err := opt.read(All.Named(run.Beside), p, noisy); err != nil {
		e.warn("the estimate of T could not be compared with a second one, by %s: %v", run.Beside, err)
	} else {
		e.compare(opt.Name, run.Beside, beside.matrix(classes))
	}
	return e, nil
}

// read returns the rows of T-hat by an estimator, under the likeliest names.
func (o Options) read(run Entry, p *posteriors, noisy []int) (r reading, names naming, err error) {
	if run.Labels && noisy == nil {
		return r, names, errors.New("noisy labels are missing: they are counted")
	}
	if r, err = run.estimate(p, noisy, o); err != nil {
		return r, names, err
	}
	names = newNaming(&r, p, o.Trusted)
	if len(o.Trusted) > 0 && !run.Trusted {
		decided := names.decided()
		r.rename(decided)
		names.rename(decided)
	}
	if run.Counts {
		r.imagined = imagine(r.rows, o.Prior, mostImagined)
	}
	return r, names, nil
}

// check checks the options and the noisy labels against the posteriors.
func (o Options) check(p *posteriors, noisy []int) error {
	if noisy != nil && len(noisy) != p.n {
		return fmt.Errorf("%d noisy labels for %d rows of logits", len(noisy), p.n)
	}
	if err := correction.CheckLabels("noisy label", noisy, p.c); err != nil {
		return err
	}
	if All.Named(o.Name).estimate == nil {
		return fmt.Errorf("unknown estimator %q, want one of %s", o.Name, strings.Join(All.Names(), ", "))
	}
	for _, t := range o.Trusted {
		if t.Index < 0 || t.Index >= p.n {
			return fmt.Errorf("trusted label of example %d, want one in [0, %d)", t.Index, p.n)
		}
		if t.Label < 0 || t.Label >= p.c {
			return fmt.Errorf("trusted label of example %d is %d, want one in [0, %d)", t.Index, t.Label, p.c)
		}
	}
	for _, x := range o.Held {
		if x < 0 || x >= p.n {
			return fmt.Errorf("held-out example %d, want one in [0, %d)", x, p.n)
		}
	}
	if !(o.Prior >= 0 && o.Prior <= math.MaxInt32) {
		return fmt.Errorf("prior of %v examples, want 0 or more", o.Prior)
	}
	return nil
}
