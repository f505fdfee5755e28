package judging

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/diff/fd"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/correctiontest"
)

// Logits of a linear network on given labels are those of the classes at another scale, shifted. The
// clean posteriors come back, whatever both are, and the number of wrong labels with them; the
// inverse of T of the same posteriors misses a part.
func TestCalibrateClean(t *testing.T) {
	rng := rand.New(rand.NewPCG(93, 94))
	for _, c := range []int{2, 4} {
		m := correctiontest.RandomMatrix(t, rng, c)
		d := newAudited(t, rng, m, 40000)
		shift := make([]float64, c)
		for k := range shift {
			shift[k] = 2*rng.Float64() - 1
		}
		logits := make([]float32, len(d.g))
		for i, v := range d.g {
			logits[i] = float32(.4*math.Log(float64(v)) + shift[i%c])
		}
		g, err := CalibrateClean(logits, d.given, m)
		if err != nil {
			t.Fatal(err)
		}
		off := 0.
		for i, v := range g {
			off += math.Abs(float64(v-d.g[i])) / float64(len(g))
		}
		if off > .015 {
			t.Errorf("%d classes: the clean posteriors differ by %.4f in the mean", c, off)
		}
		if a := mustAudit(t, g, d.given, m); math.Abs(a.ExpectedWrong/float64(d.wrong)-1) > .04 {
			t.Errorf("%d classes: %.0f wrong labels expected of %d", c, a.ExpectedWrong, d.wrong)
		}
	}
	// A class with few labels stays where it was.
	m := correctiontest.RandomMatrix(t, rng, 3)
	g, err := CalibrateClean([]float32{0, 0, -90, 1, 0, -90, 0, 1, -90}, []int{0, 0, 1}, m)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range g {
		if !(v >= 0 && v <= 1) || i%3 == 2 && v > 1e-6 {
			t.Errorf("posterior %d is %v", i, v)
		}
	}
	for want, run := range map[string]func() error{
		"3 logits for 1 labels":         func() error { _, err := CalibrateClean([]float32{1, 2, 3}, []int{0}, half(t)); return err },
		"given label of example 0 is 2": func() error { _, err := CalibrateClean([]float32{1, 2}, []int{2}, half(t)); return err },
		"logit of example 0 for class b is +Inf": func() error {
			_, err := CalibrateClean([]float32{1, float32(math.Inf(1))}, []int{0}, half(t))
			return err
		},
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// The gradient is that of the loss, by central differences.
func TestForwardFitGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(95, 96))
	m := correctiontest.RandomMatrix(t, rng, 3)
	f := forwardFit{labels: []int{0, 2, 1, 1}, c: 3, step: 1, p: make([]float64, 3)}
	for range 12 {
		f.logits = append(f.logits, float32(rng.NormFloat64()))
	}
	for y := range 3 {
		f.columns = append(f.columns, column(m, y))
	}
	at := []float64{.3, -.2, .5, .7}
	got := make([]float64, 4)
	f.loss(at, got)
	want := fd.Gradient(nil, func(x []float64) float64 { return f.loss(x, nil) }, at, &fd.Settings{Formula: fd.Central})
	for k := range want {
		if math.Abs(got[k]-want[k]) > 1e-7 {
			t.Errorf("derivative %d is %v, want %v", k, got[k], want[k])
		}
	}
}

func column(m *correction.Matrix, y int) []float64 {
	out := make([]float64, m.Dim())
	for k := range out {
		out[k] = m.At(k, y)
	}
	return out
}
