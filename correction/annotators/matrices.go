package annotators

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

// matrices holds c x c numbers for each person: entry (k, l) of person r is at (r c + k) c + l.
type matrices struct {
	classes int
	at      []float64
}

// counted counts the answers of each person by true class and answer, weighted by the class probabilities q [N C].
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

// place returns the index of the entry for answer x and the true class k.
func (m matrices) place(x Answer, k int) int {
	return (int(x.Worker)*m.classes+k)*m.classes + int(x.Label)
}

// row returns row k of person r without copying it.
func (m matrices) row(r, k int) []float64 {
	at := (r*m.classes + k) * m.classes
	return m.at[at : at+m.classes]
}

// pooled returns the counts of all people together plus one answer in each row, spread evenly.
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

// smoothed adds prior answers to each row of counts, distributed as in the pooled matrix, and returns the shares.
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

// named returns the matrices, whose rows sum to 1, with class names.
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

// shares returns the mean row of q over the examples that have answers.
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
