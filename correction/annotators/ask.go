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

// Question is an example that is worth one more answer and the person whose answer should tell most about it.
type Question struct {
	Task, Worker int
	Gain         float64 // expected information of the answer about the true class, in nats
	Anyone       float64 // the same for a person without answers so far
}

// AskOptions limit the questions of Ask.
type AskOptions struct {
	Count int // most questions
	Each  int // most questions to one person; 0: any number

	// May reports whether a person can be asked about an example. nil: everybody who has answered other examples but not
	// this one.
	May func(task, worker int) bool
}

// Ask lists the examples that gain most from one more answer, best first, each with the person who should give it. It
// leaves out examples that nobody can be asked about.
//
// The gain is the mutual information of the true class k, with probabilities q(k), and the answer l of the person,
// whose matrix is tempered as in the consensus:
//
//	sum over k, l of q(k) S[k][l] log(S[k][l] / sum over j of q(j) S[j][l])
//	S[k][l] ∝ T_r[k][l]^b
//
// An answer that cannot change the label by itself still has a gain, since several together can. It is an error if
// the consensus has no matrices or belongs to other answers.
func Ask(a *Answers, c *Consensus, o AskOptions) ([]Question, error) {
	if c.T == nil || len(c.T) != len(a.Workers) || len(c.Label) != a.Tasks {
		return nil, fmt.Errorf("correction: ask: the consensus has %d examples and matrices of %d people, want %d and %d",
			len(c.Label), len(c.T), a.Tasks, len(a.Workers))
	}
	if o.May == nil {
		o.May = a.mayAnswer()
	}
	people, anyone := make([]channel, len(c.T)), channelOf(c.Pooled, c.People)
	for r, t := range c.T {
		people[r] = channelOf(t, c.People)
	}
	// An answer gains at most the entropy of its example, so most examples are never computed.
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

// questions is a heap with the largest gain on top, the first example on a tie. Without a person the gain is an upper
// bound.
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

// mayAnswer accepts people who have answered other examples but not this one.
func (a *Answers) mayAnswer() func(task, worker int) bool {
	by := a.By()
	return func(task, worker int) bool {
		has := slices.ContainsFunc(a.Of(task), func(x Answer) bool { return int(x.Worker) == worker })
		return !has && len(by[worker]) > 0
	}
}

// channel is a person's S with the entropy of each row.
type channel struct {
	rows    [][]float64
	entropy []float64
	answer  []float64 // scratch space: the probability of each answer
}

// gain returns the mutual information of the class and an answer: the entropy of the answer minus its entropy given
// the class.
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

// entropyOf returns the entropy of probabilities in nats.
func entropyOf(p []float64) (sum float64) {
	for _, v := range p {
		if v > 0 {
			sum -= v * math.Log(v)
		}
	}
	return sum
}
