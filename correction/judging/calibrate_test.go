package judging

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/correctiontest"
)

// Logits at a wrong temperature give the posteriors of the right one, from noisy labels
// alone, and so the number of wrong labels.
func TestCalibrateFindsTheTemperature(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 92))
	for _, c := range []int{2, 10} {
		for _, want := range []float64{.25, 1, 3} {
			m := correctiontest.RandomMatrix(t, rng, c)
			d := newAudited(t, rng, m, 40000)
			logits := make([]float32, len(d.g))
			for k, v := range d.g {
				logits[k] = float32(want*math.Log(float64(v))) + 7
			}
			g, got, err := Calibrate(logits, d.given, m)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(math.Log(got/want)) > .08 {
				t.Errorf("c = %d: temperature %.3f, want %v", c, got, want)
			}
			if a := mustAudit(t, g, d.given, m); math.Abs(a.ExpectedWrong/float64(d.wrong)-1) > .05 {
				t.Errorf("c = %d, temperature %v: %.0f wrong labels expected of %d", c, want, a.ExpectedWrong, d.wrong)
			}
		}
	}
}

func TestCalibrateRefuses(t *testing.T) {
	m := half(t)
	for want, run := range map[string]func() error{
		"3 logits for 1 labels":                  func() error { _, _, err := Calibrate([]float32{1, 2, 3}, []int{0}, m); return err },
		"given label of example 0 is 2":          func() error { _, _, err := Calibrate([]float32{1, 2}, []int{2}, m); return err },
		"logit of example 0 for class b is +Inf": func() error { _, _, err := Calibrate([]float32{1, float32(math.Inf(1))}, []int{0}, m); return err },
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// All posteriors that two extreme logits allow are finite.
func TestCalibrateOfSaturatedLogits(t *testing.T) {
	g, _, err := Calibrate([]float32{1e30, -1e30, -1e30, 1e30}, []int{0, 1}, half(t))
	if err != nil || g[0] != 1 || g[1] != 0 || g[3] != 1 {
		t.Errorf("posteriors %v, error %v", g, err)
	}
}
