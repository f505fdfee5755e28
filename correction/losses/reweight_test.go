package losses_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// goldenT keeps .6 of the labels of each class, gives .3 to the next one and .1 to the
// one after it, as testdata/losses.py has it.
func goldenT(t testing.TB, c int) *correction.Matrix {
	t.Helper()
	rows := make([][]float64, c)
	for i := range rows {
		rows[i] = make([]float64, c)
		for step, share := range []float64{.6, .3, .1} {
			rows[i][(i+step)%c] += share
		}
	}
	m, err := correction.NewMatrix(names(c), rows)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// reweighting returns the loss that it trains with.
func reweighting(t testing.TB, m *correction.Matrix, o losses.Options) losses.Loss {
	t.Helper()
	loss, err := losses.NewReweight(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return trained{loss.(losses.Trainer)}
}

// Its gradient takes the weights as constant, so that differences do not show it.
func TestReweightEqualsFormula(t *testing.T) {
	checkGolden(t, "reweight", func(c int, o losses.Options) losses.Loss { return reweighting(t, goldenT(t, c), o) }, true)
}

// The expectation over the noisy label is the clean cross-entropy where the network has
// the true probabilities: Liu and Tao's theorem.
func TestReweightIsUnbiased(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(81, 82))
		const c = 4
		m := randomMatrix(t, rng, c)
		loss, exact := reweighting(t, m, double), losses.NewCrossEntropy(c, double)
		z := normal(rng, 1, 1, c)
		p := torch.Slice[float64](z.Softmax(1))
		clean, noisy := 0., 0.
		for y := range c {
			label := torch.FromSlice([]int64{int64(y)})
			clean += p[y] * exact.Apply(z, label).Item()
			share := 0.
			for k := range c {
				share += p[k] * m.At(k, y)
			}
			noisy += share * loss.Apply(z, label).Item()
		}
		torchtest.Near(t, "expected loss", []float64{noisy}, []float64{clean}, 1e-12)
	})
}

// Validation has forward's loss, and T with a class that never keeps its label is
// refused.
func TestReweightInValidation(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(83, 84))
		m := randomMatrix(t, rng, 3)
		loss, err := losses.NewReweight(m, double)
		if err != nil {
			t.Fatal(err)
		}
		z, y := normal(rng, 2, 6, 3), labelsOf(rng, 6, 3)
		torchtest.Close(t, "in validation", loss.Apply(z, y), []float64{losses.NewForward(m, double).Apply(z, y).Item()}, 0)
		if weighted := (trained{loss.(losses.Trainer)}).Apply(z, y).Item(); math.Abs(weighted-loss.Apply(z, y).Item()) < 1e-3 {
			t.Errorf("the loss of training is that of validation, %v", weighted)
		}
		never, err := correction.NewMatrix(names(3), [][]float64{{1, 0, 0}, {0, 0, 1}, {0, 0, 1}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := losses.NewReweight(never, double); err == nil {
			t.Error("a class that never keeps its label was accepted")
		}
	})
}
