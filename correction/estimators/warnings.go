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
	// farRows is the L1 distance above which two estimates of a row disagree. Two right ones differ by a few hundredths.
	farRows = .15

	// highCondition is the condition number above which backward correction becomes noisy: an error of one percent in
	// T-hat changes the loss by 100 %.
	highCondition = 100

	// mostNamed is the largest number of classes whose names are compared, which takes its cube.
	mostNamed = 1000
)

// check warns about errors in the estimate that show without the true T.
func (e *Estimation) check(names naming, trusted []correction.Trusted) {
	e.warnOf("class %s has too few labels for a row of T-hat, which is taken from the other "+
		"classes instead: correct the name if it is misspelt, add examples, or merge the class with another",
		e.where(func(i int) bool { return !e.hasRow(i) }, func(int) float64 { return 0 }), e.T.Class)
	sharing := make(map[int][]string)
	for i, x := range e.Anchors {
		sharing[x] = append(sharing[x], e.T.Class(i))
	}
	for _, x := range slices.Sorted(maps.Keys(sharing)) {
		if alike := sharing[x]; len(alike) > 1 {
			e.warn("the network cannot tell classes %s apart, example %d is the anchor of each: at most one of their rows "+
				"of T-hat can be right; train a better network or add trusted labels of these classes",
				strings.Join(alike, ", "), x)
		}
	}
	if len(trusted) > 0 {
		e.checkNames(names)
	} else {
		e.warnOf("by the estimate, fewer than half of the labels are right in class %s: its row of T-hat may belong to "+
			"another class, which noisy labels cannot decide; check one to five examples of each such class by hand and "+
			"add them as trusted labels",
			e.where(func(i int) bool { return e.T.At(i, i) < .5 }, func(i int) float64 { return e.T.At(i, i) }),
			func(i int) string { return fmt.Sprintf("%s (%.0f %%)", e.T.Class(i), 100*e.T.At(i, i)) })
	}
	if cond := e.T.Condition(); cond > highCondition {
		e.warn("rows of T-hat are nearly alike (condition number %.3g): backward correction, which inverts it, amplifies "+
			"errors; use forward correction", cond)
	}
}

// checkNames warns of names that trusted labels leave open.
func (e *Estimation) checkNames(names naming) {
	if e.T.Dim() <= mostNamed {
		e.warnOf("the trusted labels do not decide which rows of T-hat belong to %s: "+
			"check a few typical examples of them by hand", names.unsure(), e.T.Class)
	}
	if contradictions := names.contradictions(e.T.Classes()); contradictions != "" {
		e.Warnings = append(e.Warnings, contradictions)
	}
}

// compare compares the estimate with the result of a second estimator.
func (e *Estimation) compare(name, other string, beside *correction.Matrix) {
	e.Disagreement = correction.RowError(e.T, beside)
	distance := func(i int) float64 { return correction.RowDistance(e.T, beside, i, i) }
	far := e.where(func(i int) bool { return distance(i) > farRows && e.hasRow(i) },
		func(i int) float64 { return -distance(i) })
	e.warnOf("two estimates of how labels go wrong, by "+name+" and by "+other+", differ for %s: treat results for "+
		"these classes with caution; check some of their labels by hand and add them as trusted labels, or train a better "+
		"network", far, func(i int) string {
		share := distance(i) / 2 // of an L1 distance
		return fmt.Sprintf("%s (by %.0f %% of its labels)", e.T.Class(i), 100*share)
	})
}

// hasRow reports whether row i of T-hat comes from posteriors or from at least one counted label.
func (e *Estimation) hasRow(i int) bool { return e.counted == nil || e.counted[i] > 0 }

// where returns the classes that satisfy is, least value first.
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

// warnOf warns about some classes, if any. %s in the format stands for the first ten of them.
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
