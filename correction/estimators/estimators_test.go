package estimators

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

func estimateExample(t *testing.T, e correctiontest.Example, opt Options) *Estimation {
	t.Helper()
	return estimated(t, e.T.Classes(), e.Logits, e.Noisy, opt)
}

func estimated(t *testing.T, classes []string, logits []float32, noisy []int, opt Options) *Estimation {
	t.Helper()
	return expect.Got(Estimate(classes, logits, noisy, opt))(t)
}

func readGolden(t *testing.T, name string, golden any) {
	t.Helper()
	raw := expect.Got(os.ReadFile("testdata/" + name + ".json"))(t)
	expect.OK(t, json.Unmarshal(raw, golden))
}

func symmetric(t *testing.T, classes []string, level float64) *correction.Matrix {
	t.Helper()
	return expect.Got(correction.Symmetric(classes, level))(t)
}

// ofPosteriors names the estimators that read only posteriors or posteriors and labels.
func ofPosteriors() []string {
	return All.Which(func(e Entry) bool { return !e.Trusted && !e.Triples })
}

// The references come from numpy and the formulas of the papers, for 12 examples of three classes. cleanlab 2.9
// counts the same confident joint but rounds it.
func TestEstimatorsEqualReferences(t *testing.T) {
	logits := []float32{
		.2, -.2, 2, 1.8, -2, 0, .3, .2, -1.9, 1.3, .3, 1.9, .4, 1.6, -1.8, 2.7, -1.3, 1.3,
		-.4, -.1, -.8, -.8, 1.5, -.1, 1.8, -2.2, 1, -1.1, .9, -1.5, -.4, .3, -.8, 1.2, .2, 2.2,
	}
	noisy := []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}
	trusted := []correction.Trusted{
		{Index: 0}, {Index: 1}, {Index: 4, Label: 1}, {Index: 7, Label: 1}, {Index: 11, Label: 2},
	}
	for name, want := range map[string][][]float64{
		"confident-joint": {
			{.461538461538, .307692307692, .230769230769},
			{0, .571428571429, .428571428571},
			{.666666666667, 0, .333333333333},
		},
		"dual-t": {
			{.513778602876, .221797754013, .264423642959},
			{.104519341679, .51697088016, .378509778162},
			{.587191371398, .084481188132, .32832744047},
		},
		"gold": {
			{.485759595641, .05283262027, .46140778409},
			{.151340646753, .75863197585, .090027377397},
			{.244728471055, .09003057317, .665240955775},
		},
	} {
		o := Options{Name: name}
		if name == "gold" {
			o.Trusted = trusted
		}
		e := estimated(t, []string{"cat", "dog", "owl"}, logits, noisy, o)
		expect.Same(t, want, e.T.Rows(), cmpopts.EquateApprox(0, 1e-7), name) // logits are float32
	}
}

// Invalid input is refused with the reason.
func TestEstimateRefuses(t *testing.T) {
	good, labels := []float32{1, 0, 0, 1}, []int{0, 1}
	trusted := func(index, label int) []correction.Trusted { return []correction.Trusted{{Index: index, Label: label}} }
	for _, tt := range []struct {
		want   string
		logits []float32
		noisy  []int
		opt    Options
	}{
		{"0 logits", nil, nil, Options{}},
		{"3 logits do not fill rows of 2 classes", good[:3], nil, Options{}},
		{"logit of example 1 for class 0 is NaN", []float32{1, 0, float32(math.NaN()), 1}, nil, Options{}},
		{`"mean": use one of argmax, percentile, class-quantile, vertices`, good, nil, Options{Name: "mean"}},
		{"quantile is 97: use more than 0", good, nil, Options{Quantile: 97}},
		{"1 noisy labels for 2 rows", good, []int{0}, Options{}},
		{"noisy label of example 1 is 2", good, []int{0, 2}, Options{}},
		{"kappa is -1", good, labels, Options{Name: "class-quantile", Kappa: -1}},
		{"average is 3: use 1 to 2", good, labels, Options{Name: "class-quantile", Average: 3}},
		{"class-quantile: noisy labels are missing", good, nil, Options{Name: "class-quantile"}},
		{"vertices: noisy labels are missing", good, nil, Options{Name: "vertices"}},
		{"confident-joint: noisy labels are missing", good, nil, Options{Name: "confident-joint"}},
		{"dual-t: noisy labels are missing", good, nil, Options{Name: "dual-t"}},
		{"hoc: noisy labels are missing", good, nil, Options{Name: "hoc"}},
		{"two neighbours", good, labels, Options{Name: "hoc"}},
		{"triple [0 1 2]", good, labels, Options{Name: "hoc", Triples: [][3]int{{0, 1, 2}}}},
		{"triple [0 -1 1]", good, labels, Options{Name: "hoc", Triples: [][3]int{{0, -1, 1}}}},
		{"no trusted label of 1", good, labels, Options{Name: "gold", Trusted: trusted(0, 0)}},
		{"trusted label of example 2, want one in [0, 2)", good, labels, Options{Trusted: trusted(2, 0)}},
		{"trusted label of example 1 is -1, want one in [0, 2)", good, labels, Options{Trusted: trusted(1, -1)}},
		{"prior is -1 examples", good, labels, Options{Name: "vertices", Prior: -1}},
		{"held-out example -1", good, labels, Options{Name: "held-out", Held: []int{-1}}},
		{"held-out example 2", good, labels, Options{Name: "held-out", Held: []int{2}}},
	} {
		expect.Fails(t, expect.Err(Estimate(correctiontest.Digits[:2], tt.logits, tt.noisy, tt.opt)), tt.want)
	}
	_, err := Estimate(correctiontest.Names(201), make([]float32, 201), []int{0},
		Options{Name: "hoc", Triples: [][3]int{{0, 0, 0}}})
	expect.Fails(t, err, "201 classes")
}
