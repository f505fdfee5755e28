package judging_test

import (
	"math"
	"testing"

	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/expect"
)

// Computed by hand: two classes of 10, with usual distances 1 and 2, and a third with too few examples.
func TestUnusual(t *testing.T) {
	var distances []float32
	var labels []int
	add := func(label int, a, b float32) {
		distances, labels = append(distances, a, b, -1), append(labels, label)
	}
	for k := range 10 {
		add(0, 1+float32(k-5)/100, 9)
		add(1, 9, 2+float32(k-5)/50)
	}
	add(0, 9, 2)     // a wrong label
	add(0, 1.5, 9)   // far from its class and farther from others
	add(1, 1.25, 9)  // the same with a wrong label
	add(2, 9, 2.125) // its class is too small to tell
	got := expect.Got(judging.Unusual(distances, labels))(t)
	// The usual distances are 1.01 (of .95 to 1.04, 1.5 and 9) and 2, the median of the ratios is 1, and the tenth
	// begins at 2.125 / 2.
	const m, u = 1., .0625
	for x, want := range map[int]float64{21: 1 - u/(1.5/1.01-m), 22: 1 - u/(1.25/1.01-m), 23: 0} {
		if math.Abs(got[x]-want) > 1e-5 {
			t.Errorf("example %d: %.4f, want %.4f", x, got[x], want)
		}
	}
	for x, v := range got[:21] {
		if v != 0 {
			t.Errorf("example %d, which looks like a class, has %v", x, v)
		}
	}
	if list, err := judging.Unusual([]float32{-1, -1, -1, -1}, []int{0, 1}); list != nil || err != nil {
		t.Errorf("classes that are too small: %v, %v", list, err)
	}
	for _, labels := range [][]int{nil, {0, 1, 0}, {0, 2}, {-1, 0}} {
		expect.Fails(t, expect.Err(judging.Unusual([]float32{1, 1, 1, 1}, labels)), " of ", labels)
	}
	if same, err := judging.Unusual([]float32{0, 0, 0}, []int{0, 0, 0}); err != nil || same[0] != 0 {
		t.Errorf("copies: %v, %v", same, err)
	}
}
