package training

import "github.com/losscorr/losscorr/torch"

// Nearest returns, for each of n examples, the k others whose features have the largest
// cosine with its own once the mean is subtracted, the nearest first, -1 where there are not so many;
// row by row. Those of its group are left out, as they often have its label for the same reason;
// group may be nil. features is n x d, row by row. The search takes n² d multiplications.
func Nearest(features []float32, n, k int, group []int32) []int32 {
	const rows = 256 // of the similarities that are in memory
	out := make([]int32, 0, n*k)
	torch.Scope(func() {
		x := torch.FromSlice(features, n, len(features)/n)
		x = x.Sub(x.MeanKeep(0))
		x = x.Div(x.Mul(x).SumKeep(1).Sqrt().ClampMin(1e-12))
		wide := min(n, 3*k+1) // some are of the same group
		for start := 0; start < n; start += rows {
			torch.Scope(func() {
				_, found := x.Narrow(0, start, min(rows, n-start)).Mm(x.T()).TopK(wide, 1)
				list := torch.Slice[int64](found)
				for at := 0; at < len(list); at += wide {
					out = append(out, foreign(list[at:at+wide], start+at/wide, k, group)...)
				}
			})
		}
	})
	return out
}

// foreign returns the first k of some examples that are neither x nor of its group.
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
