package correction

import (
	"fmt"
	"math"
	"slices"
)

// Limits of what is judged.
const (
	fewestCounted = 20  // labels of a row of T: at half of them wrong, an entry has a standard error of .11
	leastSkill    = .05 // of the way from the largest class's share to 1
	alikeRows     = 20  // the condition number of T-hat
)

// Small returns the classes whose row of T-hat counts fewer than 20 labels: its entries
// have standard errors up to .11 and more. It is empty for an estimator that counts none.
func (e *Estimation) Small() []int {
	var small []int
	for i, k := range e.counted {
		if k < fewestCounted {
			small = append(small, i)
		}
	}
	return small
}

// Weak reports whether posteriors are too weak to judge labels by, and describes it for a
// reader, with what to try. They are
//
//   - if the share of examples whose given label has the largest posterior exceeds the share b
//     of the largest class by less than .05 (1-b) or less than 3 standard errors;
//   - if at least half of the classes are in e.Unnamed, or the condition number of e.T is
//     above 20, e being estimated from them: where no example is certain of its class, what
//     the networks do not know counts as noise, and the rows of T-hat become alike.
//
// posteriors is len(labels) x c, in the form of probabilities or logits, of networks that
// have not seen the example.
func (e *Estimation) Weak(posteriors []float32, labels []int) (warning string, weak bool) {
	classes := e.T.classes
	n, c := len(labels), len(classes)
	count := make([]int, c)
	hits := 0
	for x, y := range labels {
		count[y]++
		row := posteriors[x*c : (x+1)*c]
		if likeliest(row, 0) == y {
			hits++
		}
	}
	largest := slices.Max(count)
	accuracy, base := float64(hits)/float64(n), float64(largest)/float64(n)
	const try = "Try a larger network, more epochs or more examples; of photos, features of a pretrained network (--backbone)"
	switch {
	case accuracy-base < max(leastSkill*(1-base), 3*math.Sqrt(accuracy*(1-accuracy)/float64(n))):
		return fmt.Sprintf("the networks predict the given label of unseen examples in %.1f %% of all cases, and the answer %s every time is right in %.1f %%: "+
			"they are too weak to find wrong labels. %s", 100*accuracy, classes[slices.Index(count, largest)], 100*base, try), true
	case 2*len(e.Unnamed) >= c:
		return fmt.Sprintf("the networks predict the given label of unseen examples in %.1f %% of all cases, and their predictions do not say which rows of T-hat are those of %d of %d classes: "+
			"they are too weak to find wrong labels, since what they do not know looks like wrong labels. %s", 100*accuracy, len(e.Unnamed), c, try), true
	case e.T.Condition() > alikeRows:
		return fmt.Sprintf("the networks predict the given label of unseen examples in %.1f %% of all cases, and to them some classes are labelled alike (condition number of T-hat %.3g): "+
			"they are too weak to find wrong labels, since what they do not know looks like wrong labels. %s", 100*accuracy, e.T.Condition(), try), true
	}
	return "", false
}
