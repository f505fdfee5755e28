package estimators

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/humanize"
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

	noisy   []int // the labels that it was estimated from
	unnamed []int // of naming.unsure
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

// mostNamed is the number of classes up to which other names of the rows are compared, which takes its cube.
const mostNamed = 1000

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
	if opt.Name == "" {
		opt.Name = "percentile"
	}
	if err := opt.check(p, noisy); err != nil {
		return nil, err
	}
	named := func(run Entry) (reading, naming, error) {
		if run.Labels && noisy == nil {
			return reading{}, naming{}, errors.New("noisy labels are missing: they are counted")
		}
		r, err := run.estimate(p, noisy, opt)
		if err != nil {
			return r, naming{}, err
		}
		names := newNaming(&r, p, opt.Trusted)
		if len(opt.Trusted) > 0 && !run.Trusted {
			decided := names.decided()
			r.rename(decided)
			names.rename(decided)
		}
		if run.Counts {
			r.imagined = imagine(r.rows, opt.Prior, mostImagined)
		}
		return r, names, nil
	}
	run := All.Named(opt.Name)
	r, names, err := named(run)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", opt.Name, err)
	}
	e := &Estimation{T: r.matrix(classes), Anchors: r.anchors, noisy: noisy, counts: r.counts}
	if p.c <= mostNamed {
		e.unnamed = names.unsure()
	}
	e.Warnings = slices.Concat(r.warnings, e.rare(), e.doubts(names, opt.Trusted))
	if noisy == nil || opt.Alone { // the second estimators need noisy labels
		return e, nil
	}
	opt.Average = min(opt.Average, p.n)
	switch beside, _, err := named(All.Named(run.Beside)); {
	case err != nil:
		e.Warnings = append(e.Warnings, fmt.Sprintf("the estimate of T could not be compared with a second one, by %s: %v",
			run.Beside, err))
	default:
		e.compare(opt.Name, run.Beside, beside.matrix(classes))
	}
	return e, nil
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
	if err := correction.CheckTrusted(o.Trusted, p.n, p.c); err != nil {
		return err
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

// farRows is the L1 distance above which two estimates of a row disagree. If both
// are right, they differ by a few hundredths.
const farRows = .15

// compare compares the estimate with that of a second estimator.
func (e *Estimation) compare(name, other string, beside *correction.Matrix) {
	e.Disagreement = correction.RowError(e.T, beside)
	cost := correction.RowDistances(e.T, beside)
	var far []int
	for i := range cost {
		if cost[i][i] > farRows && (e.counted == nil || e.counted[i] > 0) {
			far = append(far, i)
		}
	}
	if len(far) == 0 {
		return
	}
	slices.SortStableFunc(far, func(a, b int) int { return cmp.Compare(cost[b][b], cost[a][a]) })
	e.Warnings = append(e.Warnings, fmt.Sprintf("two estimates of how labels go wrong, by %s and by %s, differ for %s: "+
		"take what is said of these classes with caution; check some of their labels by hand and give them as trusted "+
		"labels, or train a better network", name, other, e.listed(far, func(i int) string {
		return fmt.Sprintf("%s (by %.0f %% of its labels)", e.T.Class(i), 50*cost[i][i]) // half of an L1 distance is a share
	})))
}

// listed describes the first ten of some classes.
func (e *Estimation) listed(classes []int, describe func(i int) string) string {
	texts := make([]string, len(classes))
	for k, i := range classes {
		texts[k] = describe(i)
	}
	return humanize.Listed(texts, 10)
}

// highCondition is the condition number above which backward correction becomes
// noisy: an error of one percent in T-hat changes the loss by as much as the loss.
const highCondition = 100

// doubts returns warnings about an estimate that can be found without the true T.
func (e *Estimation) doubts(names naming, trusted []correction.Trusted) []string {
	t := e.T
	var warnings []string
	sharing := make(map[int][]string)
	for i, x := range e.Anchors {
		sharing[x] = append(sharing[x], t.Class(i))
	}
	for _, x := range slices.Sorted(maps.Keys(sharing)) {
		if alike := sharing[x]; len(alike) > 1 {
			warnings = append(warnings, fmt.Sprintf("the network does not tell classes %s apart, example %d stands for each "+
				"of them: at most one of their rows of T-hat can be right; train a better network, or give trusted labels of them",
				strings.Join(alike, ", "), x))
		}
	}
	if len(trusted) > 0 {
		warnings = append(warnings, e.doubtfulNames(names)...)
	} else {
		warnings = append(warnings, e.mostlyWrong()...)
	}
	if cond := t.Condition(); cond > highCondition {
		warnings = append(warnings, fmt.Sprintf("rows of T-hat are nearly alike (condition number %.3g): "+
			"backward correction, which inverts it, amplifies errors; use forward correction", cond))
	}
	return warnings
}

// doubtfulNames returns warnings about names that trusted labels leave open.
func (e *Estimation) doubtfulNames(names naming) (warnings []string) {
	if len(e.unnamed) > 0 {
		warnings = append(warnings, fmt.Sprintf("the trusted labels do not decide which rows of T-hat are those of %s, "+
			"other names are about as likely: check a few typical examples of them by hand",
			e.listed(e.unnamed, e.T.Class)))
	}
	if contradictions := names.contradictions(e.T.Classes()); contradictions != "" {
		warnings = append(warnings, contradictions)
	}
	return warnings
}

// mostlyWrong returns a warning about the classes of which fewer than half of the labels are right, by T-hat.
func (e *Estimation) mostlyWrong() []string {
	var few []int
	for i := range e.T.Dim() {
		if e.T.At(i, i) < 0.5 {
			few = append(few, i)
		}
	}
	if len(few) == 0 {
		return nil
	}
	slices.SortStableFunc(few, func(a, b int) int { return cmp.Compare(e.T.At(a, a), e.T.At(b, b)) })
	return []string{fmt.Sprintf("fewer than half of the labels are right, by the estimate, in class %s: "+
		"its row of T-hat may be that of another class, which noisy labels alone cannot decide; check one to five examples "+
		"of each such class by hand and give them as trusted labels", e.listed(few, func(i int) string {
		return fmt.Sprintf("%s (%.0f %%)", e.T.Class(i), 100*e.T.At(i, i))
	}))}
}
