package estimators

import "gonum.org/v1/gonum/floats"

var argmaxEntry = Entry{
	Name: "argmax", About: "the posterior of the example with the largest posterior of the class",
	Beside: "class-quantile", estimate: estimateArgmax,
}

// estimateArgmax takes the example with the largest posterior of i as the anchor
// of class i (the paper's Equation 12; its choice for CIFAR-100), the first on a
// tie.
func estimateArgmax(p *posteriors, _ []int, _ Options) (reading, error) {
	anchors := make([]int, p.c)
	rows := make([][]float64, p.c)
	for i := range anchors {
		anchors[i] = floats.MaxIdx(p.scores(i))
		rows[i] = p.probabilities(anchors[i])
	}
	return reading{anchors: anchors, at: rows, rows: rows}, nil
}
