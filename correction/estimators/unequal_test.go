package estimators

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/correctiontest"
)

// With class sizes of 10:1 the rows of the small classes are found from few labels, and the others are as good as for
// balanced data. The tolerance is as in TestVerticesGiveT, with the number of labels that each row counts.
func TestVerticesOfUnequalClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	for _, c := range []int{2, 4, 10} {
		matrices := []*correction.Matrix{
			correctiontest.RandomMatrix(t, rng, c), correctiontest.RandomMatrix(t, rng, c),
			symmetric(t, correctiontest.Names(c), .2), symmetric(t, correctiontest.Names(c), .4),
		}
		if c == 10 {
			matrices = append(matrices, correctiontest.HighNoise(t, .2), correctiontest.HighNoise(t, .4))
		}
		for k, m := range matrices {
			e := newUnequal(t, rng, m, 2000*c)
			found := estimateExample(t, e, Options{Name: "vertices"})
			for i, row := range m.Rows() {
				size := 0
				for _, y := range e.Labels {
					if y == i {
						size++
					}
				}
				if counted := found.counted[i]; counted < size/10 || counted > size {
					t.Errorf("c = %d, matrix %d, class %d of %d examples: %d counted", c, k, i, size, counted)
				}
				got, counting := 0., 0.
				for j, v := range row {
					got += math.Abs(found.T.At(i, j) - v)
					counting += math.Sqrt(2 / math.Pi * v * (1 - v) / float64(found.counted[i]))
				}
				if got > 2.5*counting+.06 {
					t.Errorf("c = %d, matrix %d, class %d of %d examples: row error %.3f, %.3f of it from counting", c, k, i, size,
						got, counting)
				}
			}
			if correction.RowsPermuted(found.T, m) {
				t.Errorf("c = %d, matrix %d: rows are permuted", c, k)
			}
		}
	}
}

// Names maximise the trace of T-hat, however many examples each row counts: by counts, right names at 10 x .4 + 1
// would lose against 10 x .6.
func TestVerticesNameUnequalClasses(t *testing.T) {
	m := correction.Normalized([]string{"large", "small"}, [][]float64{{.4, .6}, {0, 1}})
	found := estimateExample(t, newUnequal(t, rand.New(rand.NewPCG(65, 66)), m, 8000),
		Options{Name: "vertices"})
	if slices.Max(found.counted) < 4*slices.Min(found.counted) {
		t.Fatalf("%v examples are counted: the classes are not unequal", found.counted)
	}
	if correction.RowsPermuted(found.T, m) {
		t.Errorf("T-hat is %v, T %v", found.T.Rows(), m.Rows())
	}
}

// newUnequal is correctiontest.NewExample, but every second class has a tenth of the examples of the others.
func newUnequal(t *testing.T, rng *rand.Rand, m *correction.Matrix, n int) correctiontest.Example {
	t.Helper()
	c := m.Dim()
	clean := make([][]float64, n)
	for x := range clean {
		k := rng.IntN(c)
		for k%2 == 1 && rng.IntN(10) > 0 {
			k = rng.IntN(c)
		}
		w := 1 - .05*rng.Float64()
		if rng.IntN(10) == 0 {
			w = rng.Float64()
		}
		clean[x] = correctiontest.Corner(rng, c, k, func() float64 { return w })
	}
	return correctiontest.Drawn(t, rng, m, clean)
}
