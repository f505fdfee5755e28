package estimators

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

// What decides names, in natural logarithms of odds where nothing else is said.
const (
	traceOdds = 6  // per unit of trace
	sureOdds  = 3  // of the names against others, below which they are not sure: 20 to 1
	against   = 6  // of the trusted labels of a class for another row, from which on it is reported: 400 to 1
	wrong     = .3 // the share of examples on which the network or the trusted label may be wrong
	answers   = 5  // typical examples of a class: more of them do not weigh more

	weighed     = 50  // trusted labels of a class at most, each costs time
	mixingSteps = 200 // of expectation maximisation: two digits of a weight
)

// naming is what is known of the names of the rows: the logarithms of the probabilities
// that row v is that of class i are, but for a constant, prior[v][i] + evidence[v][i].
type naming struct {
	prior    [][]float64 // by the labels alone
	evidence [][]float64 // by trusted labels
}

// newNaming weighs all names of the rows of r. The prior prefers names with a large trace,
// since most labels are right; each trusted label of class i says whose row its example has:
//
//	prior_vi    = 6 T-hat_vi
//	evidence_vi = min(1, 5/s_i) sum over trusted x of class i of t_x log(.7 w_x(v) + .3/c)
//
// The weights w_x on the simplex mix the rows' own posteriors to the likeliest p(ỹ|x): w_x(v)
// is the probability that row v is that of x. t_x is the sum of the squares of w_x: 1 for a
// typical example, 1/c for one of which the network knows nothing; s_i is the sum of t_x in
// class i. The given label of x does not count: where T-hat is 0 it would say that a mistake
// of a rare kind belongs to another row.
//
// A review asks about examples on which the network is unsure or mistaken, in similar ways
// for all of a class. So one of them weighs little, and many together no more than five
// typical ones do: otherwise a hundred right answers of that kind permute the classes.
func newNaming(r *reading, p *posteriors, trusted []correction.Trusted) naming {
	at := r.posteriors(p.classes)
	rows := r.matrix(p.classes)
	n := naming{prior: rows.Rows(), evidence: zeros(p.c)}
	for _, row := range n.prior {
		floats.Scale(traceOdds, row)
	}
	typical := make([]float64, p.c)
	for _, t := range spaced(trusted, p.c, weighed) {
		w := at.TrueShares(p.rows[t.Index], mixingSteps)
		weight := floats.Dot(w, w)
		typical[t.Label] += weight
		for v, share := range w {
			n.evidence[v][t.Label] += weight * math.Log((1-wrong)*share+wrong/float64(p.c))
		}
	}
	for _, row := range n.evidence {
		for i, weight := range typical {
			if weight > answers {
				row[i] *= answers / weight
			}
		}
	}
	return n
}

// spaced returns at most about n trusted labels of each class, evenly spaced in their order.
func spaced(trusted []correction.Trusted, c, n int) []correction.Trusted {
	all, seen := make([]int, c), make([]int, c)
	for _, t := range trusted {
		all[t.Label]++
	}
	var some []correction.Trusted
	for _, t := range trusted {
		if every := (all[t.Label] + n - 1) / n; seen[t.Label]%every == 0 {
			some = append(some, t)
		}
		seen[t.Label]++
	}
	return some
}

// likeliest returns the class of each row under the names that are likeliest together.
func (n naming) likeliest() []int {
	cost := n.odds()
	for _, row := range cost {
		floats.Scale(-1, row)
	}
	return correction.Assign(cost)
}

// decided returns the likeliest names. Of rows whose names are sure by the labels alone, it returns those, unless
// trusted labels make others at least 20 times likelier: those of examples on which the networks are mistaken, as a
// review asks about them, can speak for wrong names by less.
func (n naming) decided() []int {
	names, odds := n.likeliest(), n.odds()
	for first := range names {
		alone, gain, cycle := 0., 0., []int{}
		for v := first; len(cycle) == 0 || v != first; v = names[v] {
			cycle = append(cycle, v)
			alone += n.prior[v][v] - n.prior[v][names[v]]
			gain += odds[v][names[v]] - odds[v][v]
		}
		if alone >= sureOdds && gain < sureOdds {
			for _, v := range cycle {
				names[v] = v
			}
		}
	}
	return names
}

// odds returns prior + evidence.
func (n naming) odds() [][]float64 {
	sum := make([][]float64, len(n.prior))
	for v, row := range n.prior {
		sum[v] = floats.AddTo(make([]float64, len(row)), row, n.evidence[v])
	}
	return sum
}

// rename puts row v under class names[v].
func (n *naming) rename(names []int) {
	n.prior, n.evidence = renamed(n.prior, names), renamed(n.evidence, names)
}

// unsure returns the classes whose row would be another one's under the likeliest names, or
// under names that are less than 20 times less likely.
//
// From the likeliest names, the least loss of names that give class a another row is that of
// the shortest cycle of names through a, where name b takes a's place at the loss of odds
// between them: by the algorithm of Floyd and Warshall in O(c^3).
func (n naming) unsure() []int {
	odds, c := n.odds(), len(n.prior)
	row := make([]int, c) // of a name
	for v, i := range n.likeliest() {
		row[i] = v
	}
	loss := make([][]float64, c)
	for a, v := range row {
		loss[a] = make([]float64, c)
		for b := range c {
			loss[a][b] = odds[v][a] - odds[v][b]
		}
		loss[a][a] = math.Inf(1)
	}
	for k := range c {
		for a := range c {
			for b, through := range loss[k] {
				loss[a][b] = min(loss[a][b], loss[a][k]+through)
			}
		}
	}
	var classes []int
	for a, v := range row {
		if v != a || loss[a][a] < sureOdds {
			classes = append(classes, a)
		}
	}
	return classes
}

// contradictions describes the classes whose trusted labels alone would give them another
// row, with odds of more than 400 to 1: what people say of them is not what the network sees.
func (n naming) contradictions(classes []string) string {
	var doubtful []string
	for i, name := range classes {
		best, other := n.evidence[i][i]+against, i
		for v := range classes {
			if e := n.evidence[v][i]; e > best {
				best, other = e, v
			}
		}
		if other != i {
			doubtful = append(doubtful, fmt.Sprintf("%s like %s", name, classes[other]))
		}
	}
	if len(doubtful) == 0 {
		return ""
	}
	return fmt.Sprintf("to the network, the trusted examples of some classes look like another one: %s; check more "+
		"examples of them by hand",
		strings.Join(doubtful, ", "))
}
