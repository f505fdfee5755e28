package judging

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/correctiontest"
	"github.com/losscorr/losscorr/correction/estimators"
)

func TestWeak(t *testing.T) {
	rng := rand.New(rand.NewPCG(85, 86))
	for _, tt := range []struct {
		n     int
		right float64 // share of examples whose given label is predicted, beyond chance
		want  bool
	}{{10000, 0, true}, {10000, .04, true}, {10000, .1, false}, {100, .1, true}, {100, .8, false}} {
		posteriors, labels := make([]float32, 2*tt.n), make([]int, tt.n)
		for x := range labels {
			labels[x] = rng.IntN(2)
			guess := rng.IntN(2)
			if rng.Float64() < tt.right {
				guess = labels[x]
			}
			posteriors[2*x+guess] = 1
		}
		identity, err := correction.Identity([]string{"cat", "dog"})
		if err != nil {
			t.Fatal(err)
		}
		e := &estimators.Estimation{T: identity}
		warning, weak := Weak(e, posteriors, labels)
		if weak != tt.want || weak != strings.Contains(warning, "too weak to find wrong labels") {
			t.Errorf("%d examples, %v beyond chance: weak is %v, %q", tt.n, tt.right, weak, warning)
		}
		e.Nameless = []int{1}
		if warning, weak := Weak(e, posteriors, labels); !weak || !strings.Contains(warning, "too weak to find wrong labels") {
			t.Errorf("%v beyond chance, a row of two without a name: %q", tt.right, warning)
		}
	}
}

// Networks that order the examples well are not weak although their likeliest class is the frequent one nearly
// always; networks that know but how frequent the classes are, are.
func TestWeakOfOneFrequentClass(t *testing.T) {
	rng := rand.New(rand.NewPCG(87, 88))
	identity, err := correction.Identity([]string{"neg", "pos"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		known float64 // how far apart the classes are, in standard deviations
		want  bool
	}{{1.2, false}, {0, true}} {
		logits, labels := make([]float32, 2*1000), make([]int, 1000)
		hits := 0
		for x := range labels {
			if rng.Float64() < .7 {
				labels[x] = 1
			}
			// Half of the log-odds of pos, of normal scores with these means, and what makes pos likelier.
			z := rng.NormFloat64() + tt.known*(float64(labels[x])-.5)
			logits[2*x+1] = float32(.5*tt.known*z + 2.2)
			if (logits[2*x+1] > 0) == (labels[x] == 1) {
				hits++
			}
		}
		if hits > 730 {
			t.Fatalf("%d labels are predicted with 700 of pos: this is no test", hits)
		}
		if warning, weak := Weak(&estimators.Estimation{T: identity}, logits, labels); weak != tt.want {
			t.Errorf("classes %v apart: weak is %v, %q", tt.known, weak, warning)
		}
	}
}

// Where 30 % of the labels are wrong, networks that know nearly every example are not weak; networks that hardly see what a class is like are, also where all labels are
// right.
func TestWeakTellsNoiseFromIgnorance(t *testing.T) {
	d := correctiontest.ReadRecorded(t, "asymmetric_6", 12000, 10)
	var trusted []correction.Trusted
	for x := range 300 {
		trusted = append(trusted, correction.Trusted{Index: x, Label: d.Labels[x]})
	}
	found, err := estimators.Estimate(correctiontest.Digits, d.First, d.Given, estimators.Options{Name: "vertices", Prior: 1, Trusted: trusted})
	if err != nil {
		t.Fatal(err)
	}
	if right := found.T.Trace() / 10; right > mostlyRight+.01 {
		t.Fatalf("%.2f of the labels are right: this is no test", right)
	}
	if warning, weak := Weak(found, d.First, d.Given); weak {
		t.Errorf("networks that know %.2f of the examples: %s", found.Known(d.First), warning)
	}
	rng := rand.New(rand.NewPCG(95, 96))
	const n = 2000
	logits, labels := make([]float32, n*10), make([]int, n)
	for x := range labels {
		labels[x] = rng.IntN(10)
		for k := range 10 {
			logits[x*10+k] = 1.5 * rng.Float32()
		}
		logits[x*10+labels[x]] += .5
	}
	if found, err = estimators.Estimate(correctiontest.Digits, logits, labels, estimators.Options{Name: "vertices", Prior: 1}); err != nil {
		t.Fatal(err)
	}
	if _, weak := Weak(found, logits, labels); !weak {
		t.Errorf("networks that know %.2f of the examples say that %.2f of the labels are right", found.Known(logits), found.T.Trace()/10)
	}
}

// A class of a few misspelt labels, one of which is foretold, does not make networks weak.
func TestWeakLeavesRareClassesOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(89, 90))
	logits, labels := make([]float32, 3*1000), make([]int, 1000)
	for x := range labels {
		labels[x] = rng.IntN(2)
		logits[3*x+labels[x]], logits[3*x+2] = 1+rng.Float32(), -5
		if rng.Float64() < .28 {
			labels[x] = 1 - labels[x]
		}
	}
	labels[0], labels[1], labels[2], logits[2] = 2, 2, 2, 5
	if s := skillOf(logits, labels, 3); s.classes != 2 || s.little() {
		t.Errorf("%+v", s)
	}
	e, err := estimators.Estimate([]string{"pos", "neg", "ngative"}, logits, labels, estimators.Options{Name: "vertices", Prior: 1})
	if err != nil {
		t.Fatal(err)
	}
	if warning, weak := Weak(e, logits, labels); weak {
		t.Error(warning)
	}
}

// cloudy are networks that know few examples for sure, of 15 classes of which the last five are a tenth as large as the
// others, and labels with mistakes by m. Their logits are those of the true class: linear networks do not learn where
// one label cannot be foretold, and level off there.
func cloudy(t *testing.T, m *correction.Matrix, least float32) (logits []float32, labels []int, e *estimators.Estimation) {
	t.Helper()
	rng := rand.New(rand.NewPCG(97, 98))
	c := m.Dim()
	for range 3000 {
		y := rng.IntN(c - 5)
		if rng.IntN(20) == 0 {
			y = c - 5 + rng.IntN(5)
		}
		row := make([]float32, c)
		for k := range row {
			row[k] = 1.2 * float32(rng.NormFloat64())
		}
		row[y] += least + 3.5*rng.Float32()
		logits = append(logits, row...)
		given, u := 0, rng.Float64()
		for u -= m.At(y, given); u >= 0 && given < c-1; u -= m.At(y, given) {
			given++
		}
		labels = append(labels, given)
	}
	e, err := estimators.Estimate(m.Classes(), logits, labels, estimators.Options{Name: "vertices", Prior: 1})
	if err != nil {
		t.Fatal(err)
	}
	return logits, labels, e
}

// cloudyNoise makes labels of 15 classes wrong.
func cloudyNoise(t *testing.T, noise float64) *correction.Matrix {
	t.Helper()
	m, err := correction.Symmetric(strings.Split("abcdefghijklmno", ""), noise)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Of many classes, of which some are small, T is fitted to all labels where networks know half of the examples and the
// labels show that many are wrong; networks that know less are weak.
func TestWeakFitsT(t *testing.T) {
	for _, tt := range []struct {
		noise      float64
		least      float32
		weak, fits bool
	}{{.3, 1, false, true}, {.3, 0, true, false}, {0, 1, false, false}, {0, 0, true, false}} {
		m := cloudyNoise(t, tt.noise)
		logits, labels, e := cloudy(t, m, tt.least)
		before := correction.RowError(e.T, m)
		if warning, weak := Weak(e, logits, labels); weak != tt.weak || e.Fitted != tt.fits {
			t.Errorf("noise %v, %v: weak %v (%s), fitted %v", tt.noise, tt.least, weak, warning, e.Fitted)
		}
		if after := correction.RowError(e.T, m); tt.fits && (before < .3 || after > .1) {
			t.Errorf("T is %.3f off, before %.3f", after, before)
		}
	}
}

// Of a row that is another class's nearly altogether, the one that is fitted is taken.
func TestWeakReplacesForeignRows(t *testing.T) {
	m := cloudyNoise(t, .2)
	logits, labels, e := cloudy(t, m, 3)
	rows := e.T.Rows()
	rows[12] = slices.Clone(rows[3])
	e.T, e.Unnamed = correction.Normalized(m.Classes(), rows), []int{12}
	if warning, weak := Weak(e, logits, labels); weak {
		t.Fatal(warning)
	}
	for i, row := range rows {
		switch d := floats.Distance(e.T.Row(i), m.Row(i), 1); {
		case i == 12 && d > .2:
			t.Errorf("the foreign row is still %.2f off", d)
		case i != 12 && floats.Distance(e.T.Row(i), row, 1) > 1e-9:
			t.Errorf("row %d is another one", i)
		}
	}
}
