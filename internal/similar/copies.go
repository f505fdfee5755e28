package similar

import (
	"cmp"
	"math"
	"slices"

	"github.com/losscorr/losscorr/torch"
)

// Pair is two examples, A before B, and the cosine of their features.
type Pair struct {
	A, B   int
	Cosine float64
}

// Limits of Copies.
const (
	copyRank   = 6    // rank of the neighbour whose distance is typical of different pictures
	copyShare  = .5   // copies are closer than this share of its distance
	copyChance = 4e-4 // accepted share of examples this close to another by chance
	copyNear   = .06  // largest distance if there are more than copyRank copies
)

// Copies returns the pairs of n examples whose features are so similar that they may show the same picture,
// sorted. With the distance 1 - cosine, a and b are a pair if
//
//	distance < share min(distance of a to its sixth neighbour, distance of b to its sixth neighbour)
//
// since different pictures are nearly as far from their first neighbour as from their sixth. share is
// copyShare, or less in features of few dimensions, see copyLimit. If a picture occurs more than six times, its
// sixth neighbour is also a copy; so a and b are also a pair if their distance is below copyNear and below
// share times the median distance to the sixth neighbour. Copies compares each example with its six nearest.
// features is n x d, row by row. The search takes n² d multiplications.
func Copies(features []float32, n int) []Pair {
	if n <= copyRank {
		return nil
	}
	var pairs []Pair
	fourth, sixth := make([]float64, n), make([]float64, n)
	torch.Scope(func() {
		search(unit(torch.FromSlice(features, n, len(features)/n)), copyRank+1, func(example int, cosines []float32,
			list []int64) {
			rank := 0
			for k, other := range list {
				if int(other) == example || rank == copyRank { // among equals it may be missing
					continue
				}
				cosine := float64(cosines[k])
				switch rank++; rank {
				case 4:
					fourth[example] = 1 - cosine
				case copyRank:
					sixth[example] = 1 - cosine
				}
				pairs = append(pairs, Pair{min(example, int(other)), max(example, int(other)), cosine})
			}
		})
	})
	share, middle := copyLimit(fourth, sixth), median(sixth)
	pairs = slices.DeleteFunc(pairs, func(p Pair) bool {
		distance := 1 - p.Cosine
		return distance >= share*min(sixth[p.A], sixth[p.B]) && distance >= min(copyNear, share*middle)
	})
	slices.SortFunc(pairs, func(x, y Pair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return slices.CompactFunc(pairs, func(x, y Pair) bool { return x.A == y.A && x.B == y.B })
}

// copyLimit returns the share s of the distance to the sixth neighbour such that copyChance of the examples have
// their first neighbour closer than s by chance, and at most copyShare. In m dimensions, the volumes distance^(m/2)
// of the first five neighbours are distributed like five uniform numbers below the sixth's (a cosine distance is
// half a squared length). The fourth volume has a median of .686 times the sixth, which gives m, and the first is
// below a share v with probability 1 - (1 - v)⁵, about 5 v.
func copyLimit(fourth, sixth []float64) float64 {
	var ratios []float64
	for k, d := range sixth {
		if d > 0 {
			ratios = append(ratios, max(fourth[k], 0)/d)
		}
	}
	if len(ratios) == 0 {
		return 0
	}
	half := math.Log(.686) / math.Log(min(median(ratios), 1-1e-9))
	return min(copyShare, math.Pow(copyChance/(copyRank-1), 1/half))
}

func median(v []float64) float64 { return slices.Sorted(slices.Values(v))[len(v)/2] }
