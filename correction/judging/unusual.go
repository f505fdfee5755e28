package judging

import (
	"fmt"
	"slices"
)

// Unusual rates how much each example differs from every class, from 0 to 1. distances [N C], row by row, are the
// examples' distances to the classes, negative throughout a class with too few examples. The usual distance of a
// class is the median over the examples with that label. Only the class that fits an example best counts, whatever
// its label, so a wrong label does not make an example unusual.
//
// Let r be an example's distance to this class divided by the usual one, m the median of r, and m + u the start of
// its largest tenth. The result is 1 - u / (r - m) within that tenth and 0 below: .5 is twice as far out as its
// start, .75 four times. It is nil if no class has enough examples.
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
			usual[k] = max(list[len(list)/2], 1e-6) // copies have distance 0
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
			return nil, nil // then all examples lack a class
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
