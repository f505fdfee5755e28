package judging

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/correctiontest"
	"github.com/losscorr/losscorr/correction/estimators"
)

// An audit of real networks ranks, flags and counts the wrong labels of MNIST about as
// well as measured on all of it, where self-confidence, the usual score, has an average
// precision of .64 at asymmetric .4. The interval of the noise rate holds the truth, and
// no fold of the second networks is in the trap.
func TestAuditOfMNIST(t *testing.T) {
	for name, tt := range map[string]struct{ precision, inverse, f1 float64 }{
		"symmetric_2":  {.99, .985, .955},
		"asymmetric_4": {.985, .95, .96},
	} {
		d := correctiontest.ReadRecorded(t, name, 12000, 10)
		wrong := func(x int) bool { return d.Labels[x] != d.Given[x] }
		e, err := estimators.Estimate(correctiontest.Digits, d.First, d.Given, estimators.Options{Name: "vertices", Prior: 1})
		if err != nil {
			t.Fatal(err)
		}
		g, temperature, err := Calibrate(d.Second, d.Given, e.T)
		if err != nil {
			t.Fatal(err)
		}
		a := mustAudit(t, g, d.Given, e.T)
		number, hits := 0., 0.
		for x, w := range a.Wrong {
			number += oneIf(wrong(x))
			hits += oneIf(wrong(x) && w > .5)
		}
		precision, f1 := correctiontest.AveragePrecision(a.Order(), wrong), 2*hits/(number+float64(a.Flagged()))
		iv, err := NewIntervals(e, a, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		rate := number / float64(len(d.Given))
		noisy, _, err := Calibrate(d.First, d.Given, mustIdentity(t))
		if err != nil {
			t.Fatal(err)
		}
		clean, err := CleanPosteriors(noisy, e.T)
		if err != nil {
			t.Fatal(err)
		}
		inverse := correctiontest.AveragePrecision(mustAudit(t, clean, d.Given, e.T).Order(), wrong)
		t.Logf("%s: precision %.4f, by the inverse %.4f, F1 %.4f, temperature %.2f, %.0f wrong, %.0f expected, rate %.4f in %.4f, disagreement %.3f",
			name, precision, inverse, f1, temperature, number, a.ExpectedWrong, rate, iv.NoiseRate, e.Disagreement)
		if precision < tt.precision || f1 < tt.f1 || inverse < tt.inverse {
			t.Errorf("%s: average precision %.4f, F1 %.4f, by the inverse %.4f", name, precision, f1, inverse)
		}
		if iv.NoiseRate.Low > rate || iv.NoiseRate.High < rate || iv.NoiseRate.High-iv.NoiseRate.Low > .05 {
			t.Errorf("%s: noise rate %.4f, interval %.4f", name, rate, iv.NoiseRate)
		}
		everyone := make([]int, len(d.Given))
		for x := range everyone {
			everyone[x] = x
		}
		if trapped := e.Trapped(g, everyone); trapped != nil {
			t.Errorf("%s: classes %v are trapped", name, trapped)
		}
	}
}

func mustIdentity(t *testing.T) *correction.Matrix {
	t.Helper()
	m, err := correction.Identity(correctiontest.Digits)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Of 20 draws of the labels, 90 % intervals of the noise rate hold the truth in 16 or
// more. The networks have seen another draw, as out-of-fold networks have seen no label of
// the examples that they judge.
func TestIntervalsCoverOnMNIST(t *testing.T) {
	symmetric, err := correction.Symmetric(correctiontest.Digits, .2)
	if err != nil {
		t.Fatal(err)
	}
	covered := 0
	for name, m := range map[string]*correction.Matrix{"symmetric_2": symmetric, "asymmetric_4": correctiontest.HighNoise(t, .4)} {
		d := correctiontest.ReadRecorded(t, name, 12000, 10)
		for seed := range uint64(10) {
			rng := rand.New(rand.NewPCG(seed, 95))
			given, err := m.Corrupt(d.Labels, rng)
			if err != nil {
				t.Fatal(err)
			}
			e, err := estimators.Estimate(correctiontest.Digits, d.First, given, estimators.Options{Name: "vertices", Prior: 1})
			if err != nil {
				t.Fatal(err)
			}
			g, _, err := Calibrate(d.Second, given, e.T)
			if err != nil {
				t.Fatal(err)
			}
			iv, err := NewIntervals(e, mustAudit(t, g, given, e.T), rng)
			if err != nil {
				t.Fatal(err)
			}
			wrong := 0.
			for x, y := range given {
				wrong += oneIf(y != d.Labels[x])
			}
			rate := wrong / float64(len(given))
			t.Logf("%s: %.4f in %.4f", name, rate, iv.NoiseRate)
			covered += int(oneIf(iv.NoiseRate.Low <= rate && rate <= iv.NoiseRate.High))
		}
	}
	if covered < 16 {
		t.Errorf("the noise rate is in %d of 20 intervals", covered)
	}
}
