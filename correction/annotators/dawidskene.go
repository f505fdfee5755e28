package annotators

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

var dawidSkeneEntry = Entry{
	Name: "dawid-skene", About: "EM for the classes, their shares and a T of each person (Dawid and Skene 1979)",
	Matrices: true,
	estimate: dawidSkene,
}

// Dawid-Skene ends after so many turns, or where the likelihood of an answer is stable.
const (
	dawidSkeneTurns  = 100
	dawidSkeneStable = 1e-5
	dawidSkeneLeast  = 1e-10 // of the answers that a cell counts: no answer is impossible
)

// dawidSkene maximises the likelihood of the answers, which are taken to be independent where
// the true class is known:
//
//	q_i(k) ∝ pi_k prod over answers y_ir of T_r[k][y_ir]
//	T_r[k][l] ∝ sum of q_i(k) over the examples i that r answers l
//
// and pi are the shares of the classes, the mean of q. It begins with the shares of the votes.
func dawidSkene(a *Answers, _ Options) *Consensus {
	c := len(a.Classes)
	q := votes(a)
	var t, pooled matrices
	last := math.Inf(-1)
	for range dawidSkeneTurns {
		t = counted(a, func(n int) []float64 { i := int(a.List[n].Task); return q[i*c : (i+1)*c] })
		pooled = t.pooled()
		for n := range t.at {
			t.at[n] = max(t.at[n], dawidSkeneLeast)
		}
		for at := 0; at < len(t.at); at += c {
			floats.Scale(1/floats.Sum(t.at[at:at+c]), t.at[at:at+c])
		}
		prior := shares(a, q)
		likelihood := 0.
		for i := range a.Tasks {
			row, answers := q[i*c:(i+1)*c], a.Of(i)
			for k := range row {
				row[k] = math.Log(prior[k])
				for _, x := range answers {
					row[k] += math.Log(t.at[t.place(x, k)])
				}
			}
			likelihood += correction.SoftmaxInPlace(row)
		}
		if (likelihood-last)/float64(len(a.List)) < dawidSkeneStable {
			break
		}
		last = likelihood
	}
	return &Consensus{Posterior: q, T: t.named(a.Classes), Pooled: pooled.named(a.Classes)[0], Network: 1, People: 1}
}
