package losses_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction/estimators"
)

// The zero values of EstimatorOptions are the documented ones, and other values matter.
func TestDefaults(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, c = 3000, 3
	logits, noisy := make([]float32, 0, n*c), make([]int, n)
	for i := range n {
		noisy[i] = rng.IntN(c)
		for k := range c {
			z := rng.NormFloat64()
			if k == noisy[i] {
				z += 4 * rng.Float64()
			}
			logits = append(logits, float32(z))
		}
	}
	estimate := func(o estimators.Options) string {
		t.Helper()
		e, err := estimators.Estimate([]string{"a", "b", "c"}, logits, noisy, o)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(e.T.Rows())
	}
	type options = estimators.Options
	for _, tt := range []struct{ zero, same, other options }{
		{options{}, options{Name: "percentile", Quantile: .97}, options{Name: "percentile", Quantile: .9}},
		{options{}, options{Name: "percentile", Quantile: .97}, options{Name: "argmax"}},
		{options{Name: "class-quantile"}, options{Name: "class-quantile", Kappa: .3}, options{Name: "class-quantile", Kappa: .5}},
		{options{Name: "class-quantile"}, options{Name: "class-quantile", Average: n / (100 * c)}, options{Name: "class-quantile", Average: 1}},
		{options{Name: "vertices"}, options{Name: "vertices"}, options{Name: "vertices", Prior: 30}},
	} {
		zero := estimate(tt.zero)
		if zero != estimate(tt.same) {
			t.Errorf("%+v differs from %+v", tt.zero, tt.same)
		}
		if zero == estimate(tt.other) {
			t.Errorf("%+v is as %+v", tt.zero, tt.other)
		}
	}
}
