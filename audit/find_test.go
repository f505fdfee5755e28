package audit

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/dataset"
)

// More examples are trained on for fewer epochs, within bounds.
func TestEpochs(t *testing.T) {
	for _, tt := range []struct {
		kind dataset.Kind
		n    int
		want int
	}{
		{dataset.Vector, 24_000, 10}, {dataset.Vector, 10, 40}, {dataset.Vector, 1_000_000, 4}, {dataset.Vector, 0, 40},
		{dataset.Text, 15_000, 10}, {dataset.Text, 100_000, 6}, {dataset.Image, 18_000, 20}, {dataset.Image, 1_000_000, 6},
	} {
		if got := Epochs(tt.kind, tt.n); got != tt.want {
			t.Errorf("%v, %d examples: %d epochs, want %d", tt.kind, tt.n, got, tt.want)
		}
	}
}

// Of given probabilities an audit finds the labels that contradict them, and what a person
// has said of a label stands.
func TestFindFromProbabilities(t *testing.T) {
	const n = 600
	rng := rand.New(rand.NewPCG(1, 2))
	d := &dataset.Dataset{Classes: []string{"cat", "dog"}, Train: dataset.Split{Labels: make([]int, n)}}
	p := make([]float32, 0, 2*n)
	wrong := map[int]bool{}
	for i := range n {
		class := i % 2
		d.Train.Labels[i] = class
		if i%10 < 2 { // 20 % of each class
			d.Train.Labels[i], wrong[i] = 1-class, true
		}
		own := float32(.78 + .02*rng.Float64())
		if class == 0 {
			p = append(p, own, 1-own)
		} else {
			p = append(p, 1-own, own)
		}
	}
	a := Audit{
		Data: d, Probabilities: p, Note: func(string) {},
		Networks: config.Config{Loss: "cross-entropy", Seed: 1, Noise: config.Noise{Kind: "none"}, Estimator: config.Estimator{Name: "vertices", Kappa: .3}},
		// The last two are a wrong label that a person has confirmed, and a right one that a
		// person has changed.
		Trusted: map[string]string{"4": "cat", "6": "cat", "8": "cat", "3": "dog", "5": "dog", "7": "dog", "0": "dog", "2": "dog"},
	}
	var folder *Folder // no networks are trained
	found, err := folder.find(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		want := wrong[i] && i != 0 || i == 2
		if w := found.audited.Wrong[i]; (w > .5) != want {
			t.Fatalf("label %d is wrong with probability %v, want %v", i, w, want)
		}
	}
	if w := found.audited.Wrong; w[0] != 0 || w[2] != 1 {
		t.Errorf("labels that a person has judged are wrong with probabilities %v and %v, want 0 and 1", w[0], w[2])
	}
	if v := found.estimation.T.At(0, 1); v < .15 || v > .25 {
		t.Errorf("T[cat][dog] is %v, want .2", v)
	}
}
