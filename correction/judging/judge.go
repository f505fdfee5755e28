package judging

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

// LikelyWrong is the threshold of w above which a label is called wrong.
const LikelyWrong = .5

// Judgement rates N labels.
type Judgement struct {
	Wrong     []float64 // w, the probability that the label is wrong
	Suggested []int     // the likeliest class other than the label; the true class of a known label
	Right     []float64 // the probability that the suggested class is the true one
	Order     []int     // the examples, likeliest wrong ones first
}

// Judge combines both kinds of mistakes with a share pi of instance-dependent ones. Checked labels, known, are right
// or wrong for certain. Order is by T, or by w if byW is set, which pays off from about 25 random checks on. Ties go
// to the smaller posterior self [N] of the given label, or are random if self is nil.
func (m *Model) Judge(pi float64, known []correction.Trusted, self []float32, byW bool) Judgement {
	n, c := len(m.labels), m.t.Dim()
	j := Judgement{Wrong: m.Mixture(pi), Suggested: make([]int, n), Right: make([]float64, n)}
	columns, share := m.t.ByLabel(), make([]float64, c)
	score := slices.Clone(m.odds)
	for x, y := range m.labels {
		j.Suggested[x] = m.suggest(x, y, pi, columns.RawRowView(y), share)
		j.Right[x] = min(share[j.Suggested[x]], j.Wrong[x])
		if byW {
			score[x] = j.Wrong[x]
		}
	}
	for _, k := range known {
		x := k.Index
		j.Suggested[x], j.Right[x], j.Wrong[x], score[x] = k.Label, 1, 1, 1e300
		if k.Label == m.labels[x] {
			j.Wrong[x], score[x] = 0, -1
		}
	}
	j.Order = rand.New(rand.NewPCG(1, uint64(n))).Perm(n)
	slices.SortStableFunc(j.Order, func(a, b int) int {
		if by := cmp.Compare(score[b], score[a]); by != 0 || self == nil {
			return by
		}
		return cmp.Compare(self[a], self[b])
	})
	return j
}

// Mixture returns w = pi w_E + (1 - pi) w_T of each label, in [1e-4, 1 - 1e-4].
func (m *Model) Mixture(pi float64) []float64 {
	w := make([]float64, len(m.labels))
	for x, e := range m.InstanceDependent {
		w[x] = min(max(pi*e+(1-pi)*m.ClassDependent[x], leastW), 1-leastW)
	}
	return w
}

// suggest sets share to the probabilities of the true class and returns the likeliest class other than the given
// label y:
//
//	(1 - pi) T[k][y] g_k / sum over l of T[l][y] g_l + pi q(k)
//
// where q is w_E for the class of largest g other than y, and 0 for the rest.
func (m *Model) suggest(x, y int, pi float64, column, share []float64) int {
	c := len(share)
	best := 0
	for k, v := range m.g[x*c : (x+1)*c] {
		share[k] = column[k] * float64(v)
		if best == y || k != y && v > m.g[x*c+best] {
			best = k
		}
	}
	if sum := floats.Sum(share); sum > 0 {
		floats.Scale((1-pi)/sum, share)
	}
	share[best] += pi * m.InstanceDependent[x]
	for k, v := range share {
		if k != y && v > share[best] {
			best = k
		}
	}
	return best
}

// Range returns the smaller and the larger of sum w_T and sum w_E over the labels in rows, or over all if rows is
// nil. Without checks, the number of wrong labels is roughly between the two.
func (m *Model) Range(rows []int) correction.Interval {
	t, e := 0., 0.
	if rows == nil {
		t, e = floats.Sum(m.ClassDependent), floats.Sum(m.InstanceDependent)
	}
	for _, x := range rows {
		t, e = t+m.ClassDependent[x], e+m.InstanceDependent[x]
	}
	return correction.Interval{Low: min(t, e), High: max(t, e)}
}
