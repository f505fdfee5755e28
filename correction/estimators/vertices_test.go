package estimators

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/correctiontest"
)

// Where every class keeps most of its labels, vertices give T under its own
// names from labels alone. The rows are counts among k = .2 n/c = 200 examples,
// whose expected L1 error is that of a multinomial, sqrt(2/pi) sum_j
// sqrt(T_ij (1-T_ij) / k); the rest is for vertices that are not quite corners.
func TestVerticesGiveT(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for _, c := range []int{2, 5, 10} {
		for k := range 4 {
			m := correctiontest.RandomMatrix(t, rng, c)
			found := estimateExample(t, correctiontest.NewExample(t, rng, m, 1000*c), Options{Name: "vertices"})
			counting := 0.0
			for _, row := range m.Rows() {
				for _, v := range row {
					counting += math.Sqrt(2/math.Pi*v*(1-v)/200) / float64(c)
				}
			}
			if got := correction.RowError(found.T, m); got > 1.2*counting+.03 {
				t.Errorf("c = %d, matrix %d: row error %.3f, of which counting makes %.3f", c, k, got, counting)
			}
			if correction.RowsPermuted(found.T, m) {
				t.Errorf("c = %d, matrix %d: rows are permuted", c, k)
			}
		}
	}
}

// rowsApart is the mean L1 distance of rows under the best of all names.
func rowsApart(a, b *correction.Matrix) float64 {
	cost := correction.RowDistances(a, b)
	sum := 0.0
	for i, j := range correction.Assign(cost) {
		sum += cost[i][j] / float64(len(cost))
	}
	return sum
}

// Under the paper's asymmetric noise at .6 all rows are found, which argmax and
// its kin cannot; labels alone swap 5 and 6, whose rows a trace cannot tell
// apart, and two trusted labels a class put them right.
func TestTrustedLabelsNameTheRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	m := correctiontest.HighNoise(t, .6)
	e := correctiontest.NewExample(t, rng, m, 10000)
	alone := estimateExample(t, e, Options{Name: "vertices"})
	if got := rowsApart(alone.T, m); got > .05 {
		t.Errorf("rows by the best names are %.3f off", got)
	}
	if !correction.RowsPermuted(alone.T, m) {
		t.Error("labels alone tell 5 from 6")
	}
	if alone.T.At(2, 7) < .5 || alone.T.At(7, 1) < .5 {
		t.Errorf("rows 2 and 7 are %.2f", [][]float64{alone.T.Rows()[2], alone.T.Rows()[7]})
	}
	all := strings.Join(alone.Warnings, "\n")
	for _, want := range []string{"fewer than half of the labels are right", "by vertices and by class-quantile, differ for 7 (by 55 % of its labels), 6 (by 8 % of its labels)"} {
		if !strings.Contains(all, want) {
			t.Errorf("warnings %q lack %q", all, want)
		}
	}
	if cut := estimateExample(t, e, Options{Name: "class-quantile"}); rowsApart(cut.T, m) < .1 || alone.Disagreement < .1 {
		t.Errorf("class-quantile is %.3f off and disagrees by %.3f: this noise is no test", rowsApart(cut.T, m), alone.Disagreement)
	}

	// Trusted labels of near-perfect examples: of posteriors from the corners.
	order := rng.Perm(len(e.Labels))
	trusted := correction.DrawTrusted(e.Labels, order, 5)
	named := estimateExample(t, e, Options{Name: "vertices", Trusted: trusted})
	if got := correction.RowError(named.T, m); got > .05 || correction.RowsPermuted(named.T, m) {
		t.Errorf("with trusted labels the row error is %.3f, rows permuted: %v", got, correction.RowsPermuted(named.T, m))
	}
	if slices.ContainsFunc(named.Warnings, func(w string) bool { return strings.Contains(w, "fewer than half") }) {
		t.Errorf("warnings %q doubt names that trusted labels have settled", named.Warnings)
	}
}

// Beside every estimator stands another one. Where the two disagree, and where the
// other one fails, the warnings say so. A kappa of 1 cuts too deep: it makes
// class-quantile disagree with all.
func TestSecondEstimate(t *testing.T) {
	e := correctiontest.NewExample(t, rand.New(rand.NewPCG(33, 34)), correctiontest.HighNoise(t, .6), 10000)
	for _, name := range ofPosteriors() {
		other := "class-quantile"
		if name == "class-quantile" {
			other = "vertices"
		}
		for _, tt := range []struct {
			kappa float64
			want  string
		}{
			{1, fmt.Sprintf("two estimates of how labels go wrong, by %s and by %s, differ for", name, other)},
			{7, "could not be compared with a second one, by class-quantile: kappa 7"},
		} {
			if tt.kappa > 1 && name == "class-quantile" {
				continue // it is the first estimate, and fails
			}
			found := estimateExample(t, e, Options{Name: name, Kappa: tt.kappa})
			if all := strings.Join(found.Warnings, "\n"); !strings.Contains(all, tt.want) {
				t.Errorf("%s, kappa %v: warnings %q lack %q", name, tt.kappa, all, tt.want)
			}
			distance := 0.0
			if tt.kappa == 1 {
				distance = correction.RowError(found.T, estimateExample(t, e, Options{Name: other, Kappa: tt.kappa}).T)
			}
			if found.Disagreement != distance || (distance > 0) != (tt.kappa == 1) {
				t.Errorf("%s, kappa %v: disagreement %v, want %v", name, tt.kappa, found.Disagreement, distance)
			}
		}
	}
}

// At .6 rows 2 and 7 both look to class 7, and scatter around row 2, such as a
// trained network's, reaches beyond what is left of row 7 once row 2 is
// projected out: the search must not come back to row 2. A row that is lost
// costs .1 beside the .09 of counting among 200 scattered examples.
func TestVerticesTellNearDirectionsApart(t *testing.T) {
	m := correctiontest.HighNoise(t, .6)
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 45))
		e := correctiontest.NewExample(t, rng, m, 10000)
		for x, y := range e.Labels {
			scatter := float32(.3 * rng.NormFloat64())
			if slices.Contains([]int{2, 3, 5, 6, 7}, y) {
				e.Logits[10*x+y] += scatter
			}
		}
		if got := rowsApart(estimateExample(t, e, Options{Name: "vertices"}).T, m); got > .12 {
			t.Errorf("seed %d: rows by the best names are %.3f off", seed, got)
		}
	}
}

// Any one-to-one noise, the diagonal empty, is found once named.
func TestPermutedNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	const c = 6
	rows := make([][]float64, c)
	for i := range rows {
		rows[i] = make([]float64, c)
		for j := range rows[i] {
			rows[i][j] = .04
		}
		rows[i][(i+1)%c] = .8
	}
	m, err := correction.NewMatrix(classNames(c), rows)
	if err != nil {
		t.Fatal(err)
	}
	e := correctiontest.NewExample(t, rng, m, 6000)
	for _, name := range []string{"argmax", "percentile", "class-quantile", "vertices"} {
		if alone := estimateExample(t, e, Options{Name: name}); correction.RowError(alone.T, m) < 1 {
			t.Errorf("%s: labels alone name the rows of a noise that has them all swapped", name)
		}
		named := estimateExample(t, e, Options{Name: name, Trusted: correction.DrawTrusted(e.Labels, rng.Perm(6000), 5)})
		if got := correction.RowError(named.T, m); got > .1 {
			t.Errorf("%s: row error %.3f with trusted labels", name, got)
		}
	}
}

func classNames(c int) []string {
	out := make([]string, c)
	for i := range out {
		out[i] = fmt.Sprint("class ", i)
	}
	return out
}

// Trusted labels of 5 and 6 name their rows. Which ones are those of 2 and 7 stays open, and is said.
func TestSomeTrustedLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	m := correctiontest.HighNoise(t, .6)
	e := correctiontest.NewExample(t, rng, m, 10000)
	var trusted []correction.Trusted
	for _, k := range correction.DrawTrusted(e.Labels, rng.Perm(len(e.Labels)), 5) {
		if k.Label == 5 || k.Label == 6 {
			trusted = append(trusted, k)
		}
	}
	found := estimateExample(t, e, Options{Name: "vertices", Trusted: trusted})
	if got := correction.RowError(found.T, m); got > .05 {
		t.Errorf("row error %.3f", got)
	}
	if all := strings.Join(found.Warnings, "\n"); !strings.Contains(all, "do not decide which rows of T-hat are those of 2, 7,") {
		t.Errorf("warnings %q", all)
	}
}

// Examples of class 3 trusted as 3 and as 5 contradict the network, and that is said.
func TestContradictingTrustedLabelsWarn(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 40))
	e := correctiontest.NewExample(t, rng, correctiontest.HighNoise(t, .2), 10000)
	var trusted []correction.Trusted
	threes := 0
	for _, example := range correction.DrawTrusted(e.Labels, rng.Perm(len(e.Labels)), 6) {
		switch example.Label {
		case 5:
			continue
		case 3:
			example.Label += 2 * (threes % 2)
			threes++
		}
		trusted = append(trusted, example)
	}
	found := estimateExample(t, e, Options{Name: "vertices", Trusted: trusted})
	all := strings.Join(found.Warnings, "\n")
	if !strings.Contains(all, "look like another one: 5 like 3") {
		t.Errorf("warnings %q", all)
	}
}

// The oracle is a full sort.
func TestSelectLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for range 500 {
		n := 1 + rng.IntN(60)
		key, order := make([]float64, n), rng.Perm(n)
		for x := range key {
			key[x] = float64(rng.IntN(10)) // with ties
		}
		want := slices.Sorted(slices.Values(order))
		slices.SortStableFunc(want, func(a, b int) int { return int(key[a] - key[b]) })
		k := 1 + rng.IntN(n)
		selectLeast(order, key, k)
		if diff := cmp.Diff(slices.Sorted(slices.Values(want[:k])), slices.Sorted(slices.Values(order[:k]))); diff != "" {
			t.Fatalf("%d of %v (-want +got):\n%s", k, key, diff)
		}
	}
}

func TestReadTrustedCSV(t *testing.T) {
	classes := []string{"cat", "dog", "0"}
	path := filepath.Join(t.TempDir(), "trusted.csv")
	read := func(text string) ([]correction.Trusted, error) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return correction.ReadTrustedCSV(path, 5, classes)
	}
	got, err := read("\ufeffindex,label\r\n4,dog\r\n0,1\r\n2,0\r\n")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]correction.Trusted{{Index: 4, Label: 1}, {Index: 0, Label: 1}, {Index: 2, Label: 2}}, got); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	for text, want := range map[string]string{
		"":                            "trusted.csv: no label",
		"index,label\n":               "trusted.csv: no label",
		"x,label\n":                   ":1: header",
		"index,label\n5,cat\n":        `:2: index "5", want a whole number in [0, 5)`,
		"index,label\n1,cat\n1,cat\n": ":3: example 1 appears in line 2 already",
		"index,label\n1,cow\n":        `:2: no class "cow"; known: cat, dog, 0`,
		"index,label\n1,3\n":          `:2: no class "3"`,
		"index,label\n1,cat,3\n":      ":2:1: wrong number of fields",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func TestDrawTrusted(t *testing.T) {
	got := correction.DrawTrusted([]int{0, 1, 0, 0, 2}, []int{3, 4, 2, 1, 0}, 2)
	if diff := cmp.Diff([]correction.Trusted{{Index: 3, Label: 0}, {Index: 4, Label: 2}, {Index: 2, Label: 0}, {Index: 1, Label: 1}}, got); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
}

func TestEstimateRefusesTrusted(t *testing.T) {
	for want, trusted := range map[string]correction.Trusted{
		"trusted label of example 2, want one in [0, 2)":       {Index: 2, Label: 0},
		"trusted label of example 1 is -1, want one in [0, 2)": {Index: 1, Label: -1},
	} {
		_, err := Estimate(correctiontest.Digits[:2], []float32{1, 0, 0, 1}, []int{0, 1}, Options{Name: "vertices", Trusted: []correction.Trusted{trusted}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	_, err := Estimate(correctiontest.Digits[:2], []float32{1, 0, 0, 1}, nil, Options{Name: "vertices"})
	if err == nil || !strings.Contains(err.Error(), "vertices: noisy labels are missing") {
		t.Errorf("without labels the error is %v", err)
	}
}

func BenchmarkVertices(b *testing.B) {
	for _, size := range []struct{ n, c int }{{60000, 10}, {50000, 100}} {
		b.Run(fmt.Sprintf("%dx%d", size.n, size.c), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(43, 44))
			m, err := correction.Symmetric(classNames(size.c), .2)
			if err != nil {
				b.Fatal(err)
			}
			clean := correctiontest.Simplex(rng, size.n, size.c, func(int) float64 { return 1 - math.Pow(rng.Float64(), 3) })
			logits := correctiontest.NoisyLogits(m, clean)
			noisy := make([]int, size.n)
			for x := range noisy {
				noisy[x] = x % size.c
			}
			for b.Loop() {
				if _, err := Estimate(m.Classes(), logits, noisy, Options{Name: "vertices"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Alone leaves out the second estimate and changes nothing else.
func TestEstimateAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	e := correctiontest.NewExample(t, rng, correctiontest.HighNoise(t, .3), 2000)
	beside, alone := estimateExample(t, e, Options{}), estimateExample(t, e, Options{Alone: true})
	if beside.Disagreement == 0 || alone.Disagreement != 0 || correction.RowError(beside.T, alone.T) != 0 {
		t.Errorf("disagreement %v and alone %v, the estimates differ by %v", beside.Disagreement, alone.Disagreement, correction.RowError(beside.T, alone.T))
	}
}

func estimateExample(t *testing.T, e correctiontest.Example, opt Options) *Estimation {
	t.Helper()
	found, err := Estimate(e.T.Classes(), e.Logits, e.Noisy, opt)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
