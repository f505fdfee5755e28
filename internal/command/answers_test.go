package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/npy"
)

// writeCrowd leaves 600 points in two clouds as X.npy, as table.csv, and four of ten people's
// answers to each but the last as answers.csv: one says the opposite, and one copies another.
// It returns the true classes.
func writeCrowd(t *testing.T, dir string) (truth []int) {
	t.Helper()
	const n, width = 600, 8
	rng := rand.New(rand.NewPCG(41, 42))
	var x []float32
	table, answers := "task,a,b\n", "task,worker,label\n"
	for i := range n {
		y := rng.IntN(2)
		truth = append(truth, y)
		for range width {
			x = append(x, float32(rng.NormFloat64()+.8*float64(2*y-1)))
		}
		table += fmt.Sprintf("%d,%v,%v\n", i, x[len(x)-2], x[len(x)-1])
		if i == n-1 {
			break
		}
		said := -1
		for _, r := range rng.Perm(10)[:4] {
			right := rng.Float64() < .7
			if r == 0 {
				right = rng.Float64() < .1
			}
			label := y
			if !right {
				label = 1 - y
			}
			answers += fmt.Sprintf("%d,p%d,%s\n", i, r, []string{"no", "yes"}[label])
			if r == 4 {
				said = label
			}
		}
		if said >= 0 { // the copy, but for some
			if rng.IntN(8) == 0 {
				said = rng.IntN(2)
			}
			answers += fmt.Sprintf("%d,copy,%s\n", i, []string{"no", "yes"}[said])
		}
	}
	if err := npy.WriteFloat32(filepath.Join(dir, "X.npy"), x, width); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "answers.csv"), []byte(answers))
	write(t, filepath.Join(dir, "table.csv"), []byte(table))
	return truth
}

// rightLabels counts the labels of consensus.csv that are true.
func rightLabels(t *testing.T, dir string, truth []int) (n int) {
	t.Helper()
	labels, err := audit.At(dir).Consensus()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range labels {
		var i int
		if _, err := fmt.Sscan(l.ID, &i); err != nil {
			t.Fatal(err)
		}
		if l.Label == []string{"no", "yes"}[truth[i]] {
			n++
		}
	}
	return n
}

// An audit of several people's answers alone finds who says the opposite and who copies; with
// networks its consensus is better, and examples without an answer get a label, too.
func TestAuditOfAnswers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	vars := realVars(t, dir)
	truth := writeCrowd(t, dir)
	start(t, dir, vars, "audit", "--answers", "answers.csv", "--out", "alone", "--quiet").ends(t, 0)
	p := start(t, dir, vars, "audit", "X.npy", "--answers", "answers.csv", "--out", "a", "--ask", "60", "--ask-each", "25", "--json", "--quiet")
	p.ends(t, 0)
	var s audit.Summary
	if err := json.Unmarshal(p.out.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	alone, with := rightLabels(t, filepath.Join(dir, "alone"), truth), rightLabels(t, filepath.Join(dir, "a"), truth)
	if alone < 450 || with < alone+15 {
		t.Errorf("%d of 599 labels are right by the answers alone, %d of 600 with networks", alone, with)
	}
	if c := s.Crowd; c == nil || c.People != 11 || len(c.Ranked) != 11 || c.Ranked[10].Name != "p0" || c.Ranked[10].Verdict != "worse than chance" {
		t.Errorf("people %+v", c)
	} else if len(c.Copies) != 1 || c.Copies[0].First+c.Copies[0].Second != "p4copy" && c.Copies[0].First+c.Copies[0].Second != "copyp4" {
		t.Errorf("copies %+v, want p4 and the copy", c.Copies)
	}
	questions, err := audit.At(filepath.Join(dir, "a")).Questions()
	if err != nil || len(questions) != 60 || s.Crowd.Asked != 60 {
		t.Errorf("%d questions, %v", len(questions), err)
	}
	of, gain := map[string]int{}, math.Inf(1)
	for _, q := range questions {
		of[q.Worker]++
		if q.Gain > gain || q.Gain <= 0 || of[q.Worker] > 25 {
			t.Errorf("question %+v after a gain of %v, %d to that person", q, gain, of[q.Worker])
		}
		gain = q.Gain
	}
	if questions[0].Answers > 2 && questions[0].Probability > .7 { // one has no answer, the others four or five
		t.Errorf("the first question is about %+v", questions[0])
	}
	if wrong := float64(600 - with); wrong < s.Wrong.Low/3 || wrong > 3*s.Wrong.High {
		t.Errorf("between %.1f and %.1f wrong labels, %.0f are", s.Wrong.Low, s.Wrong.High, wrong)
	}
	if found := strings.Join(s.Warnings, "\n"); !strings.Contains(found, "1 examples have no answer") {
		t.Errorf("warnings:\n%s", found)
	}
	for name, want := range map[string]string{"annotators.html": "What to ask next", "report.html": "annotators.html", "answers.csv": "task,worker,label,p_wrong", "annotators.csv": "worse than chance"} {
		if text, err := os.ReadFile(filepath.Join(dir, "a", name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, want %q in it", name, err, want)
		}
	}
	// The consensus is audited like labels: again, without a question, from the same networks, with what a person says.
	again := start(t, dir, vars, "audit", "X.npy", "--answers", "answers.csv", "--out", "a", "--quiet")
	again.ends(t, 0)
	if _, err := os.Stat(filepath.Join(dir, "a", audit.AskFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the questions of an earlier audit are left: %v", err)
	}
	if got := rightLabels(t, filepath.Join(dir, "a"), truth); got != with {
		t.Errorf("again: %d labels are right, %d before", got, with)
	}
}

// Names of the answers are those of a table's own column; what does not fit is one error.
func TestAuditOfAnswersRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	vars := realVars(t, dir)
	writeCrowd(t, dir)
	write(t, filepath.Join(dir, "foreign.csv"), []byte("task,worker,label\nx,a,no\nx,b,yes\n"))
	for want, args := range map[string][]string{
		"no answer is to an example of the data": {"X.npy", "--answers", "foreign.csv"},
		"--annotator is a column of answers":     {"X.npy", "--annotator", "a"},
		"the labels are those of the answers":    {"X.npy", "--answers", "answers.csv", "--labels", "table.csv"},
		"--ask is of the answers of several":     {"X.npy", "--ask", "5"},
		"--ask-each 3 needs --ask N":             {"X.npy", "--answers", "answers.csv", "--ask-each", "3"},
		"--ask -1":                               {"X.npy", "--answers", "answers.csv", "--ask", "-1"},
		"worker":                                 {"X.npy", "--answers", "table.csv"},
	} {
		p := start(t, dir, vars, append([]string{"audit", "--out", "b", "--quiet"}, args...)...)
		_ = p.Wait()
		if code := p.ProcessState.ExitCode(); code == 0 || !strings.Contains(p.err.String(), want) {
			t.Errorf("%v ends with %d:\n%s\nwant %q", args, code, p.err.String(), want)
		}
	}
}

// Every command of docs/annotators.md works on the answers of a small crowd.
func TestAnnotatorsGuide(t *testing.T) {
	t.Parallel()
	guide := string(read(t, filepath.Join("..", "..", "docs", "annotators.md")))
	dir := t.TempDir()
	vars := realVars(t, dir)
	writeCrowd(t, dir)
	_, tour, _ := strings.Cut(guide, "```sh\n")
	tour, _, _ = strings.Cut(tour, "```")
	n := 0
	for line := range strings.Lines(tour) {
		start(t, dir, vars, append(strings.Fields(line)[1:], "--quiet")...).ends(t, 0)
		n++
	}
	if n != 3 {
		t.Errorf("%d commands", n)
	}
	for _, m := range regexp.MustCompile(`(?m)^\| ([A-Za-z_]+\.[a-z]+) \|`).FindAllStringSubmatch(guide, -1) {
		if _, err := os.Stat(filepath.Join(dir, "crowd", m[1])); err != nil {
			t.Errorf("the guide names %s: %v", m[1], err)
		}
	}
}
