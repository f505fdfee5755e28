package similar

import (
	"maps"
	"slices"

	"github.com/losscorr/losscorr/torch"
)

// Discriminants returns logits of n examples and c classes by linear discriminant analysis (Fisher, 1936), for
// each ridge n x c row by row: the logarithm of the joint density of features and class, up to a constant per
// example. The classes are normal with one covariance,
//
//	z_k = x' S^-1 m_k - m_k' S^-1 m_k / 2 + log pi_k
//
// where S is the covariance within the classes plus, for a ridge r, r times the mean of its diagonal on the
// diagonal. shares holds the probability of each class for each example, n x c row by row, and weights the means
// m_k and S, so that an example with a likely wrong label counts for its likely class. part holds the part of each
// example, which is judged only by examples of other parts.
//
// Columns of features are scaled to mean 0 and deviation 1. The sums take n d² multiplications, each part and
// ridge about d³.
func Discriminants(features, shares []float32, part []int, ridges []float64) [][]float32 {
	n := len(part)
	d, c := len(features)/n, len(shares)/n
	out := make([][]float32, len(ridges))
	for k := range out {
		out[k] = make([]float32, n*c)
	}
	torch.Scope(func() {
		x, w := standard(torch.FromSlice(features, n, d)), torch.FromSlice(shares, n, c)
		rows := map[int][]int64{}
		for i, p := range part {
			rows[p] = append(rows[p], int64(i))
		}
		parts := map[int]moments{}
		order := slices.Sorted(maps.Keys(rows)) // rounding depends on it
		for _, p := range order {
			index := torch.FromSlice(rows[p], len(rows[p]))
			parts[p] = newMoments(x.IndexSelect(0, index), w.IndexSelect(0, index))
		}
		for _, p := range order {
			torch.Scope(func() {
				list, rest := rows[p], moments{}
				for _, other := range order {
					if other != p {
						rest = rest.plus(parts[other])
					}
				}
				held := x.IndexSelect(0, torch.FromSlice(list, len(list)))
				for k, ridge := range ridges {
					z := torch.Slice[float32](rest.discriminate(held, ridge))
					for i, row := range list {
						copy(out[k][int(row)*c:(int(row)+1)*c], z[i*c:(i+1)*c])
					}
				}
			})
		}
	})
	return out
}

// standard scales the columns of x to mean 0 and deviation 1; constant columns become 0.
func standard(x torch.Tensor) torch.Tensor {
	x = x.Sub(x.MeanKeep(0))
	return x.Div(x.Mul(x).MeanKeep(0).Sqrt().ClampMin(1e-6))
}

// moments are sums over examples.
type moments struct {
	n             float64
	squares, sums torch.Tensor // [D D] of x x', [C D] of x by class
	classes       torch.Tensor // [C 1] of the shares
}

func newMoments(x, w torch.Tensor) moments {
	return moments{float64(x.Size(0)), x.T().Mm(x), w.T().Mm(x), w.T().SumKeep(1)}
}

// plus adds other moments; m may be the zero value.
func (m moments) plus(o moments) moments {
	if m.n == 0 {
		return o
	}
	return moments{m.n + o.n, m.squares.Add(o.squares), m.sums.Add(o.sums), m.classes.Add(o.classes)}
}

// leastShare is the smallest divisor of a class's mean, in examples.
const leastShare = .5

// discriminate returns z of examples, [N C].
func (m moments) discriminate(x torch.Tensor, ridge float64) torch.Tensor {
	wide := torch.Options{DType: torch.Float64, Device: x.Device()}
	d := x.Size(1)
	share := m.classes.ClampMin(leastShare).To(wide)
	means := m.sums.To(wide).Div(share)
	within := m.squares.To(wide).Sub(means.T().Mm(means.Mul(share))).DivScalar(m.n)
	within = within.Add(torch.Eye(d, wide).Mul(within.Diagonal().Mean().AddScalar(1e-9).MulScalar(ridge)))
	a := within.Solve(means.T()) // [D C]
	shift := share.DivScalar(m.n).Log().Sub(means.Mul(a.T()).SumKeep(1).MulScalar(.5))
	return x.Mm(a.ToDType(torch.Float32)).Add(shift.T().ToDType(torch.Float32))
}
