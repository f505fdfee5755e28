package judging

import (
	"math/rand/v2"
	"strings"
	"testing"

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
