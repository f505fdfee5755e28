package estimators

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/correctiontest"
)

// Theorem 3: with one anchor a class and the exact noisy posterior, the argmax
// estimator returns T. The oracle is T itself; float32 logits leave 1e-6.
func TestTheorem3Argmax(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 50 {
		c := 2 + rng.IntN(7)
		m := correctiontest.RandomMatrix(t, rng, c)
		clean := correctiontest.Simplex(rng, 40*c, c, func(k int) float64 {
			if k >= 30*c && k < 31*c {
				return 1
			}
			return 0
		})
		e, err := Estimate(m.Classes(), correctiontest.NoisyLogits(m, clean), nil, Options{Name: "argmax"})
		if err != nil {
			t.Fatal(err)
		}
		if got := correction.RowError(e.T, m); got > 1e-6*float64(c) {
			t.Errorf("c = %d: row error %v", c, got)
		}
		for i, x := range e.Anchors {
			if x != 30*c+i%c {
				t.Errorf("anchor of class %d is %d, want %d", i, x, 30*c+i%c)
			}
		}
		if len(e.Warnings) != 0 {
			t.Errorf("warnings %q for an exact estimate", e.Warnings)
		}
	}
}

// The cutting estimators step back from the corner; with many examples near
// it T comes out to about the distance of the 97th percentile from it.
func TestTheorem3Quantiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	const c, n = 5, 5000
	for _, name := range []string{"percentile", "class-quantile"} {
		m := correctiontest.RandomMatrix(t, rng, c)
		clean := correctiontest.Simplex(rng, n, c, func(int) float64 { return 1 - .02*rng.Float64() })
		noisy := make([]int, n)
		for k := range noisy {
			noisy[k] = k % c
		}
		e, err := Estimate(m.Classes(), correctiontest.NoisyLogits(m, clean), noisy, Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		if got := correction.RowError(e.T, m); got > .02 || got < 1e-6 {
			t.Errorf("%s: row error %v, want one in [1e-6, .02]", name, got)
		}
		if slices.Contains(e.Anchors, -1) || correction.RowsPermuted(e.T, m) {
			t.Errorf("%s: anchors %v, rows permuted %v", name, e.Anchors, correction.RowsPermuted(e.T, m))
		}
	}
}

// numpy 2.4.6, testdata/percentile.py; rows within 1e-12.
func TestPercentileMatchesPublished(t *testing.T) {
	text, err := os.ReadFile("testdata/percentile.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Classes int
		Logits  []float32
		Cases   []struct {
			Quantile float64
			Anchors  []int
			Rows     [][]float64
		}
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Cases) != 3 {
		t.Fatalf("%d golden cases, want 3", len(golden.Cases))
	}
	for _, want := range golden.Cases {
		before := slices.Clone(golden.Logits)
		e, err := Estimate(correctiontest.Digits[:golden.Classes], golden.Logits, nil, Options{Name: "percentile", Quantile: want.Quantile})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Anchors, e.Anchors); diff != "" {
			t.Errorf("q = %v: anchors (-want +got):\n%s", want.Quantile, diff)
		}
		if diff := cmp.Diff(want.Rows, e.T.Rows(), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("q = %v: T-hat (-want +got):\n%s", want.Quantile, diff)
		}
		if !slices.Equal(before, golden.Logits) {
			t.Error("Estimate changed the logits")
		}
		unset, err := Estimate(correctiontest.Digits[:golden.Classes], golden.Logits, nil, Options{Name: "percentile"})
		if err != nil {
			t.Fatal(err)
		}
		if is := slices.Equal(unset.Anchors, e.Anchors); is != (want.Quantile == .97) {
			t.Errorf("the anchors of q = %v are those of no q: %v; the default is .97", want.Quantile, is)
		}
	}
}

// In place, the published code zeroes p(ỹ=0|x) of example 0 for class 0 and
// then reads the zero back as part of class 1's row, where example 0 is the
// anchor too. Here the row must be example 0's posterior, whole.
func TestPercentileDoesNotEditInPlace(t *testing.T) {
	clean := [][]float64{{.55, .45}, {.5, .5}, {.8, .2}, {.1, .9}}
	var z []float32
	for _, p := range clean {
		z = append(z, float32(math.Log(p[0])), float32(math.Log(p[1])))
	}
	// Class 0 cuts .8 and .55 at the median (.525); class 1 cuts .9 and .5 and
	// falls to .45, example 0.
	e, err := Estimate(correctiontest.Digits[:2], z, nil, Options{Name: "percentile", Quantile: .5})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{1, 0}, e.Anchors); diff != "" {
		t.Fatalf("anchors (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]float64{{.5, .5}, {.55, .45}}, e.T.Rows(), cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Errorf("T-hat (-want +got):\n%s", diff)
	}
}

// The softmax of the first three rows is 1 in float64 too; logits rank them.
func TestSaturatedPosteriorsAreRanked(t *testing.T) {
	z := []float32{40, 0, 60, 0, 50, 0, 0, 45, 0, 1}
	e, err := Estimate(correctiontest.Digits[:2], z, nil, Options{Name: "argmax"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{1, 3}, e.Anchors); diff != "" {
		t.Errorf("anchors (-want +got):\n%s", diff)
	}
}

// At c = 100 the 97 % percentile removes every example of a class, the
// quantile relative to the class does not (design notes: .05 against 1).
func TestClassQuantileServesManyClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	const c, n = 100, 5000
	classes := make([]string, c)
	for i := range classes {
		classes[i] = string(rune('一' + i))
	}
	m, err := correction.Symmetric(classes, .2)
	if err != nil {
		t.Fatal(err)
	}
	clean := correctiontest.Simplex(rng, n, c, func(int) float64 { return .9 + .1*rng.Float64() })
	noisy := make([]int, n)
	for k := range noisy {
		noisy[k] = k % c
	}
	recovered := func(name string) int {
		e, err := Estimate(classes, correctiontest.NoisyLogits(m, clean), noisy, Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for i := range c {
			if e.T.At(i, i) > .5 {
				count++
			}
		}
		return count
	}
	if got := recovered("percentile"); got > 20 {
		t.Errorf("percentile recovers %d of 100 classes, want few", got)
	}
	if got := recovered("class-quantile"); got != 100 {
		t.Errorf("class-quantile recovers %d of 100 classes, want all", got)
	}
}

func TestClassQuantileAverages(t *testing.T) {
	posteriors := [][]float64{{.9, .1}, {.8, .2}, {.7, .3}, {.3, .7}, {.2, .8}, {.1, .9}}
	var z []float32
	for _, p := range posteriors {
		z = append(z, float32(math.Log(p[0])), float32(math.Log(p[1])))
	}
	noisy := []int{0, 0, 0, 1, 1, 1}
	// q = 1 - .6/2 = .7: position 3.5 of .1 .2 .3 .7 .8 .9 cuts from .75 up, so
	// that the anchor has .7; its three nearest are .6 to .8 away: .7 .8 .9.
	e, err := Estimate(correctiontest.Digits[:2], z, noisy, Options{Name: "class-quantile", Kappa: .6, Average: 3})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{2, 3}, e.Anchors); diff != "" {
		t.Errorf("anchors (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]float64{{.8, .2}, {.2, .8}}, e.T.Rows(), cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Errorf("T-hat (-want +got):\n%s", diff)
	}
}

// Where T_ki > T_ii the rows come out right and their names wrong, and the
// program must say so: the paper's asymmetric noise at N = .6.
func TestHighNoisePermutesRowsAndWarns(t *testing.T) {
	m, err := correction.Asymmetric(correctiontest.Digits, .6, correctiontest.DigitFlips)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(17, 18))
	clean := correctiontest.Simplex(rng, 1000, 10, func(k int) float64 {
		if k < 10 {
			return 1
		}
		return 0
	})
	e, err := Estimate(correctiontest.Digits, correctiontest.NoisyLogits(m, clean), nil, Options{Name: "argmax"})
	if err != nil {
		t.Fatal(err)
	}
	// 7 -> 1 beats nothing (class 1 keeps all), 2 -> 7 beats 7's .4, 5 and 6 swap.
	if diff := cmp.Diff([]int{0, 1, 2, 3, 4, 6, 5, 2, 8, 9}, e.Anchors); diff != "" {
		t.Errorf("anchors (-want +got):\n%s", diff)
	}
	if !correction.RowsPermuted(e.T, m) {
		t.Error("swapped rows 5 and 6 were not seen")
	}
	all := strings.Join(e.Warnings, "\n")
	for _, want := range []string{"does not tell classes 2, 7 apart, example 2 stands", "in class 2 (40 %), 3 (40 %)", "condition number"} {
		if !strings.Contains(all, want) {
			t.Errorf("warnings %q lack %q", all, want)
		}
	}
}

func TestEstimateRefuses(t *testing.T) {
	nan := float32(math.NaN())
	good := []float32{1, 0, 0, 1}
	for _, test := range []struct {
		name   string
		logits []float32
		noisy  []int
		opt    Options
		want   string
	}{
		{"empty", nil, nil, Options{}, "0 logits"},
		{"ragged", good[:3], nil, Options{}, "3 logits are not rows of 2 classes"},
		{"NaN", []float32{1, 0, nan, 1}, nil, Options{}, "logit of example 1 for class " + correctiontest.Digits[0] + " is NaN"},
		{"name", good, nil, Options{Name: "mean"}, `unknown estimator "mean", want one of argmax, percentile, class-quantile, vertices`},
		{"quantile", good, nil, Options{Quantile: 97}, "quantile 97, want one in (0, 1]"},
		{"no labels", good, nil, Options{Name: "class-quantile"}, "noisy labels are missing"},
		{"few labels", good, []int{0}, Options{}, "1 noisy labels for 2 rows"},
		{"label", good, []int{0, 2}, Options{}, "noisy label of example 1 is 2"},
		{"kappa", good, []int{0, 1}, Options{Name: "class-quantile", Kappa: -1}, "kappa -1"},
		{"average", good, []int{0, 1}, Options{Name: "class-quantile", Average: 3}, "average 3, want one in [1, 2]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Estimate(correctiontest.Digits[:2], test.logits, test.noisy, test.opt)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// ofPosteriors names the estimators that read posteriors, and labels at most.
func ofPosteriors() []string {
	return All.Which(func(e Entry) bool { return !e.Trusted && !e.Triples })
}

// A network that ignores its input gives equal posteriors everywhere: no
// estimate, but no crash either, and every doubt is said.
func TestFlatPosteriorsWarn(t *testing.T) {
	for _, name := range ofPosteriors() {
		e, err := Estimate(correctiontest.Digits[:2], make([]float32, 40), make([]int, 20), Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(e.Warnings, "\n")
		want := "nearly alike (condition number +Inf)"
		if name == "confident-joint" { // of the class without labels it keeps the identity's row
			want = "no example is labelled 1"
		}
		if !strings.Contains(all, "does not tell classes 0, 1 apart") || !strings.Contains(all, want) {
			t.Errorf("%s: warnings %q", name, all)
		}
	}
}

// A class that no example of X' belongs to has no anchor. Its row cannot be read
// and is named in a warning, whatever the estimator.
func TestAbsentClassIsNamed(t *testing.T) {
	classes := []string{"cat", "dog", "owl", "newt"}
	m, err := correction.Symmetric(classes, .3)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(19, 20))
	clean := correctiontest.Simplex(rng, 3000, 3, func(k int) float64 { return float64(k % 2) })
	noisy := make([]int, len(clean))
	for i := range clean {
		clean[i] = append(clean[i], 0)
		noisy[i] = i % 3
	}
	for _, name := range ofPosteriors() { // gold's error names it
		for _, labels := range [][]int{noisy, append(slices.Clone(noisy[1:]), 3)} {
			e, err := Estimate(classes, correctiontest.NoisyLogits(m, clean), labels, Options{Name: name})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if all := strings.Join(e.Warnings, "\n"); !strings.Contains(all, "newt") {
				t.Errorf("%s: warnings %q do not name the class without examples", name, all)
			}
			if counts := []string{"vertices", "held-out", "dual-t", "confident-joint"}; !slices.Contains(counts, name) && math.Abs(e.T.At(0, 0)-.7) > .05 {
				t.Errorf("%s: row of cat has %.3f on the diagonal, want .7", name, e.T.At(0, 0))
			}
		}
	}
}
