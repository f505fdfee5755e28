package correction

// nearTrace is the loss of trace below which other names of the rows are about as likely:
// that of swapping two classes of which each gives more than 3 of 8 labels to the other.
const nearTrace = .5

// unnamed returns the classes whose row would be another one's if the rows were named by
// the largest trace, or by one that is less than 1/2 below it. Rows of classes with a
// trusted label keep their names.
//
// From the naming of largest trace, the least loss of one that gives name a another row
// is that of the shortest cycle of names through a, where name b takes a's place at the
// loss of T between them: by the algorithm of Floyd and Warshall in O(c^3).
func unnamed(t *Matrix, trusted []Trusted) []int {
	c := t.Dim()
	cost := make([][]float64, c)
	for i, row := range t.Rows() {
		cost[i] = row
		for j := range row {
			row[j] = -row[j]
		}
	}
	for _, e := range trusted {
		cost[e.Label][e.Label] = -float64(c) // more than all others together
	}
	row := make([]int, c) // of a name
	for i, name := range assign(cost) {
		row[name] = i
	}
	loss := make([][]float64, c)
	for a, i := range row {
		loss[a] = make([]float64, c)
		for b := range c {
			loss[a][b] = cost[i][b] - cost[i][a]
		}
		loss[a][a] = float64(c)
	}
	for k := range c {
		for a := range c {
			for b, through := range loss[k] {
				loss[a][b] = min(loss[a][b], loss[a][k]+through)
			}
		}
	}
	var classes []int
	for a, i := range row {
		if i != a || loss[a][a] < nearTrace {
			classes = append(classes, a)
		}
	}
	return classes
}
