package annotators

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// dawidSkeneEntry is EM for the classes, their shares and a T of each person (Dawid and Skene 1979).
var dawidSkeneEntry = Entry{Name: "dawid-skene", estimate: dawidSkene}

// Dawid-Skene ends after this many turns, or once the mean log likelihood of an answer grows by less than
// dawidSkeneStable.
const (
	dawidSkeneTurns  = 100
	dawidSkeneStable = 1e-5
	dawidSkeneLeast  = 1e-10 // least count of a cell, so that every answer is possible
)

// dawidSkene maximises the likelihood of the answers under the assumption that they are independent given the true
// class:
//
//	q_i(k) ∝ pi_k prod over answers y_ir of T_r[k][y_ir]
//	T_r[k][l] ∝ sum of q_i(k) over the examples i that r answers l
//
// where pi, the shares of the classes, is the mean of q. The initial q are the shares of the votes.
func dawidSkene(answers *Answers, _ Options) *Consensus {
	e, last := newTempered(answers), math.Inf(-1)
	for range dawidSkeneTurns {
		e.count()
		e.t = matrices{e.counts.classes, slices.Clone(e.counts.at)}
		for row := range slices.Chunk(e.t.at, e.t.classes) {
			for l, v := range row {
				row[l] = max(v, dawidSkeneLeast)
			}
			floats.Scale(1/floats.Sum(row), row)
		}
		e.weigh(0)
		_, likelihood := e.judge()
		if (likelihood-last)/float64(len(answers.List)) < dawidSkeneStable {
			break
		}
		last = likelihood
	}
	return e.consensus()
}
