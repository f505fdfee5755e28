package report

import (
	"math"
	"testing"

	"github.com/losscorr/losscorr/report/reporttest"
	"github.com/losscorr/losscorr/store"
)

// The oracle is R 4.3, t.test(extra ~ group, data = sleep, paired = TRUE): Student's own
// example of 1908.
func TestPairedT(t *testing.T) {
	a := []float64{.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2}
	b := []float64{1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4}
	mean, low, high, p := PairedT(a, b)
	for _, test := range []struct {
		name            string
		got, want, near float64
	}{
		{"mean", mean, -1.58, 1e-9}, {"low", low, -2.4598858, 1e-7}, {"high", high, -0.7001142, 1e-7}, {"p", p, .002833, 5e-7},
	} {
		if math.Abs(test.got-test.want) > test.near {
			t.Errorf("%s is %v, want %v", test.name, test.got, test.want)
		}
	}
	if mean, low, high, p := PairedT([]float64{97.3, 97.1}, []float64{97.3, 97.1}); mean != 0 || low != 0 || high != 0 || p != 1 {
		t.Errorf("equal values: %v, %v to %v, p = %v", mean, low, high, p)
	}
	if mean, low, high, p := PairedT([]float64{2, 3}, []float64{1, 2}); mean != 1 || low != 1 || high != 1 || p != 0 {
		t.Errorf("a constant difference: %v, %v to %v, p = %v", mean, low, high, p)
	}
}

// Pairs are runs of one seed, whatever other seeds there are, and a cell of one seed has
// none.
func TestPairsShareTheirSeed(t *testing.T) {
	var results []store.Result
	for seed, accuracy := range map[uint64]float64{1: 90, 2: 80, 3: 70} { // wide over seeds
		results = append(results, reporttest.Result("forward", "asymmetric", .6, seed, accuracy, 0))
		if seed > 1 {
			results = append(results, reporttest.Result("backward", "asymmetric", .6, seed, accuracy-2+.1*float64(seed), 0))
		}
	}
	results = append(results, reporttest.Result("backward", "asymmetric", .6, 9, 60, 0), reporttest.Result("savage", "asymmetric", .6, 1, 50, 0))
	table := Tables(FromResults(results...))[0]
	cells := map[string]*Cell{}
	for i, row := range table.Rows {
		cells[row.Name] = table.Cells[i][0]
	}
	if cells["forward"].Paired != nil || cells["savage"].Paired != nil {
		t.Errorf("the highest is paired with %v, a single run with %v", cells["forward"].Paired, cells["savage"].Paired)
	}
	p := cells["backward"].Paired
	if p == nil || p.With != "forward" || p.N != 2 || math.Abs(p.Mean+1.75) > 1e-9 || p.P > .02 || p.Low < -2.5 || p.High > -1 {
		t.Errorf("backward is paired as %+v", p)
	}
	if _, _, welch := WelchT([]float64{90, 80, 70}, []float64{78.2, 68.3, 60}); welch < .1 {
		t.Errorf("the unpaired test finds the same, p = %v", welch)
	}
}

// The same runs give the same digits, all of them.
func TestPairedIsTheSameEachTime(t *testing.T) {
	mine, other := map[uint64]float64{}, map[uint64]float64{}
	for seed := range uint64(9) {
		mine[seed], other[seed] = 97+math.Sin(float64(seed)), 96+math.Cos(float64(seed))
	}
	first := *pairedWith("forward", mine, other)
	for range 100 {
		if again := *pairedWith("forward", mine, other); again != first {
			t.Fatalf("%+v, and before %+v", again, first)
		}
	}
}
