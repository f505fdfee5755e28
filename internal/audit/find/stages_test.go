package find

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/run"
	"github.com/losscorr/losscorr/internal/store"
)

// staged is an audit of 900 examples in groups of 5 with synthetic networks. A fifth of class 1 is labelled 2.
type staged struct {
	work
	folder *audit.Folder
	truth  []int
	clock  []float64 // uniform numbers, one for each example
	plans  []store.Plan
	notes  []string
	stages []int
	stuck  bool // parts 1 and 2 swap b and c with any initial weights

	blind map[string]func(i int) bool // by view, the examples that it cannot judge
}

func newStaged(t *testing.T) *staged {
	t.Helper()
	const n = 900
	rng := rand.New(rand.NewPCG(3, 4))
	s := &staged{folder: audit.At(t.TempDir())}
	d := &dataset.Dataset{Classes: []string{"a", "b", "c"}, Train: dataset.Split{Labels: make([]int, n),
		Group: make([]int32, n)}}
	for i := range n {
		s.truth = append(s.truth, i%3)
		s.clock = append(s.clock, rng.Float64())
		d.Train.Labels[i], d.Train.Group[i] = i%3, int32(i/5)
		if i%15 == 1 {
			d.Train.Labels[i] = 2
		}
	}
	s.work = work{
		Data: d, Host: Host{Note: func(text string) { s.notes = append(s.notes, text) }, Train: s.do},
		Networks: config.Config{
			Dataset: "own", Loss: "cross-entropy", Seed: 1, Epochs: 4, Noise: config.Noise{Kind: "none"},
			Estimator: config.Estimator{Name: "vertices", Kappa: .3}, Folds: config.Folds{Count: 3},
		},
	}
	return s
}

// stageOf returns the stage of an audit that a plan is for.
func stageOf(p store.Plan) int {
	again := func(r store.Planned) bool { return r.Config.Weights != "" }
	switch {
	case slices.ContainsFunc(p.Runs, again):
		return 3
	case p.Runs[0].Config.Transition != "":
		return 2
	}
	return 1
}

// do writes the results of a plan's runs.
func (s *staged) do(p store.Plan, _ string) error {
	s.stages = append(s.stages, stageOf(p))
	s.plans = append(s.plans, p)
	for _, planned := range p.Runs {
		folder, err := store.Claim(s.folder.Path(audit.RunsDir), planned.Config, &store.Watch{}, store.DefaultLeaseTime)
		if err != nil {
			return err
		}
		var logits []float32
		for _, row := range run.OutOfFold(planned.Config, s.Data.Train.Labels, s.Data.Train.Group) {
			z := s.logits(planned.Config, row)
			if blind := s.blind[planned.Config.Source.View]; blind != nil && blind(row) {
				clear(z)
			}
			logits = append(logits, z...)
		}
		result := store.Result{Schema: 1, ID: folder.ID, State: store.Done, Config: planned.Config}
		result.Selected.Epoch, result.Last.Epoch = 4, 4
		err = errors.Join(folder.WriteLogits(logits, len(s.Data.Classes)), folder.WriteResult(result))
		if folder.Close(); err != nil {
			return err
		}
	}
	return nil
}

// logits are the posteriors of noisy labels in the first stage and of true labels in the second, which is unsure
// about half of the examples. The second network of part 2 swaps b and c unless it starts from weights.
func (s *staged) logits(c config.Config, i int) []float32 {
	class := s.truth[i]
	switch {
	case s.stuck && c.Loss == "forward" && c.Folds.Out < 3 && class > 0:
		class = 3 - class
	case c.Loss == "forward" && c.Folds.Out == 2 && c.Weights == "" && class > 0:
		class = 3 - class
	}
	rest := .01 + .01*s.clock[i]
	if s.clock[i] > .5 {
		rest *= 15
	}
	p := []float64{rest, rest, rest}
	p[class] = 1 - 2*rest
	if c.Loss != "forward" {
		p[1], p[2] = .8*p[1], p[2]+.2*p[1]
	}
	out := make([]float32, 3)
	for k, v := range p {
		out[k] = float32(math.Log(v))
		if s.blind != nil {
			out[k] *= 3 // overconfident
		}
	}
	return out
}

// A second-stage network that takes a class for another is detected by the examples of its own part, with whole
// groups, and trained again from the first network's weights without warm-up. The posteriors of the given labels come
// from the first stage.
func TestTrappedNetworkIsTrainedAgain(t *testing.T) {
	s := newStaged(t)
	found := expect.Got(s.work.find(t.Context(), s.folder))(t)
	if len(s.plans) != 3 {
		t.Fatalf("%d stages, want two and a repetition; notes %q", len(s.plans), s.notes)
	}
	for stage, want := range [][]string{
		{"cross-entropy 0", "cross-entropy 0", "cross-entropy 0"},
		{"forward 1", "forward 1", "forward 1"},
		{"forward 1", "forward 0 weights", "forward 1"},
	} {
		var got []string
		for k, run := range s.plans[stage].Runs {
			c := run.Config
			name := c.Loss + " " + string(rune('0'+c.WarmupEpochs))
			if c.Weights != "" {
				name += " weights"
				if first := s.plans[0].Runs[k].ID; !strings.Contains(c.Weights, first) {
					t.Errorf("part %d starts from %s, want the weights of %s", k+1, c.Weights, first)
				}
			}
			got = append(got, name)
		}
		expect.Same(t, want, got)
	}
	if !strings.Contains(strings.Join(s.notes, "\n"), "networks take b, c for other classes (parts 2)") {
		t.Errorf("notes %q", s.notes)
	}
	var first []float32
	for i := range s.truth {
		first = append(first, s.logits(config.Config{Loss: "cross-entropy"}, i)...)
	}
	expect.Same(t, correction.Softmax(first, 3), found.Noisy, cmpopts.EquateApprox(0, 1e-6))
	expect.Same(t, s.truth, found.predicted) // by the last networks
}

// Networks that take classes for others give one note before they are trained again, and if that does not help, one
// warning, which comes first.
func TestTrappedNetworksAreOneWarning(t *testing.T) {
	s := newStaged(t)
	s.stuck = true
	found := expect.Got(s.work.find(t.Context(), s.folder))(t)
	const note = "stage 3: some networks are trained again from the weights of stage 1, since networks take b, c for " +
		"other classes (parts 1, 2)"
	if n := len(s.notes); n != 3 || s.notes[2] != note {
		t.Errorf("notes %q, want %q at the end", s.notes, note)
	}
	found.Warnings = []string{"of the labels"}
	s.Findings = []string{"of the check"}
	want := []string{
		"networks take b, c for other classes (parts 1, 2), also when trained again: check some labels of these " +
			"classes by hand (losscorr review) and audit again",
		"of the labels", "of the check",
	}
	expect.Same(t, want, s.report(found).Warnings)
	expect.Same(t, []int{1, 2, 3}, s.stages)
}

// An audit takes the view whose networks predict most of the given labels, in whatever order the
// views are tried, or the mean of views that predict different ones, which needs no second
// stage. Loss and posteriors are calibrated, so overconfident networks do no harm.
func TestLookTakesTheBestView(t *testing.T) {
	share := func(n int) func(int) bool { return func(i int) bool { return i/5%10 < n } }
	for _, tt := range []struct {
		name   string
		blind  map[string]func(int) bool // "" is a network on the data itself
		order  []string
		first  string
		used   int
		stages []int
		note   string
	}{
		{"the better first", map[string]func(int) bool{"tfidf": share(1), "": share(6)}, []string{"tfidf", ""}, "tfidf", 1,
			[]int{1, 1}, "views by loss: tfidf "},
		{"the better last", map[string]func(int) bool{"tfidf": share(1), "": share(6)}, []string{"", "tfidf"}, "tfidf", 1,
			[]int{1, 1}, "views by loss: tfidf "},
		{"two that differ", map[string]func(int) bool{"tfidf": share(2), "": func(i int) bool {
			return i/5%10 > 7
		}}, []string{"tfidf", ""}, "", 2, []int{1, 1}, "views by loss: "},
		{"two stages where the best has them", map[string]func(int) bool{"tfidf": share(7), "": share(0)},
			[]string{"tfidf", ""}, "net", 1, []int{1, 1, 2, 3}, "views by loss: net "},
	} {
		s := newStaged(t)
		s.blind = tt.blind
		for _, view := range tt.order {
			c := s.Networks
			c.Model, c.Source = "net", own.Source{View: view}
			s.Candidates = append(s.Candidates, c)
		}
		found := expect.Got(s.work.find(t.Context(), s.folder))(t)
		used := 0
		for _, v := range found.Views {
			if v.Used {
				used++
			}
		}
		if len(found.Views) != 2 || tt.first != "" && found.Views[0].Name != tt.first || used != tt.used ||
			found.Views[0].Loss > found.Views[1].Loss {
			t.Errorf("%s: views %+v, want %d used and %q first", tt.name, found.Views, tt.used, tt.first)
		}
		expect.Same(t, tt.stages, s.stages)
		if !slices.ContainsFunc(s.notes, func(text string) bool { return strings.HasPrefix(text, tt.note) }) {
			t.Errorf("%s: no note begins with %q: %q", tt.name, tt.note, s.notes)
		}
		if tt.stages[len(tt.stages)-1] == 1 && (found.Posterior != firstPosterior || len(found.Runs) != 3*tt.used) {
			t.Errorf("%s: posterior %q of runs %v", tt.name, found.Posterior, found.Runs)
		}
		mistaken := 0
		for i, wrong := range found.Judgement.Wrong {
			blind := s.blind[""](i) || s.blind["tfidf"](i)
			if is := s.truth[i] != s.Data.Train.Labels[i]; is != (wrong > .5) && !blind {
				mistaken++
			}
		}
		if mistaken > len(s.truth)/50 {
			t.Errorf("%s: %d labels are judged wrongly", tt.name, mistaken)
		}
	}
}
