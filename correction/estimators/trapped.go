package estimators

// Trapped returns the classes that a network trained with forward correction by T-hat has mistaken for another class.
// A class i is mistaken if its mean posterior g_i is below 1/2 over the held-out examples next to row i, whose true
// class is i if T-hat is right. The forward loss has such minima if a class shares its labels with another, as at
// asymmetric noise from .4 on: a network that takes every 5 for a 6 explains the labels nearly as well, so its loss
// hardly shows it. Train such a network again, from the weights of the network behind T-hat.
//
// g holds p(y|x) row by row for the examples held, indices of X'. Trapped returns nil if the rows of T-hat are not
// counts.
func (e *Estimation) Trapped(g []float32, held []int) []int {
	c := e.T.Dim()
	row := make(map[int]int, len(held))
	for k, x := range held {
		row[x] = k
	}
	var trapped []int
	for i := range c {
		sum, n := 0., 0.
		for _, x := range e.of(i) {
			if k, ok := row[x]; ok {
				sum += float64(g[k*c+i])
				n++
			}
		}
		if n > 0 && sum/n < .5 {
			trapped = append(trapped, i)
		}
	}
	return trapped
}
