package similar

import (
	"cmp"
	"math"
	"slices"

	"github.com/losscorr/losscorr/torch"
)

// Pair is two examples, the first before the second, and the cosine between their features.
type Pair struct {
	A, B   int
	Cosine float64
}

// Limits of Copies.
const (
	copyRank   = 6    // the neighbour that says how far things lie that are no copies
	copyShare  = .5   // of its distance, which the distance of copies is below
	copyChance = 4e-4 // share of examples that may lie as near to another one by chance
	copyNear   = .06  // distance of copies of which there are more than copyRank
)

// Copies returns the pairs of n examples whose features are so much alike that both may be the same picture,
// sorted. With the distance 1 - cosine, a pair is one if
//
//	distance < share min(distance of a to its sixth neighbour, that of b)
//
// as pictures of different things lie nearly as far from their first neighbour as from their sixth. share is
// copyShare, or less in features of few dimensions, see copyLimit. The sixth neighbour of a picture that
// is there more than six times is a copy, too: a pair is also one if its distance is below copyNear and below
// share of the median distance to the sixth neighbour. Of each example the six nearest are looked at.
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
				if int(other) == example || rank == copyRank { // of equal ones it may not be among the first
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

// copyLimit returns the share of the distance to the sixth neighbour that the first one lies below by chance for
// copyChance of the examples, copyShare at most. Around a point of m dimensions the volumes, distance^(m/2), of
// the first five neighbours are those of five uniform numbers below that of the sixth (a cosine distance is
// half of a squared length): the fourth is .686 of it in the median, which gives m, and the first is below s with
// the probability 1 - (1 - s)⁵, which is 5 s nearly.
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
