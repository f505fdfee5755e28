package find

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/correction/table"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/internal/views"
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

// errKilled ends an audit in the middle.
var errKilled = errors.New("killed")

func stopped(source own.Source) *work {
	c := config.Config{Folds: config.Folds{Count: 2}}
	c.Source = source
	return &work{
		Networks: c, Host: Host{Note: func(string) {}, Train: func(store.Plan, string) error { return errKilled }},
		Data: &dataset.Dataset{Classes: []string{"cat", "dog"}, Train: dataset.Split{Labels: []int{0, 1, 0, 1}},
			Files: []dataset.File{{Path: "a", SHA256: "1"}}},
	}
}

// The folder of a killed audit refuses an audit of other data.
func TestOneFolderForOneData(t *testing.T) {
	f := audit.At(filepath.Join(t.TempDir(), "audit"))
	if f.Begun() {
		t.Error("an empty folder has an audit")
	}
	run := func(s own.Source) error {
		_, err := stopped(s).run(t.Context(), audit.At(f.Dir()))
		return err
	}
	first := own.Source{Path: "/a", Labels: "/y.csv"}
	if err := run(first); !errors.Is(err, errKilled) || !f.Begun() {
		t.Fatal(err)
	}
	for _, same := range []own.Source{first, {Path: "/a", Labels: "/y.csv", Label: "label", Side: 8}} {
		expect.Fails(t, run(same), "", errKilled, same)
	}
	for _, s := range []own.Source{{Path: "/b", Labels: "/y.csv"}, {Path: "/a"}, {Path: "/a", Labels: "/y.csv",
		ID: "name"}} {
		expect.Says(t, run(s), "holds the audit of /a --labels /y.csv: choose another folder")
	}
	datasettest.Put(t, f.Path(audit.SourceFile), `{"source": "mine"}`)
	expect.Says(t, run(first), "not written by an audit")
}

// Two audits cannot run in one folder at the same time.
func TestFolderIsLocked(t *testing.T) {
	f := audit.At(filepath.Join(t.TempDir(), "audit"))
	expect.OK(t, f.Lock())
	expect.Fails(t, audit.At(f.Dir()).Lock(), "", audit.ErrBusy, "a second audit")
	expect.OK(t, f.Unlock(), audit.At(f.Dir()).Lock())
}

// An audit takes labels as they are, its own loss, and an estimator that counts labels.
func TestCheck(t *testing.T) {
	good := config.Config{Loss: "cross-entropy", Noise: config.Noise{Kind: "none"},
		Estimator: config.Estimator{Name: "vertices"}}
	expect.OK(t, (&work{Networks: good}).Check())
	for want, change := range map[string]func(*config.Config){
		"to add noise, use losscorr noisify": func(c *config.Config) {
			c.Noise = config.Noise{Kind: "symmetric", Level: .2}
		},
		"remove the setting": func(c *config.Config) { c.Loss = "backward" },
		"an audit needs an estimator that counts labels: " +
			"vertices": func(c *config.Config) { c.Estimator.Name = "percentile" },
	} {
		c := good
		change(&c)
		expect.Fails(t, (&work{Networks: c}).Check(), want)
	}
}

// Training warms up for an epoch, if it has more and the loss trains one network.
func TestWarmup(t *testing.T) {
	source := own.Source{Path: t.TempDir()}
	for _, tt := range []struct {
		settings string
		want     int
	}{
		{"seed=1", 1}, {"epochs=2", 1}, {"epochs=1", 0}, {"warmup_epochs=0", 0}, {"warmup_epochs=2", 2},
		{"loss=co-teaching-estimated", 0},
	} {
		runs, err := config.Own{Values: config.Config{Source: source, Epochs: 9}}.Runs(tt.settings)
		if err != nil {
			t.Fatal(err)
		}
		if complete(&runs[0], 100, ""); runs[0].Config.WarmupEpochs != tt.want {
			t.Errorf("%s: %d epochs, want %d", tt.settings, runs[0].Config.WarmupEpochs, tt.want)
		}
	}
}

// auto takes the encoder of texts if its weights exist and there are few texts, and never fetches
// it.
func TestEncoderOfTextsInAuto(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	sum := sha256.Sum256([]byte("none"))
	e := encoders.Entry{Name: "made", Data: dataset.Text, File: encoders.File{SHA256: hex.EncodeToString(sum[:]), Size: 4,
		Member: "x/made"}}
	all := encoders.All
	t.Cleanup(func() { encoders.All = all })
	encoders.All = append(slices.Clip(encoders.All), e)
	chosen := []views.Entry{{Name: "words", Data: dataset.Text}, {Name: "made", Data: dataset.Text, Encoder: "made"}}

	names := func(view string, n int) string {
		t.Helper()
		a := work{Data: &dataset.Dataset{Train: dataset.Split{Labels: make([]int, n)}}, Host: Host{Note: func(string) {},
			Encoder: func(e encoders.Entry) error { _, err := e.Path(); return err }},
			Request: Request{View: view, views: chosen}}
		out, err := a.withEncoders(t.Context())
		if err != nil {
			return err.Error()
		}
		return strings.Join(table.Of[views.Entry](out).Names(), " ")
	}
	expect.Same(t, "words", names("auto", 10))
	if got := names("words,made", 10); !strings.Contains(got, "losscorr encoders get made") {
		t.Errorf("by name without weights: %q", got)
	}
	file := filepath.Join(t.TempDir(), "weights")
	datasettest.Put(t, file, "none")
	expect.Got(e.Add(file))(t)
	expect.Same(t, "words made", names("auto", autoTexts))
	expect.Same(t, "words", names("auto", autoTexts+1))
	expect.Same(t, "words made", names("words,made", autoTexts+1))
}

// An audit is named after its data. The name may have dots.
func TestNameOf(t *testing.T) {
	for path, want := range map[string]string{
		"in/data.2023.csv": "data.2023", "X.NPY": "X", "photos.tar.gz": "photos", "photos/": "photos", "r.jsonl.gz": "r",
		".csv": ".csv", "v1.2": "v1.2",
	} {
		if got := NameOf(own.Source{Path: path}); got != want {
			t.Errorf("%s is called %q, want %q", path, got, want)
		}
	}
}

// Labels, true labels and answers keep their classes if the columns add a class between theirs.
func TestClassesWithoutLabels(t *testing.T) {
	datasettest.Here(t, "p.npy", datasettest.Array("<f4", "2, 3", []float32{.7, .2, .1, .2, .3, .5}))
	crowd, err := annotators.New(2, []string{"p"}, []string{"0", "2"}, []annotators.Answer{{Task: 0, Label: 0},
		{Task: 1, Label: 1}})
	expect.OK(t, err)
	a := work{Data: &dataset.Dataset{Classes: []string{"0", "2"}}, Crowd: crowd, Host: Host{Note: func(string) {}}}
	a.Data.Train = dataset.Split{IDs: []string{"x", "y"}, Labels: []int{0, 1}, Truth: []int{1, -1}}
	expect.OK(t, (Given{File: "p.npy"}).read(&a, own.Source{}))
	expect.Same(t, []string{"0", "1", "2"}, a.Data.Classes)
	expect.Same(t, []string{"0", "1", "2"}, a.Crowd.Classes)
	expect.Same(t, []int{0, 2}, a.Data.Train.Labels)
	expect.Same(t, []int{2, -1}, a.Data.Train.Truth)
	expect.Same(t, 2, a.Crowd.List[1].Label)
	if len(a.Probabilities) != 6 || len(a.Findings) != 1 {
		t.Errorf("%v, findings %q", a.Probabilities, a.Findings)
	}
}

// Probabilities of a good model with rows in another order are detected. A bad model gives no hint.
func TestMisordered(t *testing.T) {
	const n, c = 400, 4
	rng := rand.New(rand.NewPCG(5, 6))
	labels, good, bad := make([]int, n), make([]float32, n*c), make([]float32, n*c)
	for x := range labels {
		labels[x] = rng.IntN(c)
		for k := range c {
			good[x*c+k], bad[x*c+k] = float32(rng.NormFloat64()), float32(rng.NormFloat64()/2)
		}
		good[x*c+labels[x]] += 5
	}
	good, bad = correction.Softmax(good, c), correction.Softmax(bad, c)
	var rows []float32
	for _, x := range rng.Perm(n) {
		rows = append(rows, good[x*c:(x+1)*c]...)
	}
	for name, p := range map[string][]float32{"rows": rows, "bad": bad, "good": good} {
		const want = "Check that their rows are in the order of the labels and their columns in the order of the " +
			"classes: the largest probability is 9"
		if got := misordered(p, labels, c); strings.HasPrefix(got, want) != (name == "rows") || name != "rows" && got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
