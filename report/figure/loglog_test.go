package figure

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/plot/plotter"
)

// demoLaws are a linear and a quadratic cost, the first with its law.
func demoLaws() []LogLine {
	linear, square := LogLine{Name: "linear", Exponent: 1, Factor: 2, From: 30}, LogLine{Name: "square"}
	for x := 10.; x <= 10000; x *= 10 {
		linear.Points = append(linear.Points, plotter.XY{X: x, Y: 2 * x})
		square.Points = append(square.Points, plotter.XY{X: x, Y: x * x / 100})
	}
	return []LogLine{linear, square}
}

// The law is drawn from the first point at or above From to the last one.
func TestLaw(t *testing.T) {
	lines := demoLaws()
	want := plotter.XYs{{X: 100, Y: 200}, {X: 10000, Y: 20000}}
	if diff := cmp.Diff(want, lines[0].law(), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("law (-want +got):\n%s", diff)
	}
	if law := lines[1].law(); law != nil {
		t.Errorf("a line without a law has %v", law)
	}
}

func TestPowers(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      []string
	}{
		{5, 20000, []string{"10", "100", "1000", "10000"}},
		{30, 300, []string{"50", "100", "200"}},
		{290, 450, []string{"300", "400"}},
		{.002, .03, []string{"0.002", "0.005", "0.01", "0.02"}},
	} {
		var got []string
		for _, tick := range (powers{}).Ticks(math.Log10(test.low), math.Log10(test.high)) {
			if tick.Label != "" {
				got = append(got, tick.Label)
			}
			if tick.Value < math.Log10(test.low) || tick.Value > math.Log10(test.high) || math.IsNaN(tick.Value) {
				t.Errorf("a tick at %v outside of %v to %v", tick.Value, test.low, test.high)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("labels from %v to %v are %q, want %q", test.low, test.high, got, test.want)
		}
	}
}
