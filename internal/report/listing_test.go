package report

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/report/reporttest"
	"github.com/losscorr/losscorr/internal/store"
)

// A list has all runs in the order of the paper's tables, finished or not, with all settings and all digits.
func TestList(t *testing.T) {
	root := reporttest.Folders(t, func(r *store.Result) {
		r.Config.Optimizer = config.Optimizer{Name: "sgd", LearningRate: .1, Milestones: []int{40, 80}}
		if r.Config.Seed == 2 {
			r.Config.Optimizer.LearningRate = .01
			r.Selected.TrainLoss = math.NaN()
		}
	})
	study, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	l := List(study)
	if len(l.Rows) != 17 {
		t.Fatalf("%d rows, want 15 finished runs and 2 others", len(l.Rows))
	}
	column := func(name string) int { return slices.Index(l.Names(), name) }
	var noisy, others [][]string
	for _, row := range l.Rows {
		picked := func(names ...string) (out []string) {
			for _, name := range names {
				out = append(out, row[column(name)])
			}
			return out
		}
		if row[column("noise.kind")] == "asymmetric" && row[column("seed")] == "2" && row[column("state")] == "done" {
			noisy = append(noisy, picked("loss", "selected", "estimate_error", "train_loss", "optimizer.learning_rate", "optimizer.milestones"))
		}
		if state := row[column("state")]; state != "done" {
			others = append(others, picked("state", "selected", "seconds"))
		}
	}
	want := [][]string{
		{"cross-entropy", "54.5", "", "NaN", "0.01", "[40 80]"},
		{"forward", "97.39999999999999", "", "NaN", "0.01", "[40 80]"},
		{"forward-estimated", "73", "0.12", "NaN", "0.01", "[40 80]"},
	}
	if diff := cmp.Diff(want, noisy); diff != "" {
		t.Errorf("runs of seed 2 under noise (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]string{{"failed", "", "0"}, {"stopped", "", "3600"}, {"diverged", "97.2", "36"}}, others); diff != "" {
		t.Errorf("other runs (-want +got):\n%s", diff)
	}
}
