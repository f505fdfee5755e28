package estimators

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
)

var dualTEntry = Entry{
	Name: "dual-t", About: "as argmax, times counts of given labels by predicted class (Yao et al., 2020)",
	Labels: true, Beside: "class-quantile", estimate: estimateDualT,
}

// estimateDualT factors T through an intermediate class, the one that the network
// predicts (Yao et al., 2020, Equations 3 and 4): T-hat = A B with
//
//	A_il = p(ỹ=l | x_i) at the anchor of class i, as argmax takes it
//	B_lj = share of label j among the examples whose largest posterior is l's
//
// A is read off the network's posteriors, and B is counted. The estimator is meant for overconfident networks, whose
// A is near the identity. For exact noisy posteriors both factors are T, and T-hat is T times T. A class that the
// network never predicts has the identity's row in B.
func estimateDualT(p *posteriors, noisy []int, o Options) (reading, error) {
	r, err := estimateArgmax(p, noisy, o)
	if err != nil {
		return r, err
	}
	counts := zeros(p.c)
	for x, y := range noisy {
		counts[floats.MaxIdx(p.log[x])][y]++
	}
	for l, row := range counts {
		if n := floats.Sum(row); n > 0 {
			floats.Scale(1/n, row)
			continue
		}
		row[l] = 1
		r.warnings = append(r.warnings, fmt.Sprintf("the network never predicts %s: that its labels are right is "+
			"a guess; train longer or add examples of this class", p.classes[l]))
	}
	rows := zeros(p.c)
	r.at = r.rows
	for i, a := range r.at {
		for l, share := range a {
			floats.AddScaled(rows[i], share, counts[l])
		}
	}
	r.rows = rows
	return r, nil
}
