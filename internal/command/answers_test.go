package command

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/expect"
)

// writeCrowd writes 600 points in two clouds as X.npy, their true classes as truth.txt, and four of ten people's
// answers to each except the last as answers.csv. One person answers the opposite, and one copies another.
func writeCrowd(t *testing.T, dir string) {
	t.Helper()
	const n, width = 600, 8
	rng := rand.New(rand.NewPCG(41, 42))
	var x []float32
	answers, truth, names := "task,worker,label\n", "", []string{"no", "yes"}
	for i := range n {
		y := rng.IntN(2)
		truth += names[y] + "\n"
		for range width {
			x = append(x, float32(rng.NormFloat64()+.8*float64(2*y-1)))
		}
		if i == n-1 {
			break
		}
		said := -1
		for _, r := range rng.Perm(10)[:4] {
			label, right := y, rng.Float64() < .7
			if r == 0 {
				right = rng.Float64() < .1
			}
			if !right {
				label = 1 - y
			}
			answers += fmt.Sprintf("%d,p%d,%s\n", i, r, names[label])
			if r == 4 {
				said = label
			}
		}
		if said >= 0 { // the copy, with some exceptions
			if rng.IntN(8) == 0 {
				said = rng.IntN(2)
			}
			answers += fmt.Sprintf("%d,copy,%s\n", i, names[said])
		}
	}
	writeNPY(t, filepath.Join(dir, "X.npy"), x, width)
	write(t, filepath.Join(dir, "answers.csv"), []byte(answers))
	write(t, filepath.Join(dir, "truth.txt"), []byte(truth))
}

// crowds is a folder with writeCrowd's files and two finished audits of the answers: "alone", and "a" with networks and
// questions.
var crowds = fixture{fill: func(t *testing.T, dir string) {
	vars := realVars(t, dir)
	writeCrowd(t, dir)
	call(t, dir, vars, "audit", "--answers", "answers.csv", "--out", "alone", "--quiet").ends(t, 0)
	call(t, dir, vars, "audit", "X.npy", "--answers", "answers.csv", "--out", "a", "--ask", "60", "--ask-each", "25",
		"--quiet").ends(t, 0)
}}

// crowdTruth returns the true classes of the points.
func crowdTruth(t *testing.T, dir string) []string {
	t.Helper()
	return strings.Fields(string(read(t, dir, "truth.txt")))
}

// rightLabels counts the right labels in an audit's consensus.csv.
func rightLabels(t *testing.T, dir, name string) (n int) {
	t.Helper()
	truth := crowdTruth(t, dir)
	for _, l := range expect.Got(audit.At(filepath.Join(dir, name)).Consensus())(t) {
		if l.Label == truth[expect.Got(strconv.Atoi(l.ID))(t)] {
			n++
		}
	}
	return n
}

// An audit of only several people's answers finds who answers the opposite and who copies; with
// networks its consensus is better, and examples without an answer also get a label.
func TestAuditOfAnswers(t *testing.T) {
	dir := crowds.path(t)
	folder := audit.At(filepath.Join(dir, "a"))
	s := expect.Got(folder.Summary())(t)
	alone, with := rightLabels(t, dir, "alone"), rightLabels(t, dir, "a")
	if alone < 450 || with < alone+15 {
		t.Errorf("%d of 599 labels are right by the answers alone, %d of 600 with networks", alone, with)
	}
	c := s.Crowd
	if c == nil || c.People != 11 || len(c.Ranked) != 11 || c.Asked != 60 {
		t.Fatalf("people %+v", c)
	}
	if last := c.Ranked[10]; last.Name != "p0" || last.Verdict != "worse than chance" {
		t.Errorf("the worst person is %+v", last)
	}
	if len(c.Copies) != 1 || !strings.Contains("p4copyp4", c.Copies[0].First+c.Copies[0].Second) { // in either order
		t.Errorf("copies %+v, want p4 and the copy", c.Copies)
	}
	questions := expect.Got(csv.NewReader(bytes.NewReader(read(t, folder.Path(audit.AskFile)))).ReadAll())(t)[1:]
	if len(questions) != 60 {
		t.Fatalf("%d questions", len(questions))
	}
	number := func(text string) float64 { return expect.Got(strconv.ParseFloat(text, 64))(t) }
	of, gain := map[string]int{}, math.Inf(1)
	for _, q := range questions { // task, label, probability, answers, worker, gain, gain_anyone
		of[q[4]]++
		if now := number(q[5]); now > gain || now <= 0 || of[q[4]] > 25 {
			t.Errorf("question %q after a gain of %v, %d to that person", q, gain, of[q[4]])
		}
		gain = number(q[5])
	}
	if first := questions[0]; number(first[3]) > 2 && number(first[2]) > .7 { // one has no answer, the others four or five
		t.Errorf("the first question is about %q", first)
	}
	if wrong := float64(600 - with); wrong < s.Wrong.Low/3 || wrong > 3*s.Wrong.High {
		t.Errorf("between %.1f and %.1f wrong labels, %.0f are", s.Wrong.Low, s.Wrong.High, wrong)
	}
	expect.Says(t, strings.Join(s.Warnings, "\n"), "1 examples have no answer")
	for name, want := range map[string]string{
		"annotators.html": "What to ask next", "report.html": "annotators.html",
		"answers.csv": "task,worker,label,p_wrong", "annotators.csv": "worse than chance",
	} {
		expect.Says(t, string(read(t, dir, "a", name)), want)
	}
	for _, name := range []string{"a", "alone"} { // random checks are drawn by the model that judged
		f := audit.At(filepath.Join(dir, name))
		r, w := expect.Got(f.Judged())(t).Model.Range(nil), expect.Got(f.Summary())(t).Wrong
		if math.Abs(r.Low-w.Low)+math.Abs(r.High-w.High) > .02 {
			t.Errorf("%s: labels are drawn by a model with the range %+v, the audit has %+v", name, r, w)
		}
	}
}

// Training on an audit of answers has runs on the majority, on the consensus with its probabilities, and
// with each person's T; the last two are about as good as the majority or better on true labels.
func TestTrainOnAnswers(t *testing.T) {
	dir := crowds.path(t)
	vars := realVars(t, t.TempDir())
	runs := t.TempDir()
	call(t, dir, vars, "train", "X.npy", "--audit", "a", "--test", "X.npy", "--test-labels", "truth.txt", "--out", runs,
		"--quiet").ends(t, 0)
	accuracy := map[string]float64{}
	for _, r := range resultsIn(t, runs, 3) {
		accuracy[r.Config.Loss] = r.Last.TestAccuracy
		want := map[string]string{"cross-entropy": ".", "soft": audit.ProbabilitiesFile, "answers": audit.LikelihoodsFile}
		if got := filepath.Base(r.Config.Targets); got != want[r.Config.Loss] {
			t.Errorf("%s has the targets %q, want %q", r.Config.Loss, got, want[r.Config.Loss])
		}
		if got := filepath.Base(r.Config.Source.Labels); got != audit.VotesFile {
			t.Errorf("%s has the labels %q", r.Config.Loss, got)
		}
	}
	if m := accuracy["cross-entropy"]; accuracy["soft"] < max(90, m-1) || accuracy["answers"] < max(90, m-1) {
		t.Errorf("accuracies %v, want 90 and the majority's", accuracy)
	}
	call(t, dir, vars, "train", "--audit", "alone", "--out", filepath.Join(runs, "other"), "--quiet").
		fails(t, app.ExitUsage, "DATA is missing")
}
