package estimators

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/correctiontest"
)

// The references are computed with numpy from the formulas of the papers, for 12 examples of
// three classes; cleanlab 2.9 counts the same confident joint, which it rounds.
func TestEstimatorsEqualReferences(t *testing.T) {
	logits := []float32{
		.2, -.2, 2, 1.8, -2, 0, .3, .2, -1.9, 1.3, .3, 1.9, .4, 1.6, -1.8, 2.7, -1.3, 1.3,
		-.4, -.1, -.8, -.8, 1.5, -.1, 1.8, -2.2, 1, -1.1, .9, -1.5, -.4, .3, -.8, 1.2, .2, 2.2,
	}
	noisy := []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}
	trusted := []correction.Trusted{{Index: 0, Label: 0}, {Index: 1, Label: 0}, {Index: 4, Label: 1}, {Index: 7, Label: 1}, {Index: 11, Label: 2}}
	for name, want := range map[string][3][3]float64{
		"confident-joint": {{.461538461538, .307692307692, .230769230769}, {0, .571428571429, .428571428571}, {.666666666667, 0, .333333333333}},
		"dual-t":          {{.513778602876, .221797754013, .264423642959}, {.104519341679, .51697088016, .378509778162}, {.587191371398, .084481188132, .32832744047}},
		"gold":            {{.485759595641, .05283262027, .46140778409}, {.151340646753, .75863197585, .090027377397}, {.244728471055, .09003057317, .665240955775}},
	} {
		o := Options{Name: name}
		if name == "gold" {
			o.Trusted = trusted
		}
		e, err := Estimate([]string{"cat", "dog", "owl"}, logits, noisy, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := range 3 {
			for j := range 3 {
				if d := math.Abs(e.T.At(i, j) - want[i][j]); d > 1e-7 { // logits are float32
					t.Errorf("%s: T-hat[%d][%d] is %v, want %v", name, i, j, e.T.At(i, j), want[i][j])
				}
			}
		}
	}
}

// On exact posteriors the confident joint finds T, and so does gold where classes do not
// overlap. Dual-T finds T times T there, since both factors are T: it is for networks that are
// too certain.
func TestEstimatorsFindT(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	m := correctiontest.HighNoise(t, .3)
	overlapping := correctiontest.NewExample(t, rng, m, 10000)
	apart := correctiontest.Example{T: m, Labels: make([]int, 10000)}
	for x := range apart.Labels {
		apart.Labels[x] = x % 10
	}
	apart.Logits = correctiontest.NoisyLogits(m, correctiontest.Simplex(rng, 10000, 10, func(int) float64 { return 1 }))
	var err error
	if apart.Noisy, err = m.Corrupt(apart.Labels, rng); err != nil {
		t.Fatal(err)
	}
	var square mat.Dense
	square.Mul(m.Dense(), m.Dense())
	var rows [][]float64
	for i := range 10 {
		rows = append(rows, slices.Clone(square.RawRowView(i)))
	}
	twice, err := correction.NewMatrix(m.Classes(), rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		e    correctiontest.Example
		want *correction.Matrix
	}{{"confident-joint", overlapping, m}, {"gold", apart, m}, {"dual-t", apart, twice}} {
		found := estimateExample(t, tt.e, Options{Name: tt.name, Trusted: correction.DrawTrusted(tt.e.Labels, rng.Perm(10000), 5)})
		if got := correction.RowError(found.T, tt.want); got > .08 {
			t.Errorf("%s: row error %.3f", tt.name, got)
		}
	}
}

func TestEstimatorsRefuse(t *testing.T) {
	logits := []float32{2, 0, 0, 2, 1, 0}
	for _, tt := range []struct {
		name, want string
		noisy      []int
		trusted    []correction.Trusted
	}{
		{"confident-joint", "noisy labels are missing", nil, nil},
		{"dual-t", "noisy labels are missing", nil, nil},
		{"gold", "no trusted label of dog", []int{0, 1, 0}, []correction.Trusted{{Index: 0, Label: 0}}},
	} {
		_, err := Estimate([]string{"cat", "dog"}, logits, tt.noisy, Options{Name: tt.name, Trusted: tt.trusted})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	e, err := Estimate([]string{"cat", "dog"}, []float32{2, 0, 3, 1, 1, 0}, []int{0, 1, 0}, Options{Name: "dual-t"})
	if err != nil || !strings.Contains(strings.Join(e.Warnings, "; "), "predicts dog for no example") {
		t.Errorf("a class that is never predicted: %v, %v", err, e)
	}
}
