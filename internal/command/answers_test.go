package command

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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

// crowd is a folder with writeCrowd's files and two finished audits of the answers: "alone", and "a" with networks and
// questions.
func crowd(t *testing.T) (dir string, vars map[string]string) {
	t.Helper()
	dir, vars = workplace(t)
	writeCrowd(t, dir)
	start(t, dir, vars, "audit", "--answers", "answers.csv", "--out", "alone", "--quiet").ends(t, 0)
	start(t, dir, vars, "audit", "X.npy", "--answers", "answers.csv", "--out", "a", "--ask", "60", "--ask-each", "25",
		"--quiet").ends(t, 0)
	return dir, vars
}

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
	t.Parallel()
	dir, vars := crowd(t)
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
	contains(t, "warnings", strings.Join(s.Warnings, "\n"), "1 examples have no answer")
	for name, want := range map[string]string{
		"annotators.html": "What to ask next", "report.html": "annotators.html",
		"answers.csv": "task,worker,label,p_wrong", "annotators.csv": "worse than chance",
	} {
		contains(t, name, string(read(t, dir, "a", name)), want)
	}
	// The consensus is audited like labels: again, without questions, from the same networks, with a person's decision.
	start(t, dir, vars, "audit", "X.npy", "--answers", "answers.csv", "--out", "a", "--quiet").ends(t, 0)
	absent(t, dir, "a", audit.AskFile)
	if got := rightLabels(t, dir, "a"); got != with {
		t.Errorf("again: %d labels are right, %d before", got, with)
	}
}

// Arguments that do not fit are errors.
func TestAuditOfAnswersRefuses(t *testing.T) {
	t.Parallel()
	dir, vars := workplace(t)
	writeCrowd(t, dir)
	write(t, filepath.Join(dir, "foreign.csv"), []byte("task,worker,label\nx,a,no\nx,b,yes\n"))
	write(t, filepath.Join(dir, "table.csv"), []byte("task,a,b\n0,1,2\n1,3,4\n"))
	for want, args := range map[string]string{
		"no answer matches an example of the data": "--answers foreign.csv",
		"--annotator needs --answers FILE":         "--annotator a",
		"--answers gives the labels":               "--answers answers.csv --labels table.csv",
		"--ask needs --answers FILE":               "--ask 5",
		"--ask-each needs --ask N":                 "--answers answers.csv --ask-each 3",
		"--ask -1":                                 "--answers answers.csv --ask -1",
		"worker":                                   "--answers table.csv",
	} {
		start(t, dir, vars, strings.Fields("audit X.npy --out b --quiet "+args)...).refuses(t, want)
	}
}

// Training on an audit of answers has runs on the majority, on the consensus with its probabilities, and
// with each person's T; the last two are about as good as the majority or better on true labels.
func TestTrainOnAnswers(t *testing.T) {
	t.Parallel()
	dir, vars := crowd(t)
	start(t, dir, vars, "train", "X.npy", "--audit", "a", "--test", "X.npy", "--test-labels", "truth.txt", "--out", "runs",
		"--quiet").ends(t, 0)
	accuracy := map[string]float64{}
	for _, r := range resultsIn(t, filepath.Join(dir, "runs"), 3) {
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
	expect.OK(t, os.Remove(filepath.Join(dir, "a", audit.LikelihoodsFile)))
	start(t, dir, vars, "train", "X.npy", "--audit", "a", "--out", "other", "--quiet").
		fails(t, app.ExitData, audit.LikelihoodsFile)
	start(t, dir, vars, "train", "--audit", "alone", "--out", "other", "--quiet").
		fails(t, app.ExitUsage, "DATA is missing", "of answers")
}

// Random checks of a consensus estimate its wrong labels; the next audit has the same consensus and
// estimate.
func TestRandomChecksOfAnswers(t *testing.T) {
	t.Parallel()
	dir, vars := crowd(t)
	truth := crowdTruth(t, dir)
	for name, data := range map[string][]string{"alone": nil, "a": {"X.npy"}} {
		folder := audit.At(filepath.Join(dir, name))
		before := expect.Got(folder.Summary())(t)
		r := expect.Got(folder.Judged())(t).Model.Range(nil)
		if math.Abs(r.Low-before.Wrong.Low)+math.Abs(r.High-before.Wrong.High) > .02 {
			t.Errorf("%s: labels are drawn by a model with the range %+v, the audit has %+v", name, r, before.Wrong)
		}
		sheet := filepath.Join(dir, name+".csv")
		start(t, dir, vars, "review", name, "--random", "150", "--write", sheet).ends(t, 0)
		records := expect.Got(csv.NewReader(bytes.NewReader(read(t, sheet))).ReadAll())(t)
		id, answer := slices.Index(records[0], "id"), slices.Index(records[0], "true")
		for _, r := range records[1:] {
			r[answer] = truth[expect.Got(strconv.Atoi(r[id]))(t)]
		}
		var filled bytes.Buffer
		expect.OK(t, csv.NewWriter(&filled).WriteAll(records))
		write(t, sheet, filled.Bytes())
		args := append(append([]string{"audit"}, data...), "--answers", "answers.csv", "--out", name, "--quiet", "--json")
		s := start(t, dir, vars, append(args, "--answers-from", sheet)...).summary(t)
		wrong := float64(s.Examples - rightLabels(t, dir, name))
		c := s.Random
		if c == nil || c.Asked != 150 || c.Checked < 150 {
			t.Fatalf("%s: random checks %+v", name, c)
		}
		// The interval holds in nine of ten draws, so the test allows 20 times the distance.
		if half := c.Interval.High - c.Interval.Low; wrong < c.Interval.Low-half || wrong > c.Interval.High+half {
			t.Errorf("%s: %.1f (%.1f to %.1f) are wrong by the checks, %.0f are", name, c.Wrong, c.Interval.Low, c.Interval.High,
				wrong)
		}
		if e := s.Wrong.Estimate; e == nil || *e != c.Wrong {
			t.Errorf("%s: %+v, by the checks %v", name, s.Wrong, c.Wrong)
		}
	}
}

// A decision on a label of the consensus counts even where the votes have another label.
func TestDecisionsOnAnswers(t *testing.T) {
	t.Parallel()
	dir, vars := crowd(t)
	folder := audit.At(filepath.Join(dir, "alone"))
	consensus := expect.Got(folder.Consensus())(t)
	majority := read(t, dir, "alone", audit.RunsDir, audit.NamedVotesFile)
	votes := expect.Got(csv.NewReader(bytes.NewReader(majority)).ReadAll())(t)
	i := 0
	for votes[i+1][1] == consensus[i].Label {
		i++
	}
	l := consensus[i]
	write(t, filepath.Join(dir, "decisions.csv"),
		fmt.Appendf(nil, "id,given,label,decision,time\n%s,%s,%s,accept,2026-01-02T03:04:05Z\n", l.ID, l.Label, l.Label))
	s := start(t, dir, vars, "audit", "--answers", "answers.csv", "--out", "alone", "--quiet", "--json",
		"--answers-from", "decisions.csv").summary(t)
	issues := expect.Got(folder.Issues())(t)
	if last := issues[len(issues)-1]; s.TrustedLabels != 1 || last.ID != l.ID || last.PWrong != 0 {
		t.Errorf("%d decisions count; the surest label is %+v, want %s, which a person has accepted", s.TrustedLabels, last,
			l.ID)
	}
}
