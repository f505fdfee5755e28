package estimators

import "gonum.org/v1/gonum/floats"

var confidentJointEntry = Entry{
	Name: "confident-joint", About: "counts of given labels among examples whose network is confident of a class " +
		"(Northcutt et al., 2021)",
	Labels: true, Beside: "class-quantile", estimate: estimateConfidentJoint,
}

// estimateConfidentJoint is the estimate of Confident Learning (Northcutt, Jiang and
// Chuang, 2021, Equations 1 to 3). The network is confident that example x is of class i
// if p(ỹ=i | x) reaches its mean over the examples that are labelled i,
//
//	t_i = mean over x labelled i of p(ỹ=i | x),
//
// and if several classes do, the likeliest one counts:
//
//	C_ji = number of x labelled j that count as i
//	Q_ji = C_ji / sum over k of C_jk x number of x labelled j
//	T_ij = Q_ji / sum over k of Q_ki
//
// As in cleanlab, C_ii is at least 1.
func estimateConfidentJoint(p *posteriors, noisy []int, _ Options) (reading, error) {
	threshold, labelled := make([]float64, p.c), make([]float64, p.c)
	for x, y := range noisy {
		labelled[y]++
		threshold[y] += p.rows[x][y]
	}
	for i, n := range labelled {
		threshold[i] /= n // NaN without examples: no posterior reaches it
	}
	counts := zeros(p.c) // [given counted]
	for x, y := range noisy {
		if i := confidentOf(p.rows[x], threshold); i >= 0 {
			counts[y][i]++
		}
	}
	r := newReading(p.c)
	r.anchors, r.warnings = p.likeliest(), absent(labelled, p.classes)
	for j, row := range counts {
		row[j] = max(row[j], 1)
		floats.Scale(labelled[j]/floats.Sum(row), row)
		for i, q := range row {
			r.rows[i][j] = q
		}
	}
	for i, n := range labelled {
		if n == 0 {
			r.rows[i][i] = 1
		}
	}
	return r, nil
}

// confidentOf returns the likeliest of the classes whose posterior reaches its threshold,
// the first on a tie, or -1.
func confidentOf(posterior, threshold []float64) int {
	const rounding = 1e-6 // a class of one example reaches its own mean
	class := -1
	for i, v := range posterior {
		if v >= threshold[i]-rounding && (class < 0 || v > posterior[class]) {
			class = i
		}
	}
	return class
}

func zeros(c int) [][]float64 {
	rows := make([][]float64, c)
	for i := range rows {
		rows[i] = make([]float64, c)
	}
	return rows
}
