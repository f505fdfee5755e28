package similar

import "github.com/losscorr/losscorr/torch"

// Nearest returns, row by row, the k nearest other examples of each of n examples, by the cosine
// of features less their mean, nearest first and padded with -1. It leaves out examples of the same
// group, whose labels often have the same cause; group may be nil. features is n x d, row by row.
// The search takes n² d multiplications.
func Nearest(features []float32, n, k int, group []int32) []int32 {
	out := make([]int32, 0, n*k)
	torch.Scope(func() {
		x := torch.FromSlice(features, n, len(features)/n)
		x = unit(x.Sub(x.MeanKeep(0)))
		wide := min(n, 3*k+1) // some are of the same group
		search(x, wide, func(example int, _ []float32, list []int64) {
			out = append(out, foreign(list, example, k, group)...)
		})
	})
	return out
}

// unit scales the rows of x to length 1.
func unit(x torch.Tensor) torch.Tensor {
	return x.Div(x.Mul(x).SumKeep(1).Sqrt().ClampMin(1e-12))
}

// search calls visit for each row of x, in order, with the k rows of the largest cosine, including itself,
// and these cosines, largest first. Rows of x have length 1. search holds the cosines of a block of rows at
// a time.
func search(x torch.Tensor, k int, visit func(example int, cosines []float32, list []int64)) {
	const rows = 256
	n := x.Size(0)
	for start := 0; start < n; start += rows {
		torch.Scope(func() {
			values, found := x.Narrow(0, start, min(rows, n-start)).Mm(x.T()).TopK(k, 1)
			cosines, list := torch.Slice[float32](values), torch.Slice[int64](found)
			for at := 0; at < len(list); at += k {
				visit(start+at/k, cosines[at:at+k], list[at:at+k])
			}
		})
	}
}

// foreign returns the first k examples of list that are neither x nor in its group.
func foreign(list []int64, x, k int, group []int32) []int32 {
	out := make([]int32, 0, k)
	for _, y := range list {
		if len(out) < k && int(y) != x && (group == nil || group[y] != group[x]) {
			out = append(out, int32(y))
		}
	}
	for len(out) < k {
		out = append(out, -1)
	}
	return out
}
