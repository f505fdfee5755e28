package similar

import "github.com/losscorr/losscorr/torch"

// mostClustered is the largest number of examples in Triples, whose search time grows with its
// square.
const mostClustered = 60_000

// Triples returns each of n examples with its two nearest others by cosine of features, nearest
// first. features is n x d, row by row. If there are more than 60,000 examples, it uses only
// that many, evenly spaced. Fewer than three examples have no triples.
func Triples(features []float32, n int) [][3]int { return triples(features, n, mostClustered) }

func triples(features []float32, n, limit int) (out [][3]int) {
	if n < 3 {
		return nil
	}
	width := len(features) / n
	var example []int
	var x []float32
	for k := range min(n, limit) {
		row := k * n / min(n, limit)
		example = append(example, row)
		x = append(x, features[row*width:(row+1)*width]...)
	}
	torch.Scope(func() {
		search(unit(torch.FromSlice(x, len(example), width)), 3, func(k int, _ []float32, list []int64) {
			two := foreign(list, k, 2, nil)
			out = append(out, [3]int{example[k], example[two[0]], example[two[1]]})
		})
	})
	return out
}
