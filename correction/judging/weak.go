package judging

import (
	"fmt"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
)

// Limits of what is judged.
const (
	leastSkill     = .05    // of the way from chance to 1
	mostlyRight    = .7     // share of right labels, mean over classes
	knownExamples  = 2. / 3 // share of them that networks know which can tell noise from ignorance
	mostlyForeign  = .2     // share of right labels below which a row without a name is that of another class
	halfKnown      = .5     // share of examples that networks know whose labels T is fitted to
	severalClasses = 5      // from which on T is fitted to all labels: of fewer, those that networks confuse are most of them
	evident        = .015   // nats of evidence of wrong labels per example, from which on T is fitted to all; twice
	//                         as many where by that T labels are mostly right
)

// Weak reports whether networks are too weak to judge labels by, and describes it for a
// reader. They are
//
//   - if the share of a class's labels that they predict, all classes taken as equally frequent,
//     exceeds 1/c by less than .05 (1-1/c) or less than 3 standard errors, in the mean over the
//     c classes with labels that are not [estimators.Rare];
//   - if at least half of the classes are in e.Nameless, e being estimated from them;
//   - if by e.T less than 70 % of the labels are right, in the mean over classes, while the
//     networks know fewer than 2/3 of the examples: the mean of the largest weight of a row
//     in the mixture of rows that is likeliest to be an example's posterior. Where no example is
//     certain of its class, what the networks do not know counts as noise, and nothing tells
//     one from the other.
//
// The last two are of a T that was counted at the typical examples of each class, which small classes lack. Of five
// or more classes, where the networks know at least half of the examples and the labels show that many are wrong
// ([estimators.Estimation.Evidence] of 8 or more, and of .015 per example), the T that [estimators.Refit] fits to
// all labels is put into e instead, if more than half of its rows have names, and the networks are not weak. Where by
// that T at least 70 % of the labels are right, it takes .03 per example. The limits were chosen by the true labels of
// descriptions of Debian's packages, with labels made wrong, and of reviews with their stars.
//
// Of networks that are not weak, only rows of classes in e.Unnamed of which fewer than a fifth of the labels are
// right are replaced: their typical examples are those of another class.
//
// logits is len(labels) x c, of networks that have not seen the example.
func Weak(e *estimators.Estimation, logits []float32, labels []int) (warning string, weak bool) {
	classes := e.T.Classes()
	n, c := len(labels), len(classes)
	if skill := skillOf(logits, labels, c); skill.little() {
		return fmt.Sprintf("of the labels of a class the networks, which have not seen them, predict %.1f %% (mean over the classes, all taken as equally frequent), and chance %.1f %%: "+
			"they are too weak to find wrong labels", 100*skill.recall, 100*skill.chance()), true
	}
	var what string
	switch {
	case 2*len(e.Nameless) >= c:
		what = fmt.Sprintf("their predictions do not say which rows of T-hat are those of %d of %d classes", len(e.Nameless), c)
	case e.T.Trace() < mostlyRight*float64(c) && e.Known(logits) < knownExamples:
		what = "they cannot tell how many of the others are noise"
	default:
		replaceForeign(e, logits, labels)
		return "", false
	}
	if c >= severalClasses && e.Known(logits) >= halfKnown {
		if t := fitted(e, logits, labels, evident*float64(n)); t != nil {
			e.Fit(t)
			return "", false
		}
	}
	hits := 0
	for x, y := range labels {
		if likeliest(logits[x*c:(x+1)*c], 0) == y {
			hits++
		}
	}
	return fmt.Sprintf("the networks predict the given label of unseen examples in %.1f %% of all cases, and %s: "+
		"they are too weak to find wrong labels, since what they do not know looks like wrong labels", 100*float64(hits)/float64(n), what), true
}

// replaceForeign puts rows of the T that is fitted to all labels in place of those that are of another class.
func replaceForeign(e *estimators.Estimation, logits []float32, labels []int) {
	var foreign []int
	for _, k := range e.Unnamed {
		if e.T.At(k, k) < mostlyForeign {
			foreign = append(foreign, k)
		}
	}
	if len(foreign) == 0 || e.T.Dim() < severalClasses {
		return
	}
	if t := fitted(e, logits, labels, 0); t != nil {
		rows := e.T.Rows()
		for _, k := range foreign {
			rows[k] = t.Row(k)
		}
		e.Fit(correction.Normalized(t.Classes(), rows))
	}
}

// fitted returns the T that is fitted to all labels, or nil where these show too little that any are wrong, or at least
// half of its rows have no name. least is the evidence that it takes where many are wrong by that T.
func fitted(e *estimators.Estimation, logits []float32, labels []int, least float64) *correction.Matrix {
	if e.Near == nil {
		return nil
	}
	evidence := e.Evidence(logits)
	if evidence < max(estimators.LeastEvidence, least) {
		return nil
	}
	g, err := CalibrateClean(logits, labels, e.T)
	if err != nil {
		return nil
	}
	r, err := estimators.Refit(g, labels, e.T, true)
	if err != nil || 2*len(estimators.Nameless(r.T)) >= r.T.Dim() {
		return nil
	}
	if r.T.Trace() >= mostlyRight*float64(r.T.Dim()) && evidence < 2*least {
		return nil
	}
	return r.T
}
