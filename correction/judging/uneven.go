package judging

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/losscorr/losscorr/correction"
)

// Constants of NewUneven.
const (
	surest    = .15 // of the examples that the networks take for a class
	notSurest = .5  // up to here
	ignorance = 1.2 // errors of networks for each example whose neighbours say another class
	noticed   = 1.8 // standard errors
)

// Uneven compares how many labels go wrong where networks are sure and where they are less sure.
type Uneven struct {
	Surest  float64 `json:"surest"` // share of labels other than the prediction, among the surest 15 % of each class
	Less    float64 `json:"less"`   // the same among those between 15 and 50 %
	Excess  float64 `json:"excess"` // of Less over what one T for all examples gives
	Z       float64 `json:"z"`      // Excess in standard errors
	Noticed bool    `json:"noticed"`
}

// NewUneven looks for wrong labels that T does not describe: for more of them at examples of which the networks are less
// sure. By one T, the share of labels that differ from the right class is the same everywhere; the share
// that differs from the predicted class grows only by the predictions that are wrong. These show by the
// neighbours: with d the share of examples whose neighbours, by T, say another class than the networks, a share
//
//	less = surest + (1 - surest c/(c-1)) 1.2 (d_less - d_surest)
//
// is expected. 1.2 is measured on right labels, where the prediction is wrong about as often. An excess of 1.8 standard
// errors is noticed. Nothing else can tell with one label for each example: a network that learns the
// labels of hard examples takes them for doubt of the class.
//
// g are clean posteriors without the neighbours' labels, near is as Neighbours has it, and so are the errors.
func NewUneven(g []float32, labels []int, near []int32, t *correction.Matrix) (Uneven, error) {
	n, c := len(labels), t.Dim()
	if n == 0 || len(g) != n*c || len(near) == 0 || len(near)%n != 0 {
		return Uneven{}, fmt.Errorf("correction: uneven: %d posteriors and %d neighbours of %d labels of %d classes", len(g), len(near), n, c)
	}
	if err := correction.CheckLabels("given label", labels, c); err != nil {
		return Uneven{}, fmt.Errorf("correction: uneven: %w", err)
	}
	v := newVotes(g, labels, near, t)
	members := make([][]int, c)
	rest := make([]float64, n) // probability of all classes but the likeliest, which does not saturate
	for x := range n {
		row := g[x*c : (x+1)*c]
		top := likeliest(row, 0)
		members[top] = append(members[top], x)
		for k, p := range row {
			if k != top {
				rest[x] += float64(p)
			}
		}
	}
	var differs, doubted [2][]float64 // of the surest and of the less sure
	for k, list := range members {
		slices.SortStableFunc(list, func(x, y int) int { return cmp.Compare(rest[x], rest[y]) })
		for at, x := range list {
			group := 0
			switch share := float64(at+1) / float64(len(list)); {
			case share > notSurest:
				continue
			case share > surest:
				group = 1
			}
			differs[group] = append(differs[group], oneOf(labels[x] != k))
			doubted[group] = append(doubted[group], oneOf(floats.MaxIdx(v.evidence[x*c:(x+1)*c]) != k))
		}
	}
	return newUneven(differs, doubted, c), nil
}

func newUneven(differs, doubted [2][]float64, c int) Uneven {
	if len(differs[0]) < 2 || len(differs[1]) < 2 {
		return Uneven{}
	}
	u := Uneven{Surest: stat.Mean(differs[0], nil), Less: stat.Mean(differs[1], nil)}
	each := ignorance * max(0, 1-u.Surest*float64(c)/float64(c-1))
	variance := 0.
	for k := range differs {
		d := slices.Clone(differs[k])
		floats.AddScaled(d, -each, doubted[k])
		mean, spread := stat.MeanVariance(d, nil)
		variance += spread / float64(len(d))
		u.Excess += float64(2*k-1) * mean
	}
	if variance > 0 {
		u.Z = u.Excess / math.Sqrt(variance)
	}
	u.Noticed = u.Z >= noticed
	return u
}

func oneOf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
