package annotators

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

// matrices are c x c numbers for each person: entry (k, l) of person r is at (r c + k) c + l.
type matrices struct {
	classes int
	at      []float64
}

// counted counts the answers of each person by true class and answer, where each class of an
// example counts by its probability q [N C].
func counted(a *Answers, q []float64) matrices {
	c := len(a.Classes)
	m := matrices{c, make([]float64, len(a.Workers)*c*c)}
	for _, x := range a.List {
		for k, w := range a.row(q, int(x.Task)) {
			m.at[m.place(x, k)] += w
		}
	}
	return m
}

// place is that of the entry of answer x for the true class k.
func (m matrices) place(x Answer, k int) int {
	return (int(x.Worker)*m.classes+k)*m.classes + int(x.Label)
}

// row returns row k of person r, not a copy.
func (m matrices) row(r, k int) []float64 {
	at := (r*m.classes + k) * m.classes
	return m.at[at : at+m.classes]
}

// pooled returns the matrix of all people together, of counts, with one answer more in each
// row, shared out evenly.
func (m matrices) pooled() matrices {
	size := m.classes * m.classes
	all := matrices{m.classes, make([]float64, size)}
	for n, v := range m.at {
		all.at[n%size] += v
	}
	for k := range m.classes {
		row := all.row(0, k)
		floats.AddConst(1/float64(m.classes), row)
		floats.Scale(1/floats.Sum(row), row)
	}
	return all
}

// smoothed returns the shares of each row of counts, where prior answers more are shared out
// as those of the pooled matrix.
func (m matrices) smoothed(pooled matrices, prior float64) matrices {
	t := matrices{m.classes, slices.Clone(m.at)}
	for r := range m.people() {
		for k := range m.classes {
			row := t.row(r, k)
			floats.AddScaled(row, prior, pooled.row(0, k))
			floats.Scale(1/floats.Sum(row), row)
		}
	}
	return t
}

func (m matrices) people() int { return len(m.at) / (m.classes * m.classes) }

// named returns the matrices, whose rows sum to 1, with the names of classes.
func (m matrices) named(classes []string) []*correction.Matrix {
	out := make([]*correction.Matrix, m.people())
	rows := make([][]float64, m.classes)
	for r := range out {
		for k := range rows {
			rows[k] = m.row(r, k)
		}
		out[r] = correction.Normalized(classes, rows)
	}
	return out
}

// shares returns the mean of rows of c among the examples that have an answer.
func shares(a *Answers, q []float64) []float64 {
	mean := make([]float64, len(a.Classes))
	for i := range a.Tasks {
		if len(a.Of(i)) > 0 {
			floats.Add(mean, a.row(q, i))
		}
	}
	floats.Scale(1/floats.Sum(mean), mean)
	return mean
}
