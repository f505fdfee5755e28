package annotators

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

// Question is an example that is worth one more answer, and the person whose answer is expected
// to say most of it.
type Question struct {
	Task, Worker int
	Gain         float64 // expected information of that answer on the true class, in nats
	Anyone       float64 // the same of a person of whom nothing is known
}

// AskOptions are those of Ask.
type AskOptions struct {
	Count int // of questions at most
	Each  int // of them to one person at most; 0 is any number

	// May says who can be asked about an example. nil: everybody who has answered some, and not this one.
	May func(task, worker int) bool
}

// Ask lists the examples that gain most by one more answer, the most first, each with the
// person who should give it. An example about which nobody can be asked is left out.
//
// The gain is the mutual information of the true class k, whose probabilities are q(k), and the
// answer l of the person, whose matrix is tempered as in the consensus:
//
//	sum over k, l of q(k) S[k][l] log(S[k][l] / sum over j of q(j) S[j][l])
//	S[k][l] ∝ T_r[k][l]^b
//
// An answer that cannot change the label has a gain, too: with more like it, it can. It is an error if
// the consensus has no matrices, or is of other answers.
func Ask(a *Answers, c *Consensus, o AskOptions) ([]Question, error) {
	if c.T == nil || len(c.T) != len(a.Workers) || len(c.Label) != a.Tasks {
		return nil, fmt.Errorf("correction: ask: a consensus of %d examples with matrices of %d people, want %d and %d",
			len(c.Label), len(c.T), a.Tasks, len(a.Workers))
	}
	if o.May == nil {
		o.May = a.mayAnswer()
	}
	people, anyone := make([]channel, len(c.T)), channelOf(c.Pooled, c.People)
	for r, t := range c.T {
		people[r] = channelOf(t, c.People)
	}
	// No answer says more of an example than its entropy, so that most are never looked at.
	open := make(questions, a.Tasks)
	for i := range open {
		open[i] = Question{Task: i, Worker: -1, Gain: entropyOf(c.Of(i))}
	}
	heap.Init(&open)
	var list []Question
	asked := make([]int, len(people))
	full := func(r int) bool { return o.Each > 0 && asked[r] >= o.Each }
	for len(open) > 0 && len(list) < o.Count {
		if q := open[0]; q.Worker >= 0 && !full(q.Worker) {
			asked[q.Worker]++
			list = append(list, q)
			heap.Pop(&open)
			continue
		}
		q := c.Of(open[0].Task)
		best := Question{Task: open[0].Task, Worker: -1, Anyone: anyone.gain(q)}
		for r := range people {
			if full(r) || !o.May(best.Task, r) {
				continue
			}
			if gain := people[r].gain(q); best.Worker < 0 || gain > best.Gain {
				best.Worker, best.Gain = r, gain
			}
		}
		if best.Worker < 0 {
			heap.Pop(&open)
			continue
		}
		open[0] = best
		heap.Fix(&open, 0)
	}
	return list, nil
}

// questions is a heap with the largest gain on top, the first example of equals. The gain of one
// without a person is a bound.
type questions []Question

func (q questions) Len() int { return len(q) }
func (q questions) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[j].Gain, q[i].Gain), cmp.Compare(q[i].Task, q[j].Task)) < 0
}
func (q questions) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *questions) Push(x any)   { *q = append(*q, x.(Question)) }
func (q *questions) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}

// mayAnswer is for those who have not answered an example, and have answered some.
func (a *Answers) mayAnswer() func(task, worker int) bool {
	count := make([]int, len(a.Workers))
	for _, x := range a.List {
		count[x.Worker]++
	}
	return func(task, worker int) bool {
		_, has := slices.BinarySearchFunc(a.Of(task), int32(worker), func(x Answer, r int32) int {
			return cmp.Compare(x.Worker, r)
		})
		return !has && count[worker] > 0
	}
}

// channel is S of a person, and the entropy of each of its rows.
type channel struct {
	rows    [][]float64
	entropy []float64
	answer  []float64 // scratch: the probability of each answer
}

// gain is the mutual information of the class and an answer: the entropy of the answer, less
// what is left of it where the class is known.
func (s channel) gain(q []float64) float64 {
	clear(s.answer)
	left := 0.
	for k, p := range q {
		floats.AddScaled(s.answer, p, s.rows[k])
		left += p * s.entropy[k]
	}
	return max(0, entropyOf(s.answer)-left)
}

// channelOf tempers a person's T.
func channelOf(t *correction.Matrix, exponent float64) channel {
	classes := t.Dim()
	s := channel{answer: make([]float64, classes)}
	for k := range classes {
		row := make([]float64, classes)
		for l := range row {
			row[l] = math.Pow(t.At(k, l), exponent)
		}
		floats.Scale(1/floats.Sum(row), row)
		s.rows, s.entropy = append(s.rows, row), append(s.entropy, entropyOf(row))
	}
	return s
}

// entropyOf is that of probabilities, in nats.
func entropyOf(p []float64) (sum float64) {
	for _, v := range p {
		if v > 0 {
			sum -= v * math.Log(v)
		}
	}
	return sum
}
