package correction_test

import (
	"math"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/expect"
)

// Large logits do not overflow, and the first of equal classes is the likeliest.
func TestSoftmax(t *testing.T) {
	p := correction.Softmax([]float32{1000, 1000, -1000, 0, 0, float32(math.Log(2))}, 3)
	if want := []float32{.5, .5, 0, .25, .25, .5}; !slices.EqualFunc(p, want, func(a, b float32) bool {
		return math.Abs(float64(a-b)) < 1e-6
	}) {
		t.Errorf("%v, want %v", p, want)
	}
	expect.Same(t, []int{0, 2}, correction.Classes(p, 3), "classes")
}
