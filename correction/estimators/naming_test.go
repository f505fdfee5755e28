package estimators

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

// A kind of mistake that was not counted does not speak for another name of the row, even if people have checked only
// such mistakes: the worst labels of nearly clean data.
func TestRareMistakesKeepNames(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 97))
		const n = 3000
		logits, given := make([]float32, n*10), make([]int, n)
		var trusted []correction.Trusted
		for x := range given {
			class := rng.IntN(10)
			given[x] = class
			for k := range 10 {
				logits[x*10+k] = float32(rng.NormFloat64() / 2)
			}
			logits[x*10+class] += 5
			if class == 0 && len(trusted) < 5 {
				given[x] = 2
				trusted = append(trusted, correction.Trusted{Index: x, Label: class})
			}
		}
		o := Options{Name: "vertices", Prior: 1, Trusted: trusted, Alone: true}
		found := estimated(t, correctiontest.Digits, logits, given, o)
		if found.T.At(0, 0) < .9 || strings.Contains(strings.Join(found.Warnings, "\n"), "do not decide") {
			t.Errorf("seed %d: T-hat[0] %.3v, %v", seed, found.T.Rows()[0], found.Warnings)
		}
	}
}

// Posteriors outside of all mixtures of the rows give finite evidence.
func TestNamingOfImpossiblePosteriors(t *testing.T) {
	var logits []float32
	var given []int
	for x := range 301 {
		row := []float32{1000, 0, -1000}
		if x%2 == 1 {
			row = []float32{-1000, 0, 1000}
		}
		if x == 300 {
			row = []float32{-1000, 1000, -1000}
		}
		logits, given = append(logits, row...), append(given, x%3)
	}
	trusted := []correction.Trusted{{Index: 300, Label: 1}, {Index: 0, Label: 0}, {Index: 1, Label: 2}}
	found := estimated(t, correctiontest.Names(3), logits, given, Options{Name: "vertices", Trusted: trusted, Alone: true})
	if v := found.Evidence(logits); math.IsNaN(v.Nats) {
		t.Errorf("evidence %+v", v)
	}
}

// Answers for another row weigh at most as much as five typical examples, 5 log(.3/2 + .7 w).
func TestAnswersWeighFive(t *testing.T) {
	rows := [][]float64{{.9, .1}, {.1, .9}}
	var logits []float32
	var trusted []correction.Trusted
	for x := range 40 { // all typical of row 1 but trusted as class 0
		logits, trusted = append(logits, float32(math.Log(.1)), float32(math.Log(.9))),
			append(trusted, correction.Trusted{Index: x})
	}
	p := expect.Got(newPosteriors(logits, correctiontest.Digits[:2]))(t)
	for n, examples := range map[int]float64{1: 1, 4: 4, 6: 5, 40: 5} {
		r := reading{rows: rows, at: rows}
		got := newNaming(&r, p, trusted[:n]).evidence[0][0]
		if want := examples * math.Log(errorShare/2); math.Abs(got-want) > .05*math.Abs(want) {
			t.Errorf("%d answers weigh %v, want %v", n, got, want)
		}
	}
}

// Other names cost trace: little for two rows that share labels at .4 and .6, more for a chain of flips up to .6,
// most for symmetric noise, nothing for equal rows. A trusted label settles its pair.
func TestUnnamed(t *testing.T) {
	equal := correction.Normalized(correctiontest.Names(4), [][]float64{{.9, .1, 0, 0}, {.9, .1, 0, 0}, {0, 0, 1, 0},
		{.2, 0, 0, .8}})
	swapped := correction.Normalized([]string{"a", "b"}, [][]float64{{.2, .8}, {.7, .3}})
	for _, tt := range []struct {
		m       *correction.Matrix
		trusted []correction.Trusted
		want    []int
	}{
		{symmetric(t, correctiontest.Digits, .6), nil, nil},
		{correctiontest.HighNoise(t, .3), nil, nil},
		{correctiontest.HighNoise(t, .4), nil, []int{5, 6}},
		{correctiontest.HighNoise(t, .4), []correction.Trusted{{Index: 0, Label: 5}}, nil},
		{correctiontest.HighNoise(t, .4), []correction.Trusted{{Index: 0, Label: 4}}, []int{5, 6}},
		{correctiontest.HighNoise(t, .7), nil, []int{1, 2, 3, 5, 6, 7}},
		{equal, nil, []int{0, 1}},
		{swapped, nil, []int{0, 1}},
	} {
		names := naming{prior: tt.m.Rows(), evidence: zeros(tt.m.Dim())}
		for v, row := range names.prior {
			floats.Scale(traceOdds, row)
			for _, k := range tt.trusted { // a typical example of its class
				if v != k.Label {
					names.evidence[v][k.Label] += math.Log(errorShare / 10)
				}
			}
		}
		expect.Same(t, tt.want, names.unsure(), "unnamed", tt.m.Rows(), tt.trusted)
	}
}

// Names that are sure from noisy labels withstand trusted labels that favour others slightly, but not decisive ones.
// Open names follow any trusted label. The numbers come from a review of 54 boxes, mostly of dogs and of cats
// labelled as dogs.
func TestSureNamesNeedSureAnswers(t *testing.T) {
	prior, evidence := [][]float64{{5.55, .3}, {3.45, 2.1}}, [][]float64{{-6.3, -4.93}, {-5.2, -8.05}}
	times := func(rows [][]float64, by float64) [][]float64 {
		out := zeros(len(rows))
		for v, row := range rows {
			floats.ScaleTo(out[v], by, row)
		}
		return out
	}
	kept, swapped := []int{0, 1}, []int{1, 0}
	for _, tt := range []struct {
		prior, evidence float64
		want            []int
	}{{1, 1, kept}, {1, 2, swapped}, {.5, 1, swapped}} {
		n := naming{times(prior, tt.prior), times(evidence, tt.evidence)}
		expect.Same(t, tt.want, n.decided(), tt)
	}
}
