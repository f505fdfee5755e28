package annotators

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Copy is a pair of people who agree more often than independent people would.
type Copy struct {
	First, Second int // people
	Shared        int // examples that both have answered
	Same          int // of these, examples that both gave the same label
	Expected      float64
	P             float64 // upper bound of the probability that any independent pair agrees this often
}

// A pair is compared if it shares copiesFrom examples and listed if its P is below copiesBelow.
const (
	copiesFrom  = 10
	copiesBelow = .001
)

// Copies lists the pairs who copy each other, the surest first. Two independent people give the same label to an
// example with probability
//
//	sum over k of q(k) sum over l of T_r[k][l] T_s[k][l]
//
// On hard examples people err together, so all pairs agree more often than that. Copies therefore multiplies the odds
// of agreement by one factor that makes the expected number of agreements of all pairs the observed one. It returns
// nil for a consensus without matrices.
func Copies(a *Answers, c *Consensus) []Copy {
	if c.T == nil {
		return nil
	}
	all := agreements{}
	pairs := 0
	eachPair(a, c, func(_, _ int, odds []float64, same []bool) {
		if len(odds) >= copiesFrom {
			pairs++
		}
		for n, v := range odds {
			all.add(v, same[n])
		}
	})
	excess := all.excess()
	var list []Copy
	eachPair(a, c, func(r, s int, odds []float64, same []bool) {
		if len(odds) < copiesFrom {
			return
		}
		p := Copy{First: r, Second: s, Shared: len(odds)}
		variance := 0.
		for n, v := range odds {
			v = logistic(v + excess)
			p.Expected += v
			variance += v * (1 - v)
			p.Same += one(same[n])
		}
		z := (float64(p.Same) - .5 - p.Expected) / math.Sqrt(variance)
		if p.P = min(1, distuv.UnitNormal.Survival(z)*float64(pairs)); p.P < copiesBelow {
			list = append(list, p)
		}
	})
	slices.SortStableFunc(list, func(x, y Copy) int { return cmp.Compare(x.P, y.P) })
	return list
}

// eachPair visits the pairs of people who share examples, first below second, with the log odds of agreement on each
// shared example and whether they agree. The slices are valid until the next pair. Memory holds the pairs of one
// person at a time.
func eachPair(a *Answers, c *Consensus, visit func(first, second int, odds []float64, same []bool)) {
	type shared struct {
		odds []float64
		same []bool
		both []float64 // by true class, the probability of agreement
	}
	with := make([]shared, len(a.Workers))
	for r, places := range a.By() {
		for s := range with {
			with[s].odds, with[s].same, with[s].both = with[s].odds[:0], with[s].same[:0], with[s].both[:0]
		}
		for _, n := range places {
			x := a.List[n]
			for _, y := range a.Of(int(x.Task)) {
				if y.Worker <= x.Worker {
					continue
				}
				pair := &with[y.Worker]
				if len(pair.both) == 0 {
					for k := range a.Classes {
						t := 0.
						for l, v := range c.T[x.Worker].Row(k) {
							t += v * c.T[y.Worker].At(k, l)
						}
						pair.both = append(pair.both, t)
					}
				}
				p := min(max(floats.Dot(c.Of(int(x.Task)), pair.both), 1e-9), 1-1e-9)
				pair.odds = append(pair.odds, math.Log(p/(1-p)))
				pair.same = append(pair.same, x.Label == y.Label)
			}
		}
		for s, pair := range with {
			if len(pair.odds) > 0 {
				visit(r, s, pair.odds, pair.same)
			}
		}
	}
}

// agreements is a histogram of shared examples over the log odds of agreement.
type agreements struct {
	count [bins]float64
	same  float64
}

// The histogram has bins from -lastOdds to lastOdds.
const (
	bins     = 200
	lastOdds = 20.
)

func (g *agreements) add(odds float64, same bool) {
	at := int((odds + lastOdds) / (2 * lastOdds) * bins)
	g.count[min(max(at, 0), bins-1)]++
	g.same += float64(one(same))
}

// excess returns the summand to all log odds, 0 or more, that makes the expected number of agreements the observed
// one.
func (g *agreements) excess() float64 {
	low, high := 0., lastOdds
	for range 50 {
		middle, expected := (low+high)/2, 0.
		for b, n := range g.count {
			expected += n * logistic((float64(b)+.5)/bins*2*lastOdds-lastOdds+middle)
		}
		if expected < g.same {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
