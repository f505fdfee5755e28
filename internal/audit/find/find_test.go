package find

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// More examples get fewer epochs and larger batches, within bounds.
func TestEpochs(t *testing.T) {
	for _, tt := range []struct {
		kind    dataset.Kind
		n, want int
	}{{dataset.Vector, 24_000, 10}, {dataset.Vector, 10, 40}, {dataset.Vector, 1_000_000, 4}, {dataset.Vector, 0, 40},
		{dataset.Text, 15_000, 10}, {dataset.Text, 100_000, 6}, {dataset.Image, 18_000, 20}} {
		if got := Epochs(tt.kind, tt.n); got != tt.want {
			t.Errorf("%v, %d examples: %d epochs, want %d", tt.kind, tt.n, got, tt.want)
		}
	}
	for _, tt := range [][3]int{{128, 128, 128}, {128, 127, 16}, {128, 64, 16}, {128, 63, 8}, {128, 4, 2}, {128, 0, 2},
		{16, 15, 2}, {1, 0, 1}} {
		if got := batchSize(tt[0], tt[1]); got != tt[2] {
			t.Errorf("usual %d, %d examples: %d, want %d", tt[0], tt[1], got, tt[2])
		}
	}
}

// The batch size depends on the training examples without those held out: 117 of 130. The fewer steps there are in
// the largest number of epochs, the higher the rate is, up to tenfold.
func TestSize(t *testing.T) {
	images := config.Config{Dataset: dataset.OwnName, BatchSize: 128, Validation: config.Holdout{Share: .1}}
	got := config.Resolved{Config: images}
	if Size(&got, 130, 0); got.Config.BatchSize != 16 || got.Config.Epochs != 40 {
		t.Errorf("%+v, want batches of 16 and 40 epochs", got.Config)
	}
	c := config.Config{Dataset: dataset.OwnName, Source: own.Source{View: "tfidf"}, BatchSize: 64,
		Validation: config.Holdout{Share: .1}}
	for _, tt := range []struct {
		n    int
		rate float64
	}{{100, .02}, {1500, .008}, {6000, .002}, {100_000, .002}} {
		for _, rate := range []float64{.002, 0} {
			got := config.Resolved{Config: c}
			Size(&got, tt.n, rate)
			if want := tt.rate * rate / .002; math.Abs(got.Config.Optimizer.LearningRate-want) > 1e-9 {
				t.Errorf("%d examples, a rate of %v: it is %v, want %v", tt.n, rate, got.Config.Optimizer.LearningRate, want)
			}
		}
	}
}

// With given probabilities, an audit finds the labels that contradict them, and keeps people's decisions.
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
		own := float32(.6 + .39*rng.Float64()) // always the largest: the networks are right
		if class == 0 {
			p = append(p, own, 1-own)
		} else {
			p = append(p, 1-own, own)
		}
	}
	a := work{
		Data: d, Probabilities: p, Host: Host{Note: func(string) {}},
		Networks: config.Config{Loss: "cross-entropy", Seed: 1, Noise: config.Noise{Kind: "none"},
			Estimator: config.Estimator{Name: "vertices", Kappa: .3}},
	}
	// People confirm a wrong label, and change a right one.
	answers := filepath.Join(t.TempDir(), "answers.csv")
	datasettest.Put(t, answers, "id,label\n4,cat\n6,cat\n8,cat\n3,dog\n5,dog\n7,dog\n0,dog\n2,dog\n")
	a.AnswersFrom = []string{answers}
	found := expect.Got(a.find(t.Context(), audit.At(t.TempDir())))(t)
	mistaken := 0
	for i := range n {
		if want := wrong[i] && i != 0 || i == 2; (found.Judgement.Wrong[i] > .5) != want {
			mistaken++
		}
	}
	if mistaken > n/50 {
		t.Errorf("%d of %d labels are judged wrongly", mistaken, n)
	}
	if w := found.Judgement.Wrong; w[0] != 0 || w[2] != 1 {
		t.Errorf("labels that a person has judged are wrong with probabilities %v and %v, want 0 and 1", w[0], w[2])
	}
	if v := found.estimation.T.At(0, 1); v < .15 || v > .25 {
		t.Errorf("T[cat][dog] is %v, want .2", v)
	}
}

// A part of the data without an example cannot be judged.
func TestBeforeTraining(t *testing.T) {
	d := &dataset.Dataset{Classes: []string{"cat", "dog"}, Train: dataset.Split{Labels: []int{0, 1, 0, 1},
		Group: []int32{1, 1, 2, 2}}}
	a := work{Data: d}
	for folds, want := range map[int]string{2: "", 3: "2 groups of examples are too few for 3 parts",
		5: "4 training examples are too few for 5 parts"} {
		a.Networks.Folds.Count = folds
		if err := a.checkParts(); err == nil && want != "" || err != nil &&
			(want == "" || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d parts: %v, want %q", folds, err, want)
		}
	}
}
