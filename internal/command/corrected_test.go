package command

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/store"
)

// runsIn reads the results of n runs by the labels they are trained on.
func runsIn(t *testing.T, n int, dir string) map[string]store.Result {
	t.Helper()
	all := map[string]store.Result{}
	for _, r := range resultsIn(t, dir, n) {
		all[r.Config.Trains()] = r
	}
	return all
}

// writeWrong writes examples of two classes with their true labels; a third of one class has the other's
// label.
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
	writeNPY(t, filepath.Join(dir, "X.npy"), x, width)
	for name, text := range map[string]string{"given.csv": given, "other.csv": other, "truth.csv": truth} {
		write(t, filepath.Join(dir, name), []byte(text))
	}
}

// Training with an audit uses its corrected labels, and the given labels for comparison. A named loss uses
// corrected labels unless it uses T-hat. Labels of other data are not corrected.
func TestTrainOnCorrectedLabels(t *testing.T) {
	dir, vars := workplace(t)
	writeWrong(t, dir)
	const plain, corrected = losses.FirstLoss, losses.FirstLoss + " on corrected labels"
	call(t, dir, vars, "audit", "X.npy", "--labels", "given.csv", "--out", "a", "--quiet").ends(t, 0)
	call(t, dir, vars, "train", "X.npy", "--labels", "given.csv", "--audit", "a", "--test", "X.npy",
		"--test-labels", "truth.csv", "--out", "runs").warns(t, "of 600 changed by the audit and people")
	runs := runsIn(t, 2, filepath.Join(dir, "runs"))
	given, better := runs[plain].Selected.TestAccuracy, runs[corrected].Selected.TestAccuracy
	if better < given+2 {
		t.Errorf("%.1f %% on the given labels, %.1f %% on corrected ones", given, better)
	}
	if _, chosen, err := find.Network(filepath.Join(dir, "runs")); err != nil || chosen.Result.Config.Corrected == "" {
		t.Errorf("predict does not take the network of corrected labels: %v", err)
	}
	expect.Says(t, string(read(t, filepath.Join(dir, "runs", "table.md"))), "cross-entropy (labels corrected-")

	call(t, dir, vars, "train", "--audit", "a", "--out", "named", "--quiet", "--loss", "gce,forward", "epochs=2").ends(t,
		0)
	runs = runsIn(t, 2, filepath.Join(dir, "named"))
	matrix := filepath.Base(runs["forward"].Config.Transition)
	if runs["gce on corrected labels"].Config.Corrected == "" || matrix != audit.TransitionFile {
		t.Errorf("runs %v", runs)
	}
	call(t, dir, vars, "train", "--audit", "a", "--label", "y", "--out", "refused").
		fails(t, app.ExitUsage, "--label describes DATA")
	call(t, dir, vars, "train", "X.npy", "--labels", "other.csv", "--audit", "a", "--out", "other", "epochs=2").
		warns(t, "it corrects no label here")
	if runs = runsIn(t, 2, filepath.Join(dir, "other")); runs["forward"].ID == "" || runs[plain].ID == "" {
		t.Errorf("other labels: runs %v", runs)
	}

	write(t, filepath.Join(dir, "a", audit.LabelsFile), read(t, filepath.Join(dir, "given.csv")))
	call(t, dir, vars, "train", "--audit", "a", "--out", "none", "epochs=2").
		warns(t, "0 of 600 changed")
	if runs = runsIn(t, 1, filepath.Join(dir, "none")); runs[plain].ID == "" {
		t.Errorf("an audit without corrections: runs %v", runs)
	}
}

// Training on texts uses the view of --view or, without it, the audit's best, and predict computes the
// same features of new texts.
func TestTrainByAView(t *testing.T) {
	dir, vars := workplace(t)
	rows, fresh := "text,label\n", "text\n"
	for k := range 80 {
		word := []string{"good", "bad"}[k%2]
		rows += fmt.Sprintf("a %s film number %d,%s\n", word, k/4, []string{"pos", "neg"}[k%2])
		fresh += "the film is " + word + "\n"
	}
	write(t, filepath.Join(dir, "t.csv"), []byte(rows))
	write(t, filepath.Join(dir, "new.csv"), []byte(fresh))
	call(t, dir, vars, strings.Fields("audit t.csv --text text --view tfidf --folds 2 --out audit --quiet")...).ends(t, 0)
	for name, args := range map[string][]string{
		"by-name":  {"train", "t.csv", "--text", "text", "--view", "tfidf"},
		"by-audit": {"train", "--audit", "audit"},
	} {
		call(t, dir, vars, append(args, "--out", name, "--quiet", "epochs=20")...).ends(t, 0)
		runs := glob(t, map[string]int{"by-name": 2, "by-audit": 1}[name], dir, name, "*", "config.yaml")
		for _, run := range runs {
			expect.Says(t, string(read(t, run)), "view: tfidf", "model: linear")
		}
		call(t, dir, vars, "predict", filepath.Dir(runs[0]), "new.csv", "--text", "text", "--out", name+".csv").ends(t, 0)
		lines := strings.Fields(string(read(t, dir, name+".csv")))[1:]
		right := 0
		for k, line := range lines {
			if strings.Contains(line, ","+[]string{"pos", "neg"}[k%2]+",") {
				right++
			}
		}
		if len(lines) != 80 || right < 70 {
			t.Errorf("%s: %d of %d predictions are right: %q", name, right, len(lines), lines[:2])
		}
	}
	call(t, dir, vars, "train", "t.csv", "--text", "text", "--out", "none", "--view", "own").refuses(t, "no view of text")
}
