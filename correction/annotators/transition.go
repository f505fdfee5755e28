package annotators

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

// transitionEntry is a T of each person, and the network, both tempered.
var transitionEntry = Entry{Name: "transition", Posteriors: true, estimate: estimateTransition}

// prior is the number of pseudo-answers in each row of a person's T, distributed as in the T of all people.
const prior = 2

// The estimate ends after this many turns, or once no probability moves by more. The exponents are 1 in the first
// turns; once they have converged they are refitted only now and then.
const (
	turns      = 100
	stable     = 1e-3
	untempered = 4
	settled    = .01
	lookAgain  = 5
)

// leastPosterior bounds the posteriors of a network from below, so that none rules a class out.
const leastPosterior = 1e-6

// tempered is the state of the estimate.
type tempered struct {
	*Answers
	network []float64 // log g [N C], nil without a network
	q       []float64 // [N C]
	counts  matrices
	pooled  matrices
	t       matrices
	log     []float64 // log T_r[k][y] of each answer [A C]
	left    []float64 // T_r[k][y] from the person's other answers, not a logarithm
	base    []float64 // log shares of the classes [C], used without a network
	a, b    float64
}

// estimateTransition alternates between q and the T_r (EM), with exponents:
//
//	q_i(k) ∝ g_i(k)^a prod over answers y_ir of T_r[k][y_ir]^b
//	T_r[k][l] ∝ sum of q_i(k) over the examples i that r answers l, + prior x pooled T[k][l]
//
// The initial q are the shares of the votes.
func estimateTransition(answers *Answers, o Options) *Consensus {
	e := newTempered(answers)
	for _, g := range o.Posteriors {
		e.network = append(e.network, math.Log(max(float64(g), leastPosterior)))
	}
	next := untempered
	for turn := range turns {
		e.learn()
		if turn == next {
			next++
			if e.refit() < settled {
				next += lookAgain
			}
		}
		if moved, _ := e.judge(); moved < stable && turn > untempered {
			break
		}
	}
	c := e.consensus()
	c.LeftOut, _, _ = e.leftOut(e.a, e.b)
	return c
}

func newTempered(a *Answers) *tempered {
	entries := len(a.List) * len(a.Classes)
	return &tempered{Answers: a, q: votes(a), log: make([]float64, entries), left: make([]float64, entries), a: 1, b: 1}
}

func (e *tempered) consensus() *Consensus {
	return &Consensus{Posterior: e.q, T: e.t.named(e.Classes), Pooled: e.pooled.named(e.Classes)[0], Network: e.a,
		People: e.b}
}

// learn estimates the matrices from q.
func (e *tempered) learn() {
	e.count()
	e.t = e.counts.smoothed(e.pooled, prior)
	e.weigh(leastPosterior)
	c := len(e.Classes)
	for n, x := range e.List {
		for k, q := range e.row(e.q, int(x.Task)) {
			all := floats.Sum(e.counts.row(int(x.Worker), k))
			e.left[n*c+k] = max(e.counts.at[e.t.place(x, k)]-q+prior*e.pooled.at[k*c+int(x.Label)], 1e-12) /
				(max(all-q, 0) + prior)
		}
	}
}

// count counts the answers, weighted by q.
func (e *tempered) count() {
	e.counts = counted(e.Answers, e.q)
	e.pooled = e.counts.pooled()
}

// weigh takes the logarithms of the matrices and, without a network, of the shares of the classes, which are at least
// least.
func (e *tempered) weigh(least float64) {
	c := len(e.Classes)
	logs := make([]float64, len(e.t.at))
	for n, v := range e.t.at {
		logs[n] = math.Log(v)
	}
	for n, x := range e.List {
		for k := range c {
			e.log[n*c+k] = logs[e.t.place(x, k)]
		}
	}
	if e.network == nil {
		e.base = shares(e.Answers, e.q)
		for k, v := range e.base {
			e.base[k] = math.Log(max(v, least))
		}
	}
}

// baseOf returns log g of an example, or the log shares of the classes without a network.
func (e *tempered) baseOf(task int) []float64 {
	if e.network == nil {
		return e.base
	}
	return e.row(e.network, task)
}

// judge computes q from the matrices. It returns the largest change of a probability and the log likelihood of the
// answers.
func (e *tempered) judge() (moved, likelihood float64) {
	c := len(e.Classes)
	before := make([]float64, c)
	for i := range e.Tasks {
		q := e.row(e.q, i)
		copy(before, q)
		floats.ScaleTo(q, e.a, e.baseOf(i))
		for n := e.first[i]; n < e.first[i+1]; n++ {
			floats.AddScaled(q, e.b, e.log[n*c:(n+1)*c])
		}
		likelihood += correction.SoftmaxInPlace(q)
		moved = max(moved, floats.Distance(before, q, math.Inf(1)))
	}
	return moved, likelihood
}

// without calls visit for each answer n with the log class probabilities of its example by the network (base) and by
// the other answers (others). The slices are valid until the next call.
func (e *tempered) without(visit func(n int, base, others []float64)) {
	c := len(e.Classes)
	all, others := make([]float64, c), make([]float64, c)
	for i := range e.Tasks {
		clear(all)
		for n := e.first[i]; n < e.first[i+1]; n++ {
			floats.Add(all, e.log[n*c:(n+1)*c])
		}
		for n := e.first[i]; n < e.first[i+1]; n++ {
			floats.SubTo(others, all, e.log[n*c:(n+1)*c])
			visit(n, e.baseOf(i), others)
		}
	}
}
