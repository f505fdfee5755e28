package figure

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		low, high, atLeast float64
		want               []float64
	}{
		{0, 100, 0, []float64{0, 20, 40, 60, 80, 100}},
		{96.2, 98.1, 0, []float64{96.5, 97, 97.5, 98}},
		{-.02, .62, 0, []float64{0, .2, .4, .6}},
		{-1.3, .6, 0, []float64{-1, -.5, 0, .5}},
		{0, 8, 0, []float64{0, 2, 4, 6, 8}},
		{0, 2, 1, []float64{0, 1, 2}},
		{3, 3, 0, nil},
		{math.NaN(), 1, 0, nil},
	} {
		var got []float64
		for _, tick := range (ticks{test.atLeast}).Ticks(test.low, test.high) {
			got = append(got, tick.Value)
		}
		if diff := cmp.Diff(test.want, got, cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("ticks from %v to %v (-want +got):\n%s", test.low, test.high, diff)
		}
	}
	if got := tickText(math.Copysign(0, -1)); got != "0" {
		t.Errorf("minus zero is %q", got)
	}
}

// A few extreme values do not flatten the rest.
func TestSpan(t *testing.T) {
	values := []float64{math.NaN(), 1e9, -1e9}
	for k := range 100 {
		values = append(values, float64(k))
	}
	if low, high := span(values); low < -10 || low > 1 || high < 98 || high > 110 {
		t.Errorf("span %v to %v", low, high)
	}
	if low, high := span([]float64{7, 7}); !(low < 7 && high > 7) {
		t.Errorf("span of one value: %v to %v", low, high)
	}
	if low, high := span(nil); !(low < high) {
		t.Errorf("span of nothing: %v to %v", low, high)
	}
}
