package correction

import (
	"errors"
	"fmt"
	"math"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"gonum.org/v1/gonum/floats"
)

var hocEntry = EstimatorEntry{
	Name: "hoc", About: "how often an example and its two nearest neighbours have which given labels (Zhu et al., 2021)",
	Labels: true, Features: true, Beside: "class-quantile", estimate: estimateHOC,
}

// The limits of estimateHOC. Of more examples it takes as many at equal distances, since the
// search for neighbours grows with their square; the triples of labels that it counts grow
// with the third power of the classes.
const (
	mostClustered = 60_000
	mostTripled   = 200
)

// estimateHOC is the estimator from high-order consensuses of Zhu, Song and Liu,
// "Clusterability as an Alternative to Anchor Points When Learning with Noisy Labels" (ICML
// 2021), Section 4. It takes an example and its two nearest neighbours by the cosine of
// their features to be of one class k, and counts their given labels:
//
//	P(ỹ1=i)             = sum_k P(k) T_ki
//	P(ỹ1=i, ỹ2=j)       = sum_k P(k) T_ki T_kj
//	P(ỹ1=i, ỹ2=j, ỹ3=l) = sum_k P(k) T_ki T_kj T_kl
//
// T and P(k), each a softmax, are found by 1500 steps of Adam at .1 on the sum of the
// Frobenius norms of the three differences, as in the published code: from 5 I - 1 for T,
// and equal classes. It uses no posteriors, and is thus a second opinion on those that do;
// it is as good as the features are at having neighbours of the same class.
func estimateHOC(p *posteriors, noisy []int, o EstimatorOptions) (reading, error) {
	switch {
	case noisy == nil:
		return reading{}, errors.New("noisy labels are missing: they are counted")
	case p.c > mostTripled:
		return reading{}, fmt.Errorf("%d classes: it counts triples of labels, which takes too long for more than %d; name another estimator", p.c, mostTripled)
	case len(o.Features) == 0 || len(o.Features)%p.n != 0:
		return reading{}, fmt.Errorf("%d features for %d examples: it compares those of a network with a linear layer at its end", len(o.Features), p.n)
	case p.n < 3:
		return reading{}, fmt.Errorf("%d examples: each needs two neighbours", p.n)
	}
	r := reading{anchors: make([]int, p.c)}
	features, labels := thinned(o.Features, noisy, mostClustered)
	torch.Scope(func() {
		shares := countTriples(p.c, labels, neighbours(features, len(labels)))
		r.warnings = absent(shares[0], p.classes)
		r.rows = agree(p.c, shares)
	})
	for i := range r.anchors {
		r.anchors[i] = floats.MaxIdx(p.scores(i))
	}
	r.at = r.matrix(p.classes).Rows()
	return r, nil
}

// thinned returns the features and labels of at most limit examples, at equal distances.
func thinned(features []float32, labels []int, limit int) ([]float32, []int) {
	n := len(labels)
	if n <= limit {
		return features, labels
	}
	width := len(features) / n
	fewer, of := make([]float32, 0, limit*width), make([]int, limit)
	for k := range of {
		x := k * n / limit
		of[k] = labels[x]
		fewer = append(fewer, features[x*width:(x+1)*width]...)
	}
	return fewer, of
}

// neighbours returns, for each of n examples, the two others whose features have the
// largest cosine with its own.
func neighbours(features []float32, n int) [][2]int {
	const rows = 256 // of the similarities that are in memory
	x := torch.FromSlice(features, n, len(features)/n)
	x = x.Div(x.Mul(x).SumKeep(1).Sqrt().ClampMin(1e-12))
	near := make([][2]int, 0, n)
	for start := 0; start < n; start += rows {
		torch.Scope(func() {
			_, found := x.Narrow(0, start, min(rows, n-start)).Mm(x.T()).TopK(3, 1)
			for k, list := 0, torch.Slice[int64](found); k < len(list); k += 3 {
				near = append(near, others(list[k:k+3], len(near)))
			}
		})
	}
	return near
}

// others returns the first two of three examples that are not x.
func others(list []int64, x int) (two [2]int) {
	found := 0
	for _, y := range list {
		if int(y) != x && found < 2 {
			two[found] = int(y)
			found++
		}
	}
	return two
}

// countTriples returns the shares of the labels of examples, of examples and one
// neighbour, and of examples and both, [C], [C C] and [C C C].
func countTriples(c int, labels []int, near [][2]int) (shares [3][]float64) {
	for order := range shares {
		shares[order] = make([]float64, int(math.Pow(float64(c), float64(order+1))))
	}
	one := 1 / float64(len(labels))
	for x, two := range near {
		i, j, l := labels[x], labels[two[0]], labels[two[1]]
		shares[0][i] += one
		shares[1][i*c+j] += one
		shares[2][(i*c+j)*c+l] += one
	}
	return shares
}

// agree returns the rows of the T that explains such shares best.
func agree(c int, shares [3][]float64) (rows [][]float64) {
	const steps = 1500
	start := make([]float64, c*c)
	floats.AddConst(-1, start)
	for i := range c {
		start[i*c+i] += 5
	}
	v := torch.FromSlice(start, c, c).SetRequiresGrad(true)
	w := torch.Zeros(v.Options(), c).SetRequiresGrad(true)
	want := [3]torch.Tensor{torch.FromSlice(shares[0], c), torch.FromSlice(shares[1], c*c), torch.FromSlice(shares[2], c*c, c)}
	adam := optim.NewAdam(optim.Adam{LearningRate: .1}, []nn.Parameter{{Name: "v", Tensor: v}, {Name: "w", Tensor: w}})
	var best []float64
	least := math.Inf(1)
	for range steps {
		torch.Scope(func() {
			t := v.Softmax(1)
			joint := t.Mul(w.Softmax(0).Unsqueeze(1))                             // [k i]
			pairs := joint.Unsqueeze(2).Mul(t.Unsqueeze(1)).Reshape(c, c*c)       // [k (i j)]
			found := [3]torch.Tensor{joint.Sum(0), pairs.Sum(0), pairs.T().Mm(t)} // the last one [(i j) l]
			loss := torch.Zeros(v.Options())
			for order, f := range found {
				d := f.Sub(want[order])
				loss = loss.Add(d.Mul(d).Sum().AddScalar(1e-24).Sqrt()) // the root has no derivative at 0
			}
			if value := loss.Item(); value < least {
				least, best = value, torch.Slice[float64](t.Detach())
			}
			adam.ZeroGrad()
			loss.Backward()
			adam.Step()
		})
	}
	for i := range c {
		rows = append(rows, best[i*c:(i+1)*c])
	}
	return rows
}
