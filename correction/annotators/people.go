package annotators

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/losscorr/losscorr/correction"
)

// Person describes the quality of one person's answers.
type Person struct {
	Name    string
	Answers int

	// Judged is the number of answers to examples that other people or the network have labelled as well. The fields
	// below count only these.
	Judged int

	// Accuracy is the expected share of right answers: the mean probability of an answer by the consensus, to which the
	// answer itself contributes. If no answer is judged, it is NaN, with an interval from 0 to 1.
	Accuracy float64
	Interval correction.Interval

	// Chance is the accuracy of the same labels given to the same examples at random.
	Chance float64

	// Others is the share of agreement with other people's answers to the same examples, and Network with the classes of
	// the network. NaN if there are none.
	Others, Network float64

	// Confused lists the classes that the person confuses, the most frequent confusion first.
	Confused []Confusion
}

// Confusion is the expected number of examples of one class that a person gave another label.
type Confusion struct {
	True, Answer int
	Count        float64
}

// Verdict rates the answers of a person.
type Verdict string

// The verdicts. A person with too few answers has none.
const (
	Helpful Verdict = "better than chance"
	Useless Verdict = "no better than chance"
	Harmful Verdict = "worse than chance"
	Unknown Verdict = ""
)

// A person with uselessFrom judged answers or more is called useless if the interval of Accuracy holds Chance.
const uselessFrom = 20

// Verdict compares the accuracy with the accuracy of random labels.
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

// People describes each person, in the order of a.Workers. predicted holds the network's class for each example or
// -1; it is nil without a network.
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

// IntervalOf returns Jeffreys' interval of a share after right of n successes.
func IntervalOf(right, n float64) correction.Interval {
	beta := distuv.Beta{Alpha: right + .5, Beta: n - right + .5}
	share := right / n // outside of the quantiles if it is near 0 or 1
	return correction.Interval{Low: min(beta.Quantile(.05), share), High: max(beta.Quantile(.95), share)}
}

// leastConfusion is the least expected number of examples of a listed confusion.
const leastConfusion = .5

// confusions lists the off-diagonal cells of the expected counts by true class and answer.
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
