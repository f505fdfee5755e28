package estimators

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/humanize"
)

const (
	// farRows is the L1 distance above which two estimates of a row disagree. If both are right, they differ by a few
	// hundredths.
	farRows = .15

	// highCondition is the condition number above which backward correction becomes noisy: an error of one percent in
	// T-hat changes the loss by as much as the loss.
	highCondition = 100

	// mostNamed is the number of classes up to which other names of the rows are compared, which takes its cube.
	mostNamed = 1000
)

// doubt warns of what may be wrong with an estimate, as far as that can be found without the true T.
func (e *Estimation) doubt(names naming, trusted []correction.Trusted) {
	e.warnOf("too few labels of class %s to tell how they go wrong: the row of T-hat is made from those of the other "+
		"classes; correct the name if it is misspelt, otherwise give more examples, or join it to another class",
		e.where(func(i int) bool { return !e.hasRow(i) }, func(int) float64 { return 0 }), e.T.Class)
	sharing := make(map[int][]string)
	for i, x := range e.Anchors {
		sharing[x] = append(sharing[x], e.T.Class(i))
	}
	for _, x := range slices.Sorted(maps.Keys(sharing)) {
		if alike := sharing[x]; len(alike) > 1 {
			e.warn("the network does not tell classes %s apart, example %d stands for each of them: at most one of their rows "+
				"of T-hat can be right; train a better network, or give trusted labels of them", strings.Join(alike, ", "), x)
		}
	}
	if len(trusted) > 0 {
		e.doubtNames(names)
	} else {
		e.warnOf("fewer than half of the labels are right, by the estimate, in class %s: its row of T-hat may be that of "+
			"another class, which noisy labels alone cannot decide; check one to five examples of each such class by hand and "+
			"give them as trusted labels",
			e.where(func(i int) bool { return e.T.At(i, i) < .5 }, func(i int) float64 { return e.T.At(i, i) }),
			func(i int) string { return fmt.Sprintf("%s (%.0f %%)", e.T.Class(i), 100*e.T.At(i, i)) })
	}
	if cond := e.T.Condition(); cond > highCondition {
		e.warn("rows of T-hat are nearly alike (condition number %.3g): backward correction, which inverts it, amplifies "+
			"errors; use forward correction", cond)
	}
}

// doubtNames warns of names that trusted labels leave open.
func (e *Estimation) doubtNames(names naming) {
	if e.T.Dim() <= mostNamed {
		e.warnOf("the trusted labels do not decide which rows of T-hat are those of %s, other names are about as likely: "+
			"check a few typical examples of them by hand", names.unsure(), e.T.Class)
	}
	if contradictions := names.contradictions(e.T.Classes()); contradictions != "" {
		e.Warnings = append(e.Warnings, contradictions)
	}
}

// compare compares the estimate with that of a second estimator.
func (e *Estimation) compare(name, other string, beside *correction.Matrix) {
	e.Disagreement = correction.RowError(e.T, beside)
	distance := func(i int) float64 { return correction.RowDistance(e.T, beside, i, i) }
	far := e.where(func(i int) bool { return distance(i) > farRows && e.hasRow(i) },
		func(i int) float64 { return -distance(i) })
	e.warnOf("two estimates of how labels go wrong, by "+name+" and by "+other+", differ for %s: take what is said of "+
		"these classes with caution; check some of their labels by hand and give them as trusted labels, or train a better "+
		"network", far, func(i int) string {
		share := distance(i) / 2 // of an L1 distance
		return fmt.Sprintf("%s (by %.0f %% of its labels)", e.T.Class(i), 100*share)
	})
}

// hasRow reports whether row i of T-hat is one of posteriors, or is counted from some labels.
func (e *Estimation) hasRow(i int) bool { return e.counted == nil || e.counted[i] > 0 }

// where returns the classes for which is holds, those of least value first.
func (e *Estimation) where(is func(i int) bool, value func(i int) float64) (classes []int) {
	for i := range e.T.Dim() {
		if is(i) {
			classes = append(classes, i)
		}
	}
	slices.SortStableFunc(classes, func(a, b int) int { return cmp.Compare(value(a), value(b)) })
	return classes
}

func (e *Estimation) warn(format string, args ...any) {
	e.Warnings = append(e.Warnings, fmt.Sprintf(format, args...))
}

// warnOf warns of some classes, if any: in place of %s come the first ten.
func (e *Estimation) warnOf(format string, classes []int, describe func(i int) string) {
	if len(classes) == 0 {
		return
	}
	texts := make([]string, len(classes))
	for k, i := range classes {
		texts[k] = describe(i)
	}
	e.warn(format, humanize.Listed(texts, 10))
}
