package estimators

var argmaxEntry = Entry{
	Name: "argmax", About: "the posterior of the example with the largest posterior of the class",
	Beside: "class-quantile", estimate: estimateArgmax,
}

// estimateArgmax takes the example with the largest posterior of i as the anchor
// of class i (the paper's Equation 12; its choice for CIFAR-100), the first on a
// tie.
func estimateArgmax(p *posteriors, _ []int, _ Options) (reading, error) {
	r := newReading(p.c)
	r.anchors = p.likeliest()
	for i, x := range r.anchors {
		r.rows[i] = p.rows[x]
	}
	return r, nil
}
