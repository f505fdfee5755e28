package correction

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// recorded is out-of-fold logits of first and second networks on examples with wrong labels;
// testdata/audit.py and recorded.py make them.
type recorded struct {
	labels, given []int
	first, second []float32
}

func readRecorded(t *testing.T, name string, examples, c int) recorded {
	t.Helper()
	packed, err := os.ReadFile("testdata/audit_" + name + ".bin.gz")
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil || len(data) != examples*(2+2*c) {
		t.Fatalf("%d bytes: %v", len(data), err)
	}
	var d recorded
	for row := range slices.Chunk(data, 2+2*c) {
		d.labels, d.given = append(d.labels, int(row[0])), append(d.given, int(row[1]))
		for k, v := range row[2:] {
			if k < c {
				d.first = append(d.first, -float32(v)/4)
			} else {
				d.second = append(d.second, -float32(v)/4)
			}
		}
	}
	return d
}

// averagePrecision is the mean over the wrong labels of the share of wrong ones among
// those ranked up to it.
func averagePrecision(order []int, wrong func(x int) bool) float64 {
	hits, sum := 0., 0.
	for k, x := range order {
		if wrong(x) {
			hits++
			sum += hits / float64(k+1)
		}
	}
	return sum / hits
}

// An audit of real networks ranks, flags and counts the wrong labels of MNIST about as
// well as measured on all of it, where self-confidence, the usual score, has an average
// precision of .64 at asymmetric .4. The interval of the noise rate holds the truth, and
// no fold of the second networks is in the trap.
func TestAuditOfMNIST(t *testing.T) {
	for name, tt := range map[string]struct{ precision, inverse, f1 float64 }{
		"symmetric_2":  {.99, .985, .955},
		"asymmetric_4": {.985, .95, .96},
	} {
		d := readRecorded(t, name, 12000, 10)
		wrong := func(x int) bool { return d.labels[x] != d.given[x] }
		e, err := Estimate(digits, d.first, d.given, EstimatorOptions{Name: "vertices", Prior: 1})
		if err != nil {
			t.Fatal(err)
		}
		g, temperature, err := Calibrate(d.second, d.given, e.T)
		if err != nil {
			t.Fatal(err)
		}
		a := mustAudit(t, g, d.given, e.T)
		number, hits := 0., 0.
		for x, w := range a.Wrong {
			number += oneIf(wrong(x))
			hits += oneIf(wrong(x) && w > .5)
		}
		precision, f1 := averagePrecision(a.Order(), wrong), 2*hits/(number+float64(a.Flagged()))
		iv, err := e.Intervals(a, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		rate := number / float64(len(d.given))
		noisy, _, err := Calibrate(d.first, d.given, mustIdentity(t))
		if err != nil {
			t.Fatal(err)
		}
		clean, err := CleanPosteriors(noisy, e.T)
		if err != nil {
			t.Fatal(err)
		}
		inverse := averagePrecision(mustAudit(t, clean, d.given, e.T).Order(), wrong)
		t.Logf("%s: precision %.4f, by the inverse %.4f, F1 %.4f, temperature %.2f, %.0f wrong, %.0f expected, rate %.4f in %.4f, disagreement %.3f",
			name, precision, inverse, f1, temperature, number, a.ExpectedWrong, rate, iv.NoiseRate, e.Disagreement)
		if precision < tt.precision || f1 < tt.f1 || inverse < tt.inverse {
			t.Errorf("%s: average precision %.4f, F1 %.4f, by the inverse %.4f", name, precision, f1, inverse)
		}
		if iv.NoiseRate.Low > rate || iv.NoiseRate.High < rate || iv.NoiseRate.High-iv.NoiseRate.Low > .05 {
			t.Errorf("%s: noise rate %.4f, interval %.4f", name, rate, iv.NoiseRate)
		}
		everyone := make([]int, len(d.given))
		for x := range everyone {
			everyone[x] = x
		}
		if trapped := e.Trapped(g, everyone); trapped != nil {
			t.Errorf("%s: classes %v are trapped", name, trapped)
		}
	}
}

func mustIdentity(t *testing.T) *Matrix {
	t.Helper()
	m, err := Identity(digits)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Of 20 draws of the labels, 90 % intervals of the noise rate hold the truth in 16 or
// more. The networks have seen another draw, as out-of-fold networks have seen no label of
// the examples that they judge.
func TestIntervalsCoverOnMNIST(t *testing.T) {
	symmetric, err := Symmetric(digits, .2)
	if err != nil {
		t.Fatal(err)
	}
	covered := 0
	for name, m := range map[string]*Matrix{"symmetric_2": symmetric, "asymmetric_4": highNoise(t, .4)} {
		d := readRecorded(t, name, 12000, 10)
		for seed := range uint64(10) {
			rng := rand.New(rand.NewPCG(seed, 95))
			given, err := m.Corrupt(d.labels, rng)
			if err != nil {
				t.Fatal(err)
			}
			e, err := Estimate(digits, d.first, given, EstimatorOptions{Name: "vertices", Prior: 1})
			if err != nil {
				t.Fatal(err)
			}
			g, _, err := Calibrate(d.second, given, e.T)
			if err != nil {
				t.Fatal(err)
			}
			iv, err := e.Intervals(mustAudit(t, g, given, e.T), rng)
			if err != nil {
				t.Fatal(err)
			}
			wrong := 0.
			for x, y := range given {
				wrong += oneIf(y != d.labels[x])
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
