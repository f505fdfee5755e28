package training

import (
	"slices"

	"github.com/losscorr/losscorr/torch"
)

// Of each class the search for distances looks at most at so many examples, at equal steps.
const mostOfClass = 1000

// ClassDistances returns, for each of n examples and each class, the mean cosine distance, from 0 to 2, between its
// features and those of the k nearest other examples that have the label: [n classes], row by row. No mean is
// subtracted: pictures of nothing, whose features are near the mean, would look like everything. Of a class of fewer than 4k examples these are a quarter of
// them, and the distance to one of fewer than 8 is -1. features is n x d, row by row.
func ClassDistances(features []float32, labels []int, classes, k int) []float32 {
	const rows = 256 // of the similarities that are in memory
	n := len(labels)
	out := slices.Repeat([]float32{-1}, n*classes)
	torch.Scope(func() {
		x := torch.FromSlice(features, n, len(features)/n)
		x = x.Div(x.Mul(x).SumKeep(1).Sqrt().ClampMin(1e-12))
		for class := range classes {
			members := some(labels, class)
			if len(members) < 8 {
				continue
			}
			near := min(k, len(members)/4)
			torch.Scope(func() {
				others := x.IndexSelect(0, torch.FromSlice(members, len(members))).T()
				for start := 0; start < n; start += rows {
					torch.Scope(func() {
						values, found := x.Narrow(0, start, min(rows, n-start)).Mm(others).TopK(near+1, 1)
						cosines, list := torch.Slice[float32](values), torch.Slice[int64](found)
						for at := 0; at < len(list); at += near + 1 {
							example := start + at/(near+1)
							out[example*classes+class] = 1 - meanOther(cosines[at:at+near+1], list[at:at+near+1], members, example)
						}
					})
				}
			})
		}
	})
	return out
}

// some returns the examples of a class, at equal steps where there are more than mostOfClass.
func some(labels []int, class int) []int64 {
	var all []int64
	for x, y := range labels {
		if y == class {
			all = append(all, int64(x))
		}
	}
	if step := (len(all) + mostOfClass - 1) / mostOfClass; step > 1 {
		var out []int64
		for k := 0; k < len(all); k += step {
			out = append(out, all[k])
		}
		return out
	}
	return all
}

// meanOther is the mean of all values but one: that of the example itself, or else the last.
func meanOther(values []float32, list, members []int64, example int) float32 {
	var sum float32
	left := len(values) - 1
	for k := range left {
		if members[list[k]] == int64(example) {
			left, sum = len(values), sum-values[k]
			break
		}
	}
	for _, v := range values[:left] {
		sum += v
	}
	return sum / float32(len(values)-1)
}
