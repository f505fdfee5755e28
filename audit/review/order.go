package review

import (
	"cmp"
	"slices"

	"github.com/losscorr/losscorr/audit"
)

// perRow is how many examples name a row of T.
const perRow = 5

// Ask returns the examples that tell most, by their indices in issues: for each row of
// T-hat whose class labels alone do not name, those whose clean posterior is surest of
// that class. Whoever labels them names the row.
func Ask(s audit.Summary, issues []audit.Issue, p Posteriors) []int {
	var first []int
	for _, class := range s.UnnamedRows {
		surest := make([]int, 0, perRow+1)
		for i, issue := range issues {
			v := p.Row(issue.Row)[class]
			at, _ := slices.BinarySearchFunc(surest, v, func(k int, v float32) int {
				return cmp.Compare(v, p.Row(issues[k].Row)[class])
			})
			for at < len(surest) && p.Row(issues[surest[at]].Row)[class] == v {
				at++ // the worst of equals first
			}
			if at < perRow {
				surest = slices.Insert(surest, at, i)
				surest = surest[:min(len(surest), perRow)]
			}
		}
		first = append(first, surest...)
	}
	return first
}
