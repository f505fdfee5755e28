package similar

import "github.com/losscorr/losscorr/torch"

// leastOfClass is the smallest number of examples for distances to a class.
const leastOfClass = 8

// ClassDistances returns, for each of n examples and each class, the mean cosine distance, from 0 to 2, to all
// other examples with that label: [n classes], row by row. The distance to a class of fewer than 8 examples is -1.
// The nearest examples would not be enough, since many pictures outside all classes may resemble each other. No mean
// is subtracted, since blank pictures, whose features are near the mean, would then resemble everything.
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
