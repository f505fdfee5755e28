package similar

import "github.com/losscorr/losscorr/torch"

// leastOfClass is how many examples a class needs for distances to it.
const leastOfClass = 8

// ClassDistances returns, for each of n examples and each class, the mean cosine distance, from 0 to 2, between its
// features and those of all other examples that have the label: [n classes], row by row. The distance to a class of
// fewer than 8 is -1. The nearest examples alone would be those of the same kind where many pictures of no class are
// alike. No mean is subtracted: pictures of nothing, whose features are near the mean, would look like everything.
// features is n x d, row by row.
func ClassDistances(features []float32, labels []int, classes int) []float32 {
	n := len(labels)
	out := make([]float32, n*classes)
	torch.Scope(func() {
		x := unit(torch.FromSlice(features, n, len(features)/n))
		own := torch.Slice[float32](x.Mul(x).Sum(1)) // 1, or 0 without features
		for class := range classes {
			var members []int64
			for k, y := range labels {
				if y == class {
					members = append(members, int64(k))
				}
			}
			if len(members) < leastOfClass {
				for k := range n {
					out[k*classes+class] = -1
				}
				continue
			}
			torch.Scope(func() {
				all := float32(len(members))
				mean := x.IndexSelect(0, torch.FromSlice(members, len(members))).MeanKeep(0)
				for k, cosine := range torch.Slice[float32](x.Mm(mean.T())) {
					if labels[k] == class {
						cosine = (cosine*all - own[k]) / (all - 1)
					}
					out[k*classes+class] = 1 - cosine
				}
			})
		}
	})
	return out
}
