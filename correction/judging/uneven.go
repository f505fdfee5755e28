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
	surest       = .15  // of the examples that are taken for a class
	surer        = .5   // of them
	ignorance    = 1.2  // errors for each example whose neighbours say another class
	noticed      = 2.5  // of the two signs together
	fits         = 4    // of T and the weights, in turn
	steps        = 10   // of T in each
	imaginedRows = 1e-3 // examples of a row of T, in equal shares
)

// Uneven holds two signs of labels that go wrong more often at the harder examples of a class.
type Uneven struct {
	Supposed float64 `json:"supposed"` // share of errors among the surer half of each class, if one T makes all wrong labels
	Seen     float64 `json:"seen"`     // share of them whose neighbours say another class
	Surest   float64 `json:"surest"`   // share of labels other than the prediction, among the surest 15 % of each class
	Less     float64 `json:"less"`     // the same among those between 15 and 50 %
	Z        float64 `json:"z"`        // sum of both excesses in standard errors, divided by the root of 2
	Noticed  bool    `json:"noticed"`
}

// NewUneven looks for wrong labels that T does not describe: for more of them at the harder examples of a class. What the
// classes are is seen a second time by the neighbours: with d the share of examples whose neighbours, by T, say another class
// than is likeliest, a share 1.2 d of errors is expected, which is measured on right labels. There are two signs:
//
//   - If one T makes all wrong labels, the given labels say how sure of its class each example can be: the posteriors
//     log g'_k = a log g_k + b z_k + constant, and T itself, are fitted to them by likelihood ([Blend] has the weights).
//     Labels that go wrong more often where classes are hard to tell apart make g' too unsure, for one T cannot tell
//     a label that may be wrong from a class that is not clear: the errors that g' supposes exceed 1.2 d.
//
//   - By one T, the share of labels that differ from the right class is the same everywhere. The share
//     that differs from the class that the networks predict grows only by their errors, from the surest
//     examples to less sure ones:
//
//     less = surest + (1 - surest c/(c-1)) 1.2 (d_less - d_surest)
//
// Both excesses, each in standard errors, are added and divided by the root of 2; 2.5 is noticed. Where the
// classes themselves are not clear, as in overlapping clouds of numbers, there are both, too.
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
	if z == nil {
		z = make([]float32, n*c)
	}
	v.take(z)
	u := Uneven{}
	one := u.compareLabels(newSureness(v, 1, 0), seen)
	own, other := v.fit()
	two := u.compareErrors(newSureness(v, own, other), seen)
	u.Z = (one + two) / math.Sqrt2
	u.Noticed = u.Z >= noticed
	return u, nil
}

// sureness holds the examples by the class that they are taken for, the surest first.
type sureness struct {
	members [][]int
	rest    []float64 // probability of all classes but the likeliest, which does not saturate
}

func newSureness(v *votes, own, other float64) sureness {
	s := sureness{make([][]int, v.c), make([]float64, len(v.labels))}
	for x := range v.labels {
		p := v.posterior(x, own, other)
		top := floats.MaxIdx(p)
		s.members[top] = append(s.members[top], x)
		p[top] = 0
		s.rest[x] = floats.Sum(p)
	}
	for _, list := range s.members {
		slices.SortStableFunc(list, func(x, y int) int { return cmp.Compare(s.rest[x], s.rest[y]) })
	}
	return s
}

// differs returns 1 if the neighbours of an example say another class than k, else 0.
func (v *votes) differs(x, k int) float64 {
	return oneOf(floats.MaxIdx(v.evidence[x*v.c:(x+1)*v.c]) != k)
}

// compareErrors returns the excess of the supposed errors in standard errors.
func (u *Uneven) compareErrors(s sureness, seen *votes) float64 {
	var supposed, doubted []float64
	for k, list := range s.members {
		for _, x := range list[:int(surer*float64(len(list)))] {
			supposed, doubted = append(supposed, s.rest[x]), append(doubted, seen.differs(x, k))
		}
	}
	if len(supposed) < 2 {
		return 0
	}
	u.Supposed, u.Seen = stat.Mean(supposed, nil), stat.Mean(doubted, nil)
	floats.AddScaled(supposed, -ignorance, doubted)
	mean, variance := stat.MeanVariance(supposed, nil)
	return inErrors(mean, variance/float64(len(supposed)))
}

// compareLabels returns the excess of labels that differ from the prediction in standard errors.
func (u *Uneven) compareLabels(s sureness, seen *votes) float64 {
	var differs, doubted [2][]float64 // of the surest and of the less sure
	for k, list := range s.members {
		for at, x := range list[:int(surer*float64(len(list)))] {
			group := 0
			if float64(at+1) > surest*float64(len(list)) {
				group = 1
			}
			differs[group] = append(differs[group], oneOf(seen.labels[x] != k))
			doubted[group] = append(doubted[group], seen.differs(x, k))
		}
	}
	if len(differs[0]) < 2 || len(differs[1]) < 2 {
		return 0
	}
	u.Surest, u.Less = stat.Mean(differs[0], nil), stat.Mean(differs[1], nil)
	each := ignorance * max(0, 1-u.Surest*float64(seen.c)/float64(seen.c-1))
	excess, variance := 0., 0.
	for k, d := range differs {
		floats.AddScaled(d, -each, doubted[k])
		mean, spread := stat.MeanVariance(d, nil)
		variance += spread / float64(len(d))
		excess += float64(2*k-1) * mean
	}
	return inErrors(excess, variance)
}

func inErrors(excess, variance float64) float64 {
	if variance == 0 {
		return 0
	}
	return excess / math.Sqrt(variance)
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
