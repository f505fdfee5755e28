package judging

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/losscorr/losscorr/correction"
)

// Constants of NewUneven.
const (
	surer        = .5   // of the examples that are taken for a class
	ignorance    = 1.2  // errors for each example whose neighbours say another class
	noticed      = 2.5  // standard errors, which leave out how well T and the weights are known
	fits         = 4    // of T and the weights, in turn
	steps        = 10   // of T in each
	imaginedRows = 1e-3 // examples of a row of T, in equal shares
)

// Uneven compares the errors that one T for all examples has to suppose with those that show.
type Uneven struct {
	Supposed float64 `json:"supposed"` // share of the surer examples whose class is not the likeliest one, if one T makes all wrong labels
	Seen     float64 `json:"seen"`     // share of them whose neighbours say another class than the likeliest one
	Excess   float64 `json:"excess"`   // of Supposed over 1.2 Seen
	Z        float64 `json:"z"`        // Excess in standard errors
	Noticed  bool    `json:"noticed"`
}

// NewUneven looks for wrong labels that T does not describe: for more of them at the harder examples of a class. If
// one T makes all wrong labels, the given labels say how sure of its class each example can be: the posteriors
//
//	log g'_k = a log g_k + b z_k + constant
//
// and T itself are fitted to them by likelihood (Blend has the weights). Labels that go wrong more often where
// classes are hard to tell apart make these posteriors too unsure: for one T, an example whose label may be wrong
// and one whose class is not clear are the same. What the classes are is seen a second time by the neighbours' labels, which
// these posteriors do not know. If one T makes all wrong labels, so many examples of the surer half of each class
// are of another class as have neighbours that say so, by T, times 1 or less; 1.2 where labels are right. An
// excess over 1.2 of 2.5 standard errors is noticed. Where the classes themselves are not clear, as in
// overlapping clouds of numbers, that is an excess, too.
//
// g are clean posteriors and z other evidence, such as that of discriminants, or nil, both without the
// neighbours' labels as evidence of an example. near is as Neighbours has it, and so are the errors.
func NewUneven(g, z []float32, labels []int, near []int32, t *correction.Matrix) (Uneven, error) {
	n, c := len(labels), t.Dim()
	if n == 0 || len(g) != n*c || z != nil && len(z) != n*c || len(near) == 0 || len(near)%n != 0 {
		return Uneven{}, fmt.Errorf("correction: uneven: %d and %d numbers and %d neighbours of %d labels of %d classes", len(g), len(z), len(near), n, c)
	}
	if err := correction.CheckLabels("given label", labels, c); err != nil {
		return Uneven{}, fmt.Errorf("correction: uneven: %w", err)
	}
	seen := newVotes(g, labels, near, t)
	v := newClean(g, labels, t)
	v.take(z)
	if z == nil {
		v.take(make([]float32, n*c))
	}
	own, other := v.fit()
	members := make([][]int, c)
	rest := make([]float64, n) // probability of all classes but the likeliest, which does not saturate
	for x := range n {
		p := v.posterior(x, own, other)
		top := floats.MaxIdx(p)
		members[top] = append(members[top], x)
		p[top] = 0
		rest[x] = floats.Sum(p)
	}
	var supposed, doubted []float64
	for k, list := range members {
		slices.SortStableFunc(list, func(x, y int) int { return cmp.Compare(rest[x], rest[y]) })
		for _, x := range list[:int(surer*float64(len(list)))] {
			supposed = append(supposed, rest[x])
			doubted = append(doubted, oneOf(floats.MaxIdx(seen.evidence[x*c:(x+1)*c]) != k))
		}
	}
	return newUneven(supposed, doubted), nil
}

func newUneven(supposed, doubted []float64) Uneven {
	if len(supposed) < 2 {
		return Uneven{}
	}
	u := Uneven{Supposed: stat.Mean(supposed, nil), Seen: stat.Mean(doubted, nil)}
	d := slices.Clone(supposed)
	floats.AddScaled(d, -ignorance, doubted)
	var variance float64
	if u.Excess, variance = stat.MeanVariance(d, nil); variance > 0 {
		u.Z = u.Excess / math.Sqrt(variance/float64(len(d)))
	}
	u.Noticed = u.Z >= noticed
	return u
}

// fit fits T and the weights in turn, and returns the weights.
func (v *votes) fit() (own, other float64) {
	for range fits {
		own, other = v.weigh()
		for range steps {
			v.columns = v.recount(own, other)
		}
	}
	return own, other
}

// recount returns T' by the shares of given labels among the likely true ones: a step of expectation and
// maximization (Dempster, Laird and Rubin, 1977).
func (v *votes) recount(own, other float64) mat.Matrix {
	columns := mat.NewDense(v.c, v.c, nil)
	sums := make([]float64, v.c)
	for k := range sums {
		sums[k] = imaginedRows
		for j := range sums {
			columns.Set(j, k, imaginedRows/float64(v.c))
		}
	}
	for x := 0; x < len(v.labels); x += v.step {
		p := v.posterior(x, own, other)
		row := columns.RawRowView(v.labels[x])
		q := math.SmallestNonzeroFloat32
		for k, pk := range p {
			p[k] = pk * v.columns.At(v.labels[x], k)
			q += p[k]
		}
		floats.Scale(1/q, p)
		floats.Add(row, p)
		floats.Add(sums, p)
	}
	for j := range v.c {
		floats.Div(columns.RawRowView(j), sums)
	}
	return columns
}

func oneOf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
