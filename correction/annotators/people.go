package annotators

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/losscorr/losscorr/correction"
)

// Person is how good the answers of one person are.
type Person struct {
	Name    string
	Answers int

	// Judged is the number of answers to examples of which other people or the network say something,
	// too. All that follows is of these alone.
	Judged int

	// Accuracy is the expected share of right answers, with an interval. It counts each answer by
	// the probability that the consensus gives it, in which it has a part itself. NaN, and from 0
	// to 1, where none is judged.
	Accuracy float64
	Interval correction.Interval

	// Chance is the accuracy of the same labels given to the same examples at random.
	Chance float64

	// Others is the share of other people's answers to the same examples that are the same,
	// Network that of the network's classes. NaN where there are none.
	Others, Network float64

	// Confused lists what the person takes for what, the most frequent first.
	Confused []Confusion
}

// Confusion says how many examples of a class a person is expected to have given another
// label.
type Confusion struct {
	True, Answer int
	Count        float64
}

// Verdict is what the answers of a person are worth.
type Verdict string

// The verdicts. A person has none where the answers are too few to say.
const (
	Helpful Verdict = "better than chance"
	Useless Verdict = "no better than chance"
	Harmful Verdict = "worse than chance"
	Unknown Verdict = ""
)

// uselessFrom is the number of judged answers from which a person whose interval holds the accuracy
// of chance is called useless.
const uselessFrom = 20

// Verdict compares the accuracy with that of labels given at random.
func (p Person) Verdict() Verdict {
	switch {
	case p.Interval.High < p.Chance:
		return Harmful
	case p.Interval.Low > p.Chance:
		return Helpful
	case p.Judged >= uselessFrom:
		return Useless
	}
	return Unknown
}

// People describes the people, in the order of a.Workers. predicted are the classes of the
// network for each example, -1 where there is none; nil without a network.
func People(a *Answers, c *Consensus, predicted []int) []Person {
	out := make([]Person, len(a.Workers))
	classes := len(a.Classes)
	for r, places := range a.By() {
		p := Person{Name: a.Workers[r], Answers: len(places), Accuracy: math.NaN(), Interval: correction.Interval{High: 1},
			Chance: math.NaN(), Others: math.NaN(), Network: math.NaN()}
		given, truth := make([]float64, classes), make([]float64, classes)
		pairs := make([]float64, classes*classes)
		right, same, others, agreed, looked := 0., 0, 0, 0, 0
		for _, n := range places {
			x := a.List[n]
			q, all := c.Of(int(x.Task)), a.Of(int(x.Task))
			seen := predicted != nil && predicted[x.Task] >= 0
			if !seen && len(all) == 1 {
				continue
			}
			p.Judged++
			right += q[x.Label]
			given[x.Label]++
			for k, v := range q {
				truth[k] += v
				pairs[k*classes+int(x.Label)] += v
			}
			for _, other := range all {
				if other.Worker != x.Worker {
					others++
					same += one(other.Label == x.Label)
				}
			}
			if seen {
				looked++
				agreed += one(predicted[x.Task] == int(x.Label))
			}
		}
		if n := float64(p.Judged); n > 0 {
			p.Accuracy, p.Interval, p.Chance = right/n, IntervalOf(right, n), 0
			for k := range given {
				p.Chance += given[k] / n * truth[k] / n
			}
		}
		if others > 0 {
			p.Others = float64(same) / float64(others)
		}
		if looked > 0 {
			p.Network = float64(agreed) / float64(looked)
		}
		p.Confused = confusions(pairs, classes)
		out[r] = p
	}
	return out
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// IntervalOf returns the interval of a share of which right of n were seen, with Jeffreys' prior.
func IntervalOf(right, n float64) correction.Interval {
	beta := distuv.Beta{Alpha: right + .5, Beta: n - right + .5}
	share := right / n // which the quantiles leave out where it is about 0 or 1
	return correction.Interval{Low: min(beta.Quantile(.05), share), High: max(beta.Quantile(.95), share)}
}

// leastConfusion is the expected number of examples from which a confusion is listed.
const leastConfusion = .5

// confusions lists the cells beside the diagonal of the expected counts of true class and
// answer.
func confusions(pairs []float64, classes int) (list []Confusion) {
	for k := range classes {
		for l := range classes {
			if v := pairs[k*classes+l]; k != l && v >= leastConfusion {
				list = append(list, Confusion{k, l, v})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y Confusion) int { return cmp.Compare(y.Count, x.Count) })
	return list
}
