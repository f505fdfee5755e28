package command

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/store"
)

// runsIn reads the results of runs by what they are trained on.
func runsIn(t *testing.T, dir string) map[string]store.Result {
	t.Helper()
	all := map[string]store.Result{}
	for _, file := range files.Glob(dir, "*/result.json") {
		var r store.Result
		if err := json.Unmarshal(read(t, file), &r); err != nil {
			t.Fatal(err)
		}
		all[r.Config.Trains()] = r
	}
	return all
}

// writeWrong writes examples of two classes, of which a third of one has the other's label, and their
// true labels.
func writeWrong(t *testing.T, dir string) {
	t.Helper()
	const n, width = 600, 6
	rng := rand.New(rand.NewPCG(51, 52))
	var x []float32
	given, other, truth := "id,label\n", "id,label\n", "id,label\n"
	for i := range n {
		y := rng.IntN(2)
		for range width {
			x = append(x, float32(rng.NormFloat64()+.8*float64(2*y-1)))
		}
		truth += fmt.Sprintf("%d,%d\n", i, y)
		if y == 1 && rng.Float64() < .35 {
			y = 0
		}
		given += fmt.Sprintf("%d,%d\n", i, y)
		other += fmt.Sprintf("%d,%d\n", i, rng.IntN(2))
	}
	if err := npy.WriteFloat32(filepath.Join(dir, "X.npy"), x, width); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"given.csv": given, "other.csv": other, "truth.csv": truth} {
		write(t, filepath.Join(dir, name), []byte(text))
	}
}

// A training with an audit is on the labels that it has corrected, beside the given ones; a loss that is
// named has corrected labels unless it uses T-hat; labels of other data are not corrected.
func TestTrainOnCorrectedLabels(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	vars := realVars(t, dir)
	writeWrong(t, dir)
	const plain, corrected = losses.FirstLoss, losses.FirstLoss + " on corrected labels"
	start(t, dir, vars, "audit", "X.npy", "--labels", "given.csv", "--out", "a", "--quiet").ends(t, 0)
	p := start(t, dir, vars, "train", "X.npy", "--labels", "given.csv", "--audit", "a", "--test", "X.npy", "--test-labels", "truth.csv", "--out", "runs")
	p.ends(t, 0)
	contains(t, "stderr", p.err.String(), "of 600 changed by the audit and people")
	runs := runsIn(t, filepath.Join(dir, "runs"))
	given, better := runs[plain], runs[corrected]
	if len(runs) != 2 || better.Selected.TestAccuracy < given.Selected.TestAccuracy+2 {
		t.Errorf("%d runs, %.1f %% on the given labels, %.1f %% on corrected ones", len(runs), given.Selected.TestAccuracy, better.Selected.TestAccuracy)
	}
	if _, chosen, err := find.Network(filepath.Join(dir, "runs")); err != nil || chosen.Result.Config.Corrected == "" {
		t.Errorf("predict does not take the network of corrected labels: %v", err)
	}
	contains(t, "report", string(read(t, filepath.Join(dir, "runs", "table.md"))), "cross-entropy (labels corrected-")

	start(t, dir, vars, "train", "--audit", "a", "--out", "named", "--quiet", "--loss", "gce,forward", "epochs=2").ends(t, 0)
	runs = runsIn(t, filepath.Join(dir, "named"))
	if forward := runs["forward"]; len(runs) != 2 || runs["gce on corrected labels"].Config.Corrected == "" || filepath.Base(forward.Config.Transition) != audit.TransitionFile {
		t.Errorf("runs %v", runs)
	}
	start(t, dir, vars, "train", "--audit", "a", "--test", "X.npy", "--test-labels", "truth.csv", "--out", "tested", "--quiet", "epochs=2").ends(t, 0)
	if given := runsIn(t, filepath.Join(dir, "tested"))[plain]; !(given.Selected.TestAccuracy > 50) {
		t.Errorf("the data of the audit with a test set: test accuracy %v", given.Selected.TestAccuracy)
	}
	p = start(t, dir, vars, "train", "--audit", "a", "--label", "y", "--out", "refused")
	p.ends(t, app.ExitUsage)
	contains(t, "stderr", p.err.String(), "--label is of DATA")
	p = start(t, dir, vars, "train", "--audit", "a", "--test", "gone", "--out", "refused")
	p.ends(t, app.ExitData)
	contains(t, "stderr", p.err.String(), "gone: no such file")
	p = start(t, dir, vars, "train", "X.npy", "--labels", "other.csv", "--audit", "a", "--out", "other", "epochs=2")
	p.ends(t, 0)
	contains(t, "stderr", p.err.String(), "it corrects no label here")
	if runs = runsIn(t, filepath.Join(dir, "other")); len(runs) != 2 || runs["forward"].ID == "" || runs[plain].ID == "" {
		t.Errorf("other labels: runs %v", runs)
	}

	write(t, filepath.Join(dir, "a", audit.LabelsFile), read(t, filepath.Join(dir, "given.csv")))
	p = start(t, dir, vars, "train", "--audit", "a", "--out", "none", "epochs=2")
	p.ends(t, 0)
	contains(t, "stderr", p.err.String(), "the audit suggests no corrections")
	if runs = runsIn(t, filepath.Join(dir, "none")); len(runs) != 1 || runs[plain].ID == "" {
		t.Errorf("an audit without corrections: runs %v", runs)
	}
}
