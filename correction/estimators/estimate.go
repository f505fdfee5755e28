package estimators

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/guard"
)

// Options configure an estimator. Fields that it does not use are ignored.
type Options struct {
	// Name is a name in All. Default: percentile, the paper's choice for all data sets but CIFAR-100, where it uses
	// argmax.
	Name string

	// Quantile is percentile's cut, in (0, 1]. Default 0.97.
	Quantile float64

	// Kappa is class-quantile's cut as a share of the examples labelled i, in
	// (0, 1]. Default 0.3, which equals Quantile 0.97 at ten equal classes.
	Kappa float64

	// Average is the number of rows that class-quantile averages, the anchor
	// itself included. Default n/(100 c), at least 1.
	Average int

	// Prior is the least number of pseudo-examples that vertices adds to each row of counts. Their share of wrong labels
	// is the one of all rows together, spread evenly over the other classes, so that every entry is above 0 and rows
	// that differ only by chance become alike (empirical Bayes). Default 0: none. An audit sets 1, so that kinds of
	// wrong labels too rare to be counted stay possible.
	Prior float64

	// Triples holds examples, each with its two nearest neighbours by the features of a network, for estimators that
	// take all three to be of one class.
	Triples [][3]int

	// Held lists the examples that the network was not trained on, for estimators that compare its predictions for them
	// with their labels.
	Held []int

	// Trusted lists examples with their true labels. They settle the names of the rows of any estimator; noisy labels
	// cannot if more than half of a class is mislabelled.
	Trusted []correction.Trusted

	// Alone skips the second estimate, which takes as long as class-quantile or vertices: Estimation.Disagreement is 0.
	Alone bool
}

// Estimation is T-hat with its anchors and warnings.
type Estimation struct {
	T       *correction.Matrix
	Anchors []int // per class, the index of its anchor in X'

	// Disagreement is the RowError between T-hat and the result of a second estimator: class-quantile, or vertices for
	// class-quantile itself. It is 0 if the second estimator fails, for example without labels.
	Disagreement float64

	// Warnings describes to the user which parts of T may be wrong.
	Warnings []string

	noisy []int // labels behind the estimate
	counts
}

// counts holds the examples whose labels make the rows of an estimator that counts.
type counts struct {
	// near lists, per class, the examples nearest to its row, nearest first. The labels of the first counted ones make
	// the row; a class with too few labels counts none. Both are nil if rows are not counts.
	near    [][]int
	counted []int

	// pseudo is the number of pseudo-examples in each row: many if the rows are alike, few if each class has its own
	// kind of wrong labels.
	pseudo float64
}

// of returns the examples counted for row i.
func (c counts) of(i int) []int {
	if c.near == nil {
		return nil
	}
	return c.near[i][:c.counted[i]]
}

// reading is the output of an estimator, per class.
type reading struct {
	anchors []int
	at      [][]float64 // the posterior at the anchor; nil: the row
	rows    [][]float64 // rows of T-hat, not normalised
	counts
	warnings []string
}

func newReading(c int) reading { return reading{anchors: make([]int, c), rows: zeros(c)} }

// rename assigns row v to class names[v].
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

func (r *reading) matrix(classes []string) *correction.Matrix {
	return correction.Normalized(classes, r.rows)
}

// Estimate returns T-hat from the logits of a network on X', the training and validation sets together, in evaluation
// mode and without augmentation. For argmax,
//
//	x_i      = argmax over x in X' of p(ỹ=i | x)
//	T-hat_ij = p(ỹ=j | x_i) / sum over k of p(ỹ=k | x_i)
//
// and T-hat equals T if X' has a perfect example of each class and the network's outputs are p(ỹ|x) (Theorem 3).
// [All] lists the other estimators.
//
// logits is n x c, row by row, where c = len(classes). Posteriors are their softmax in float64. Examples are ranked
// by log-odds, because many probabilities round to 1. noisy holds the n given labels; the Estimation keeps the slice.
// argmax, percentile and gold accept nil, which skips the second estimate (Estimation.Disagreement).
//
// It is an error if logits is empty, not n x c or not finite, if a label is
// missing or out of range, or if opt is invalid.
func Estimate(classes []string, logits []float32, noisy []int, opt Options) (e *Estimation, err error) {
	defer guard.Wrap(&err, "correction: estimate transition matrix")
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
	e = &Estimation{T: r.matrix(classes), Anchors: r.anchors, Warnings: r.warnings, noisy: noisy, counts: r.counts}
	e.check(names, opt.Trusted)
	if noisy == nil || opt.Alone { // the second estimators need noisy labels
		return e, nil
	}
	opt.Average = min(opt.Average, p.n)
	if beside, _, err := opt.read(All.Named(run.Beside), p, noisy); err != nil {
		e.warn("the estimate of T could not be compared with a second one by %s: %v", run.Beside, err)
	} else {
		e.compare(opt.Name, run.Beside, beside.matrix(classes))
	}
	return e, nil
}

// read returns the rows of T-hat by one estimator, under the likeliest names.
func (o Options) read(run Entry, p *posteriors, noisy []int) (r reading, names naming, err error) {
	if run.Labels && noisy == nil {
		return r, names, errors.New("noisy labels are missing: this estimator counts them")
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
		r.pseudo = addPseudo(r.rows, o.Prior, mostPseudo)
	}
	return r, names, nil
}

// check checks the options and the noisy labels against the posteriors.
func (o Options) check(p *posteriors, noisy []int) error {
	if noisy != nil && len(noisy) != p.n {
		return fmt.Errorf("%d noisy labels for %d rows of logits: pass one label per row", len(noisy), p.n)
	}
	if err := correction.CheckLabels("noisy label", noisy, p.c); err != nil {
		return err
	}
	if All.Named(o.Name).estimate == nil {
		return fmt.Errorf("unknown estimator %q: use one of %s", o.Name, strings.Join(All.Names(), ", "))
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
		return fmt.Errorf("prior is %v examples: use 0 or more", o.Prior)
	}
	return nil
}
