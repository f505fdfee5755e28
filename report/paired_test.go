package report

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
	for seed, accuracy := range map[uint64]float64{1: 90, 2: 80, 3: 70, 4: 85, 5: 75} { // wide over seeds
		results = append(results, reporttest.Result("forward", "asymmetric", .6, seed, accuracy, 0))
		if seed > 1 {
			results = append(results, reporttest.Result("backward", "asymmetric", .6, seed, accuracy-2+.1*float64(seed), 0))
		}
	}
	results = append(results, reporttest.Result("backward", "asymmetric", .6, 9, 60, 0), reporttest.Result("savage", "asymmetric", .6, 1, 50, 0))
	cells := firstColumn(results)
	if cells["forward"].Paired != nil || cells["savage"].Paired != nil {
		t.Errorf("the highest is paired with %v, a single run with %v", cells["forward"].Paired, cells["savage"].Paired)
	}
	p := cells["backward"].Paired
	if p == nil || p.With != "forward" || p.N != 4 || math.Abs(p.Mean+1.65) > 1e-9 || p.P > .002 || p.Low < -2 || p.High > -1.3 {
		t.Errorf("backward is paired as %+v", p)
	}
	if _, _, welch := welch(NewSample([]float64{90, 80, 70, 85, 75}), NewSample([]float64{78.2, 68.3, 83.4, 73.5, 60})); welch < .1 {
		t.Errorf("the unpaired test finds the same, p = %v", welch)
	}
}

// firstColumn returns the cells of the only table of results by row.
func firstColumn(results []store.Result) map[string]*Cell {
	table := Tables(FromResults(results...))[0]
	cells := map[string]*Cell{}
	for i, row := range table.Rows {
		cells[row.Name] = table.Cells[i][0]
	}
	return cells
}

// Two or three seeds have the mean of their differences and neither an interval nor a p, in
// no format.
func TestFewPairsAreNotTested(t *testing.T) {
	var results []store.Result
	for seed, accuracy := range []float64{97, 55, 96, 95, 94} {
		results = append(results, reporttest.Result("forward", "asymmetric", .6, uint64(seed), accuracy, 0))
		if seed < 2 {
			results = append(results, reporttest.Result("backward", "asymmetric", .6, uint64(seed), 40+float64(seed), 0))
		}
		if seed < 4 {
			results = append(results, reporttest.Result("savage", "asymmetric", .6, uint64(seed), 40+float64(seed), 0))
		}
	}
	cells := firstColumn(results)
	if got, want := cells["backward"].Paired.String(), "-35.5 (2 seeds)"; got != want {
		t.Errorf("two seeds: %s, want %s", got, want)
	}
	if p := cells["savage"].Paired; !p.Tested() || p.Holm != p.P || !strings.Contains(p.String(), "p = ") {
		t.Errorf("four seeds, one comparison: %+v, %v", *p, p)
	}
	var text, lines bytes.Buffer
	tables := Tables(FromResults(results...))
	if err := errors.Join(WriteJSON(&text, tables, ""), WriteCSV(&lines, tables, "")); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(text.String(), `"p_holm"`); got != 1 {
		t.Errorf("%d comparisons with a p in JSON, want that of four seeds:\n%s", got, text.String())
	}
	if !strings.Contains(lines.String(), ",forward,-35.500,,,\n") {
		t.Errorf("no comparison without a p in\n%s", lines.String())
	}
	kept, err := ReadCSV(&lines)
	if err != nil {
		t.Fatal(err)
	}
	var before, after bytes.Buffer
	if err := errors.Join(tables[0].PairedSheets(0)[0].WriteText(&before), kept[0].PairedSheets(0)[0].WriteText(&after)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.String(), after.String()); diff != "" {
		t.Errorf("read from CSV (-runs +csv)\n%s", diff)
	}
}

// The oracle is R 4.3, p.adjust(c(.01, .04, .03, .005), "holm"), and p.adjust(c(.5, .6), "holm").
func TestHolm(t *testing.T) {
	for _, tt := range []struct{ p, want []float64 }{
		{[]float64{.01, .04, .03, .005}, []float64{.03, .06, .06, .02}},
		{[]float64{.5, .6}, []float64{1, 1}},
		{nil, []float64{}},
	} {
		if diff := cmp.Diff(tt.want, holm(tt.p), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%v (-want +got)\n%s", tt.p, diff)
		}
	}
}

// Tables show p-values corrected for all comparisons of their column; a cell keeps that of its
// own pair.
func TestTablesCorrectForComparisons(t *testing.T) {
	var results []store.Result
	for seed := range uint64(5) {
		results = append(results, reporttest.Result("forward", "asymmetric", .6, seed, 97, 0))
		for k, loss := range []string{"backward", "savage", "sigmoid", "unhinged"} {
			results = append(results, reporttest.Result(loss, "asymmetric", .6, seed, 96+.3*math.Sin(float64(seed)*float64(k+1)), 0))
		}
	}
	cells := firstColumn(results)
	smallest := 1.
	for _, c := range cells {
		if c.Paired != nil {
			smallest = min(smallest, c.Paired.P)
		}
	}
	for name, c := range cells {
		switch p := c.Paired; {
		case p == nil:
		case p.P == smallest && math.Abs(p.Holm-4*p.P) > 1e-12:
			t.Errorf("%s: p = %v of four comparisons is corrected to %v, want %v", name, p.P, p.Holm, 4*p.P)
		case p.Holm <= p.P:
			t.Errorf("%s: p = %v is corrected to %v", name, p.P, p.Holm)
		case !strings.HasSuffix(p.String(), pText(p.Holm)):
			t.Errorf("%s: %v, want Holm's %s", name, p, pText(p.Holm))
		}
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
