package report

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
)

// scipy 1.17.1, stats.ttest_ind(a, b, equal_var=False); relative 1e-9. The limits where the formula is 0/0 or lacks data
// are as the comment of welch defines them, exactly.
func TestWelchT(t *testing.T) {
	for _, test := range []struct {
		a, b     []float64
		t, df, p float64
	}{
		{[]float64{97.3, 97.2, 97.4, 97.3, 97.25}, []float64{96.9, 97.0, 96.8, 96.95, 96.9},
			8.101627221512985, 8.0, 3.987064302280847e-05},
		{[]float64{53.0, 52.4, 53.9, 52.1, 53.3}, []float64{64.9, 60.2, 69.1, 71.0, 58.8},
			-4.921373662625617, 4.143827276526151, 0.007231561828099397},
		{[]float64{1, 2, 3, 4, 5, 6, 7}, []float64{2, 4, 6}, 0, 4.153846153846154, 1},
		{[]float64{9, 9}, []float64{9, 9, 9}, 0, 3, 1},
		{[]float64{50.2, 50.2, 50.2}, []float64{50.2, 50.2, 50.2, 50.2, 50.2}, 0, 6, 1}, // equal but for rounding
		{[]float64{9, 9}, []float64{8, 8}, math.Inf(1), 2, 0},
		{[]float64{9}, []float64{8, 8.5}, 0, 0, 1},
		{nil, nil, 0, 0, 1},
		{[]float64{97.9, 97.9, 97.9}, []float64{97.8, 97.9, 98.1}, -0.3779644730088896, 2, 0.7418011102530542},
	} {
		gotT, gotDF, gotP := welch(NewSample(test.a), NewSample(test.b))
		for _, x := range []struct {
			name      string
			got, want float64
		}{{"t", gotT, test.t}, {"df", gotDF, test.df}, {"p", gotP, test.p}} {
			exact := x.want == 0 || x.want == math.Trunc(x.want)
			if x.got != x.want && (exact || !scalar.EqualWithinRel(x.got, x.want, 1e-9)) {
				t.Errorf("%v against %v: %s = %v, want %v", test.a, test.b, x.name, x.got, x.want)
			}
		}
		backT, _, backP := welch(NewSample(test.b), NewSample(test.a))
		if backT != -gotT || backP != gotP {
			t.Errorf("swapped samples: t = %v, p = %v, want %v, %v", backT, backP, -gotT, gotP)
		}
	}
}
