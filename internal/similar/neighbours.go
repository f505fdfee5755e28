package similar

import "github.com/losscorr/losscorr/torch"

// mostClustered is the number of examples that Triples takes at most, since the search for
// neighbours grows with its square.
const mostClustered = 60_000

// Triples returns each of n examples with the two others whose features have the largest
// cosine with its own, the nearer one first. features is n x d, row by row. Of more than
// 60,000 examples it takes as many at equal distances, and neighbours among them. Fewer than
// three examples have none.
func Triples(features []float32, n int) [][3]int { return triples(features, n, mostClustered) }

func triples(features []float32, n, limit int) [][3]int {
	if n < 3 {
		return nil
	}
	features, example := thinned(features, n, limit)
	out := make([][3]int, len(example))
	torch.Scope(func() {
		for x, two := range neighbours(features, len(example)) {
			out[x] = [3]int{example[x], example[two[0]], example[two[1]]}
		}
	})
	return out
}

// thinned returns the features of at most limit of n examples, at equal distances, and
// which examples they are.
func thinned(features []float32, n, limit int) (fewer []float32, example []int) {
	width := len(features) / n
	for k := range min(n, limit) {
		x := k * n / min(n, limit)
		example = append(example, x)
		fewer = append(fewer, features[x*width:(x+1)*width]...)
	}
	return fewer, example
}

// neighbours returns, for each of n examples, the two others whose features have the
// largest cosine with its own.
func neighbours(features []float32, n int) [][2]int {
	near := make([][2]int, n)
	search(unit(torch.FromSlice(features, n, len(features)/n)), 3, func(example int, _ []float32, list []int64) {
		two := foreign(list, example, 2, nil)
		near[example] = [2]int{int(two[0]), int(two[1])}
	})
	return near
}
