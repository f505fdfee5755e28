package judging

import (
	"fmt"

	"github.com/losscorr/losscorr/correction/estimators"
)

// Limits of what is judged.
const (
	leastSkill    = .05    // of the way from chance to 1
	mostlyRight   = .7     // share of right labels, mean over classes
	knownExamples = 2. / 3 // share of them that networks know which can tell noise from ignorance
)

// Weak reports whether networks are too weak to judge labels by, and describes it for a
// reader. They are
//
//   - if the share of a class's labels that they predict, all classes taken as equally frequent,
//     exceeds 1/c by less than .05 (1-1/c) or less than 3 standard errors, in the mean over the
//     c classes with labels;
//   - if at least half of the classes are in e.Nameless, e being estimated from them;
//   - if by e.T less than 70 % of the labels are right, in the mean over classes, while the
//     networks know fewer than 2/3 of the examples: the mean of the largest weight of a row
//     in the mixture of rows that is likeliest to be an example's posterior. Where no example is
//     certain of its class, what the networks do not know counts as noise, and nothing tells
//     one from the other.
//
// logits is len(labels) x c, of networks that have not seen the example.
func Weak(e *estimators.Estimation, logits []float32, labels []int) (warning string, weak bool) {
	classes := e.T.Classes()
	n, c := len(labels), len(classes)
	hits := 0
	for x, y := range labels {
		if likeliest(logits[x*c:(x+1)*c], 0) == y {
			hits++
		}
	}
	accuracy := float64(hits) / float64(n)
	switch skill := skillOf(logits, labels, c); {
	case skill.little():
		return fmt.Sprintf("of the labels of a class the networks, which have not seen them, predict %.1f %% (mean over the classes, all taken as equally frequent), and chance %.1f %%: "+
			"they are too weak to find wrong labels", 100*skill.recall, 100*skill.chance()), true
	case 2*len(e.Nameless) >= c:
		return fmt.Sprintf("the networks predict the given label of unseen examples in %.1f %% of all cases, and their predictions do not say which rows of T-hat are those of %d of %d classes: "+
			"they are too weak to find wrong labels, since what they do not know looks like wrong labels", 100*accuracy, len(e.Nameless), c), true
	case e.T.Trace() < mostlyRight*float64(c) && e.Known(logits) < knownExamples:
		return fmt.Sprintf("the networks predict the given label of unseen examples in %.1f %% of all cases, and they cannot tell how many of the others are noise: "+
			"they are too weak to find wrong labels, since what they do not know looks like wrong labels", 100*accuracy), true
	}
	return "", false
}
