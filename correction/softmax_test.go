package correction_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/expect"
)

// Large logits do not overflow, and the first of equal classes is the likeliest.
func TestSoftmax(t *testing.T) {
	p := correction.Softmax([]float32{1000, 1000, -1000, 0, 0, float32(math.Log(2))}, 3)
	expect.Same(t, []float32{.5, .5, 0, .25, .25, .5}, p, cmpopts.EquateApprox(0, 1e-6), "probabilities")
	expect.Same(t, []int{0, 2}, correction.Classes(p, 3), "classes")
}
