package estimators

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/floats"
)

var goldEntry = Entry{
	Name: "gold", About: "mean posteriors of the trusted examples of each class (Hendrycks et al., 2018)",
	Trusted: true, Beside: "class-quantile", estimate: estimateGold,
}

// estimateGold measures the rows on examples with known true labels, as Gold Loss Correction does (Hendrycks et al.,
// 2018, Section 3): row i of T-hat is the mean of p(ỹ | x) over the trusted x of class i. Each class needs trusted
// examples.
func estimateGold(p *posteriors, _ []int, o Options) (reading, error) {
	r := newReading(p.c)
	count := make([]int, p.c)
	for _, t := range o.Trusted {
		if count[t.Label] == 0 {
			r.anchors[t.Label] = t.Index
		}
		count[t.Label]++
		floats.Add(r.rows[t.Label], p.rows[t.Index])
	}
	var missing []string
	for i, n := range count {
		if n == 0 {
			missing = append(missing, p.classes[i])
		}
	}
	if missing != nil {
		return reading{}, fmt.Errorf("no trusted label of %s: check a few examples of each such class by hand, or choose "+
			"another estimator", strings.Join(missing, ", "))
	}
	return r, nil
}
