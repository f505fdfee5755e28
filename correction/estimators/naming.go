package estimators

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

// The weights of naming, in natural log odds unless noted.
const (
	traceOdds         = 6  // per unit of trace
	sureOdds          = 3  // least odds of sure names against others: 20 to 1
	contradictionOdds = 6  // least odds of a reported contradiction by trusted labels: 400 to 1
	errorShare        = .3 // share of examples with a wrong network or trusted label
	mostTypical       = 5  // typical examples of a class; further ones add no weight

	mostTrusted = 50  // most trusted labels of a class, for speed
	mixingSteps = 200 // steps of expectation maximisation, for two digits of a weight
)

// naming holds the log probability that row v belongs to class i, up to a constant, as prior[v][i] + evidence[v][i].
type naming struct {
	prior    [][]float64 // from noisy labels
	evidence [][]float64 // from trusted labels
}

// newNaming weighs all names of the rows of r. The prior prefers names with a large trace, since most labels are
// right. Each trusted label of class i links its class to a row:
//
//	prior_vi    = 6 T-hat_vi
//	evidence_vi = min(1, 5/s_i) sum over trusted x of class i of t_x log(.7 w_x(v) + .3/c)
//
// w_x is the likeliest mixture of the rows' posteriors that gives p(ỹ|x): w_x(v) is the probability that x belongs to
// row v. t_x is the sum of the squares of w_x: 1 for a typical example, 1/c if the network is clueless. s_i is the
// sum of t_x in class i. The given label of x does not count, because where T-hat is 0 a rare mistake would speak for
// another row.
//
// A review asks about examples that the network is unsure or mistaken about, often in the same way for a whole class.
// So one of them weighs little, and many weigh at most as much as five typical ones. Otherwise a hundred right
// answers of that kind would permute the classes.
func newNaming(r *reading, p *posteriors, trusted []correction.Trusted) naming {
	at := r.matrix(p.classes)
	n := naming{prior: at.Rows(), evidence: zeros(p.c)}
	if r.at != nil {
		at = correction.Normalized(p.classes, r.at)
	}
	for _, row := range n.prior {
		floats.Scale(traceOdds, row)
	}
	typical := make([]float64, p.c)
	for _, t := range spaced(trusted, p.c, mostTrusted) {
		w := at.TrueShares(p.rows[t.Index], mixingSteps)
		weight := floats.Dot(w, w)
		typical[t.Label] += weight
		for v, share := range w {
			n.evidence[v][t.Label] += weight * math.Log((1-errorShare)*share+errorShare/float64(p.c))
		}
	}
	for _, row := range n.evidence {
		for i, weight := range typical {
			if weight > mostTypical {
				row[i] *= mostTypical / weight
			}
		}
	}
	return n
}

// spaced returns about n trusted labels of each class at most, evenly spaced in their order.
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

// likeliest returns the class of each row under the jointly likeliest names.
func (n naming) likeliest() []int {
	cost := n.odds()
	for _, row := range cost {
		floats.Scale(-1, row)
	}
	return correction.Assign(cost)
}

// decided returns the likeliest names. Rows whose names are sure from noisy labels keep them unless trusted labels
// make other names at least 20 times likelier: labels of examples that the networks get wrong, as a review collects
// them, can favour wrong names by less.
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

// unsure returns the classes that get another row under some names that are less than 20 times less likely than the
// likeliest.
//
// Names that give class a another row differ from the likeliest ones by a cycle through a: each name takes the next
// one's row at a loss of odds. The algorithm of Floyd and Warshall finds the cycle of least loss in O(c^3).
func (n naming) unsure() []int {
	odds, c := n.odds(), len(n.prior)
	row := make([]int, c) // by name
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

// contradictions describes the classes whose trusted labels favour another row by odds of more than 400 to 1, so that
// people contradict the network.
func (n naming) contradictions(classes []string) string {
	var doubtful []string
	for i, name := range classes {
		best, other := n.evidence[i][i]+contradictionOdds, i
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
	return fmt.Sprintf("to the network, the trusted examples of some classes look like another class (%s): check more "+
		"examples of them by hand",
		strings.Join(doubtful, ", "))
}
