package estimators

var argmaxEntry = Entry{
	Name: "argmax", About: "the posterior of the example with the largest posterior of the class",
	Beside: "class-quantile", estimate: estimateArgmax,
}

// estimateArgmax takes the example with the largest posterior of i as the anchor of class i, the first on a tie
// (Equation 12 of the paper, which uses it for CIFAR-100).
func estimateArgmax(p *posteriors, _ []int, _ Options) (reading, error) {
	r := newReading(p.c)
	r.anchors = p.likeliest()
	for i, x := range r.anchors {
		r.rows[i] = p.rows[x]
	}
	return r, nil
}
