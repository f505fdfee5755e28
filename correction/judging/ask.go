package judging

import (
	"cmp"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
)

// askedPerRow is how many examples Ask gives for each class that is unnamed. One trusted
// label names a row if it is right and its example typical.
const askedPerRow = 3

// Ask returns the n most informative examples for a person to label, or all if there are
// fewer, the most informative first:
//
//  1. for each class of e.Unnamed, in turn, up to three examples nearest to its row of T-hat:
//     their labels decide whose row it is (estimators.Options.Trusted);
//  2. the others by the entropy of their true label given x and ỹ, the information expected
//     of an answer: it is largest where w is near 1/2 and several classes are as likely.
//
// Equal ones keep the order of the data. Examples of known are left out.
func Ask(e *estimators.Estimation, a *Audited, known []correction.Trusted, n int) []int {
	taken := make([]bool, len(a.doubt))
	for _, k := range known {
		taken[k.Index] = true
	}
	var asked []int
	for k := range askedPerRow {
		for _, i := range e.Unnamed {
			near := e.Anchors[i : i+1]
			if e.Near != nil {
				near = e.Near[i]
			}
			if k < len(near) && !taken[near[k]] && len(asked) < n {
				taken[near[k]] = true
				asked = append(asked, near[k])
			}
		}
	}
	var rest []int
	for x, t := range taken {
		if !t {
			rest = append(rest, x)
		}
	}
	slices.SortFunc(rest, func(x, y int) int {
		return cmp.Or(cmp.Compare(a.doubt[y], a.doubt[x]), cmp.Compare(x, y))
	})
	return append(asked, rest[:min(len(rest), n-len(asked))]...)
}
