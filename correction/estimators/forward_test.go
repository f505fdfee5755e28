package estimators

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/diff/fd"

	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

// The gradient equals central differences, with all examples and with every second one.
func TestForwardGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(99, 100))
	e := correctiontest.NewExample(t, rng, correctiontest.RandomMatrix(t, rng, 3), 11)
	other := correctiontest.NewExample(t, rng, e.T, 11)
	f := NewForward(e.Noisy, e.T, e.Logits, other.Logits)
	for f.Step = 1; f.Step <= 2; f.Step++ {
		at, got := []float64{.3, -.2, .5, .7, -.4}, make([]float64, 5)
		f.Loss(at, got)
		want := fd.Gradient(nil, func(x []float64) float64 { return f.Loss(x, nil) }, at, &fd.Settings{Formula: fd.Central})
		expect.Same(t, want, got, cmpopts.EquateApprox(0, 1e-7), "derivatives of step", f.Step)
	}
	f.Step = 2
	before := f.Loss(make([]float64, 5), nil)
	if e.Noisy[1] = (e.Noisy[1] + 1) % 3; f.Loss(make([]float64, 5), nil) != before {
		t.Error("the second example is not left out")
	}
}

// The sums, and so the parameters, do not depend on the number of processors.
func TestForwardOfAnyProcessors(t *testing.T) {
	rng := rand.New(rand.NewPCG(101, 102))
	e := correctiontest.NewExample(t, rng, correctiontest.RandomMatrix(t, rng, 4), 5001)
	f := NewForward(e.Noisy, e.T, e.Logits)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(7))
	many, _ := f.Minimize()
	runtime.GOMAXPROCS(1)
	one, _ := f.Minimize()
	expect.Same(t, many, one, "parameters with one processor")
}
