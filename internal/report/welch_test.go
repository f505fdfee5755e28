package report

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
)

// scipy 1.17.1, stats.ttest_ind(a, b, equal_var=False); relative 1e-9.
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
		{[]float64{97.9, 97.9, 97.9}, []float64{97.8, 97.9, 98.1}, -0.3779644730088896, 2, 0.7418011102530542},
	} {
		gotT, gotDF, gotP := welch(NewSample(test.a), NewSample(test.b))
		for _, x := range []struct {
			name      string
			got, want float64
		}{{"t", gotT, test.t}, {"df", gotDF, test.df}, {"p", gotP, test.p}} {
			if !scalar.EqualWithinAbsOrRel(x.got, x.want, 1e-12, 1e-9) {
				t.Errorf("%v against %v: %s = %v, want %v", test.a, test.b, x.name, x.got, x.want)
			}
		}
		backT, _, backP := welch(NewSample(test.b), NewSample(test.a))
		if backT != -gotT || backP != gotP {
			t.Errorf("swapped samples: t = %v, p = %v, want %v, %v", backT, backP, -gotT, gotP)
		}
	}
}

// The limits where the formula is 0/0 or lacks data, defined in the comment.
func TestWelchTDegenerate(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct {
		name     string
		a, b     []float64
		t, df, p float64
	}{
		{"equal constants", []float64{9, 9}, []float64{9, 9, 9}, 0, 3, 1},
		{"equal constants, rounded", []float64{50.2, 50.2, 50.2}, []float64{50.2, 50.2, 50.2, 50.2, 50.2}, 0, 6, 1},
		{"constants, higher", []float64{9, 9}, []float64{8, 8}, inf, 2, 0},
		{"constants, lower", []float64{8, 8}, []float64{9, 9}, -inf, 2, 0},
		{"single value", []float64{9}, []float64{8, 8.5}, 0, 0, 1},
		{"nothing", nil, nil, 0, 0, 1},
	} {
		gotT, gotDF, gotP := welch(NewSample(test.a), NewSample(test.b))
		if gotT != test.t || gotDF != test.df || gotP != test.p {
			t.Errorf("%s: %v, %v, %v, want %v, %v, %v", test.name, gotT, gotDF, gotP, test.t, test.df, test.p)
		}
	}
}
