package find

import (
	"encoding/csv"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Networks that know little of the classes make no count, no suggestion, no T-hat and no
// correction, not even where all labels are right: labels are ranked by self-confidence, and
// the files of an earlier audit that say more go. What people have checked holds.
func TestWeakNetworksSayLess(t *testing.T) {
	const n, c = 2000, 5
	rng := rand.New(rand.NewPCG(31, 32))
	d := &dataset.Dataset{Classes: []string{"a", "b", "c", "d", "e"}}
	var p []float32
	for range n {
		label := rng.IntN(c)
		d.Train.Labels = append(d.Train.Labels, label)
		sum, row := float32(0), make([]float32, c)
		for k := range row {
			row[k] = .2 + .3*rng.Float32() // what a class is like is hardly seen
			if k == label {
				row[k] += .15
			}
			sum += row[k]
		}
		for k := range row {
			row[k] /= sum
		}
		p = append(p, row...)
	}
	d.Train.Truth = slices.Clone(d.Train.Labels)
	wrong := (d.Train.Labels[7] + 1) % c
	a := Audit{
		Data: d, Probabilities: p, Note: func(string) {},
		Networks: config.Config{Seed: 1, Loss: losses.FirstLoss, Estimator: config.Estimator{Name: "vertices", Kappa: .3}},
		Trusted:  map[string]audit.Decision{"7": {ID: "7", Label: d.Classes[wrong]}},
	}
	f := audit.At(t.TempDir())
	identity, err := correction.Identity(d.Classes)
	if err := errors.Join(err, f.WriteTransition(identity)); err != nil { // of an earlier audit
		t.Fatal(err)
	}
	s, err := a.Run(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Weak || len(s.Warnings) == 0 || !strings.Contains(s.Warnings[0], "too weak to find wrong labels") {
		t.Fatalf("weak %v, warnings %q: this is no test", s.Weak, s.Warnings)
	}
	if s.ExpectedWrong != 0 || s.T != nil || s.Flagged != 0 || len(s.Confusions) > 0 || len(s.ToCheck) > 0 || s.Measured.F1 != 0 {
		t.Errorf("weak networks say %+v", s)
	}
	if _, err := os.Stat(f.Path(audit.TransitionFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", audit.TransitionFile, err)
	}
	data, err := os.ReadFile(f.Path(audit.SummaryFile))
	if err != nil || !strings.Contains(string(data), `"expected_wrong": null`) || strings.Contains(string(data), `"expected_wrong": 0`) || !strings.Contains(string(data), `"f1": null`) {
		t.Errorf("%v: a count in %s", err, data)
	}
	if again, err := f.Summary(); err != nil || !again.Weak || len(again.Classes) != c {
		t.Errorf("read back: %+v, %v", again, err)
	}
	checkWeakFiles(t, f, a, wrong)
}

func checkWeakFiles(t *testing.T, f *audit.Folder, a Audit, wrong int) {
	t.Helper()
	labels, err := f.Labels()
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range labels {
		want := a.Data.Classes[a.Data.Train.Labels[i]]
		if i == 7 {
			want = a.Data.Classes[wrong]
		}
		if l.Label != want {
			t.Fatalf("example %d has become %s, want %s", i, l.Label, want)
		}
	}
	issues, err := f.Issues()
	if err != nil {
		t.Fatal(err)
	}
	if issues[0].ID != "7" || issues[0].Unjudged || issues[0].PWrong != 1 {
		t.Errorf("a label that is known to be wrong: %+v", issues[0])
	}
	c := len(a.Data.Classes)
	own := func(i audit.Issue) float32 { return a.Probabilities[i.Row*c+a.Data.Train.Labels[i.Row]] }
	for k, i := range issues[1:] {
		if !i.Unjudged || i.PWrong != 0 || i.Suggested != i.Given {
			t.Fatalf("%+v is judged", i)
		}
		if k > 0 && own(i) < own(issues[k]) {
			t.Fatalf("rank %d: self-confidence %v after %v", i.Rank, own(i), own(issues[k]))
		}
	}
	file, err := os.Open(f.Path(audit.IssuesFile))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil || records[2][3] != "" || records[2][4] != "" {
		t.Errorf("%v, %v", records[2], err)
	}
}

// What the program says to try is something that the audit has not tried.
func TestStrongerThanWhatWasTried(t *testing.T) {
	photos := own.Source{Path: t.TempDir()}
	with := func(view, backbone string) config.Config {
		s := photos
		s.View, s.Backbone = view, backbone
		return config.Config{Source: s}
	}
	alike := &dataset.Dataset{Classes: []string{"a", "b"}, Train: dataset.Split{Labels: []int{0}}}
	for _, tt := range []struct {
		a    Audit
		want string
	}{
		{Audit{Networks: with("", ""), Candidates: []config.Config{with("efficientnet-lite2", "")}}, "features of a network that knows such data better (--backbone FILE.pt2)"},
		{Audit{Networks: with("", "net.pt2")}, "features of a network that knows such data better"},
		{Audit{Networks: with("", "")}, "--view efficientnet-lite2"},
		{Audit{Networks: config.Config{Source: own.Source{Path: "x.npy"}}}, "larger network"},
		{Audit{Networks: config.Config{Source: own.Source{Path: "x.npy"}}, Probabilities: []float32{1, 0}, Data: alike}, "a better model"},
	} {
		if got := tt.a.stronger(); !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %q, want %q", tt.a.Networks.Source, got, tt.want)
		}
	}
}
