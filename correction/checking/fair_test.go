package checking

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/combin"
)

// The bets are fair: if exactly the share bet against is wrong, the mean capital over all orders of the checks is 1
// before and after each of them, whatever w is. By Ville's inequality this bounds the risk.
func TestFairBets(t *testing.T) {
	wrong := []bool{true, false, false, true, false, false}
	n, share := len(wrong), 2./6
	orders := combin.Permutations(n, n)
	for name, w := range map[string][]float64{"good": {.9, .1, .3, .7, .2, 0}, "bad": {.1, .9, .6, 0, .4, .3}} {
		for _, sign := range []float64{-1, 1} {
			mean := make([]float64, n+1)
			for _, order := range orders {
				b := newBets(w, share, sign)
				for k, x := range order {
					mean[k] += b.capital() / float64(len(orders))
					b.add(w[x], wrong[x])
				}
				mean[n] += b.capital() / float64(len(orders))
			}
			for k, capital := range mean {
				if math.Abs(capital-1) > 1e-9 {
					t.Errorf("w %s, sign %v: mean capital %v after %d checks, want 1", name, sign, capital, k)
				}
			}
		}
	}
}
