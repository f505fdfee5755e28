package report

import (
	"math"
	"testing"

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
	rows := selected(List(study), "state", "selected", "seconds", "noise.kind", "seed", "loss", "estimate_error",
		"train_loss", "optimizer.learning_rate", "optimizer.milestones").Rows
	if len(rows) != 17 {
		t.Fatalf("%d rows, want 15 finished runs and 2 others", len(rows))
	}
	var noisy, others [][]string
	for _, row := range rows {
		switch {
		case row[0] != "done":
			others = append(others, row[:3])
		case row[3] == "asymmetric" && row[4] == "2":
			noisy = append(noisy, append(row[5:], row[1]))
		}
	}
	reporttest.Same(t, "runs of seed 2 under noise", [][]string{
		{"cross-entropy", "", "NaN", "0.01", "[40 80]", "54.5"},
		{"forward", "", "NaN", "0.01", "[40 80]", "97.39999999999999"},
		{"forward-estimated", "0.12", "NaN", "0.01", "[40 80]", "73"},
	}, noisy)
	reporttest.Same(t, "other runs",
		[][]string{{"failed", "", "0"}, {"stopped", "", "3600"}, {"diverged", "97.2", "36"}}, others)
}
