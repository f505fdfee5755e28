package judging

import (
	"fmt"
	"slices"
)

// Unusual says of each example how unlike every class it looks, from 0 to 1, by its distances to
// the classes [N C], row by row, of which those of a class are all negative where it has too few
// examples. Given labels only say which distance is usual in a class, its median: of an example the
// class counts that fits best, whatever its label, so that a wrong label does not make an example unusual.
//
// Let r be an example's distance to this class, divided by the usual one, and u how far the tenth of
// examples with the largest r lies above the median m. An example has 1 - u / (r - m), and 0 below
// that tenth: .5 lies twice as far out, .75 four times. Nil where no class has enough examples.
func Unusual(distances []float32, labels []int) ([]float64, error) {
	n := len(labels)
	if n == 0 || len(distances)%n != 0 {
		return nil, fmt.Errorf("%d distances of %d examples", len(distances), n)
	}
	classes := len(distances) / n
	own := make([][]float64, classes)
	for x, y := range labels {
		if y < 0 || y >= classes {
			return nil, fmt.Errorf("example %d: label %d of %d classes", x, y, classes)
		}
		if d := distances[x*classes+y]; d >= 0 {
			own[y] = append(own[y], float64(d))
		}
	}
	usual := make([]float64, classes)
	for k, list := range own {
		if len(list) > 0 {
			slices.Sort(list)
			usual[k] = max(list[len(list)/2], 1e-6) // copies have no distance
		}
	}
	least := make([]float64, n)
	for x := range least {
		least[x] = -1
		for k, d := range distances[x*classes : (x+1)*classes] {
			if r := float64(d) / max(usual[k], 1e-6); usual[k] > 0 && (least[x] < 0 || r < least[x]) {
				least[x] = r
			}
		}
		if least[x] < 0 {
			return nil, nil // then of all examples
		}
	}
	sorted := slices.Sorted(slices.Values(least))
	m := sorted[n/2]
	u := max(sorted[min(n-1, n*9/10)]-m, 1e-6)
	out := make([]float64, n)
	for x, r := range least {
		if r-m > u {
			out[x] = 1 - u/(r-m)
		}
	}
	return out, nil
}
