package annotators

// majorityEntry is the share of the answers that name each class. It estimates no matrices.
var majorityEntry = Entry{
	Name: "majority",
	estimate: func(a *Answers, _ Options) *Consensus {
		return &Consensus{Posterior: votes(a), Network: 1, People: 1}
	},
}

// votes returns the shares of the labels among the answers to each example, or among all answers for an example
// without any.
func votes(a *Answers) []float64 {
	c := len(a.Classes)
	all := make([]float64, c)
	for _, x := range a.List {
		all[x.Label] += 1 / float64(len(a.List))
	}
	q := make([]float64, a.Tasks*c)
	for i := range a.Tasks {
		row, answers := a.row(q, i), a.Of(i)
		for _, x := range answers {
			row[x.Label] += 1 / float64(len(answers))
		}
		if len(answers) == 0 {
			copy(row, all)
		}
	}
	return q
}
