package command

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/store"
)

// Training on an audit of answers has a run on the majority, one on the consensus with its doubts and
// one through each person's T; both are about as good as the majority or better on true labels.
func TestTrainOnAnswers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	vars := realVars(t, dir)
	truth := writeCrowd(t, dir)
	var lines []byte
	for _, y := range truth {
		lines = append(lines, []string{"no\n", "yes\n"}[y]...)
	}
	write(t, filepath.Join(dir, "truth.txt"), lines)
	start(t, dir, vars, "audit", "X.npy", "--answers", "answers.csv", "--out", "a", "--quiet").ends(t, 0)
	start(t, dir, vars, "train", "X.npy", "--audit", "a", "--test", "X.npy", "--test-labels", "truth.txt", "--out", "runs", "--quiet").ends(t, 0)
	files, err := filepath.Glob(filepath.Join(dir, "runs", "*", "result.json"))
	if err != nil || len(files) != 3 {
		t.Fatalf("%d runs, %v", len(files), err)
	}
	accuracy := map[string]float64{}
	for _, file := range files {
		var r store.Result
		if err := json.Unmarshal(read(t, file), &r); err != nil {
			t.Fatal(err)
		}
		accuracy[r.Config.Loss] = r.Last.TestAccuracy
		want := map[string]string{"cross-entropy": "", "soft": audit.ProbabilitiesFile, "answers": audit.LikelihoodsFile}[r.Config.Loss]
		if got := r.Config.Targets; want == "" && got != "" || want != "" && filepath.Base(got) != want {
			t.Errorf("%s has the targets %q, want %q", r.Config.Loss, got, want)
		}
		if got := filepath.Base(r.Config.Source.Labels); got != audit.VotesFile {
			t.Errorf("%s has the labels %q", r.Config.Loss, got)
		}
	}
	if m := accuracy["cross-entropy"]; accuracy["soft"] < max(90, m-1) || accuracy["answers"] < max(90, m-1) {
		t.Errorf("accuracies %v, want 90 and those of the majority", accuracy)
	}
	if err := os.Remove(filepath.Join(dir, "a", audit.LikelihoodsFile)); err != nil {
		t.Fatal(err)
	}
	p := start(t, dir, vars, "train", "X.npy", "--audit", "a", "--out", "other", "--quiet")
	p.ends(t, app.ExitData)
	contains(t, "stderr", p.err.String(), audit.LikelihoodsFile)
	start(t, dir, vars, "audit", "--answers", "answers.csv", "--out", "alone", "--quiet").ends(t, 0)
	p = start(t, dir, vars, "train", "--audit", "alone", "--out", "other", "--quiet")
	p.ends(t, app.ExitUsage)
	contains(t, "stderr", p.err.String(), "DATA is missing", "of answers")
}

// Random checks of a consensus count its wrong labels; the next audit has the same consensus, and
// their count.
func TestRandomChecksOfAnswers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	vars := realVars(t, dir)
	truth := writeCrowd(t, dir)
	for name, data := range map[string][]string{"alone": nil, "with": {"X.npy"}} {
		args := append(append([]string{"audit"}, data...), "--answers", "answers.csv", "--out", name, "--quiet", "--json")
		p := start(t, dir, vars, args...)
		p.ends(t, 0)
		var before audit.Summary
		if err := json.Unmarshal(p.out.Bytes(), &before); err != nil {
			t.Fatal(err)
		}
		judged, err := audit.At(filepath.Join(dir, name)).Judged()
		if err != nil {
			t.Fatal(err)
		}
		if r := judged.Model.Range(nil); math.Abs(r.Low-before.Wrong.Low)+math.Abs(r.High-before.Wrong.High) > .02 {
			t.Errorf("%s: labels are drawn by a model with the range %+v, the audit has %+v", name, r, before.Wrong)
		}
		sheet := filepath.Join(dir, name+".csv")
		start(t, dir, vars, "review", name, "--random", "150", "--write", sheet).ends(t, 0)
		records, err := csv.NewReader(strings.NewReader(string(read(t, sheet)))).ReadAll()
		if err != nil || len(records) != 151 {
			t.Fatalf("%d lines, %v", len(records), err)
		}
		column := map[string]int{}
		for k, head := range records[0] {
			column[head] = k
		}
		for _, r := range records[1:] {
			var i int
			if _, err := fmt.Sscan(r[column["id"]], &i); err != nil {
				t.Fatal(err)
			}
			r[column["true"]] = []string{"no", "yes"}[truth[i]]
		}
		var filled strings.Builder
		if err := csv.NewWriter(&filled).WriteAll(records); err != nil {
			t.Fatal(err)
		}
		write(t, sheet, []byte(filled.String()))
		p = start(t, dir, vars, append(args, "--checked", sheet)...)
		p.ends(t, 0)
		var s audit.Summary
		if err := json.Unmarshal(p.out.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		wrong := float64(s.Examples - rightLabels(t, filepath.Join(dir, name), truth))
		c := s.Random
		if c == nil || c.Asked != 150 || c.Checked < 150 {
			t.Fatalf("%s: random checks %+v", name, c)
		}
		// The interval holds the number in nine of ten draws: a test that fails at 20 times the distance.
		if half := c.Interval.High - c.Interval.Low; wrong < c.Interval.Low-half || wrong > c.Interval.High+half {
			t.Errorf("%s: %.1f (%.1f to %.1f) are wrong by the checks, %.0f are", name, c.Wrong, c.Interval.Low, c.Interval.High, wrong)
		}
		if e := s.Wrong.Estimate; e == nil || *e != c.Wrong {
			t.Errorf("%s: %+v, by the checks %v", name, s.Wrong, c.Wrong)
		}
	}
}

// A decision on a label of the consensus counts, where the votes have another label, too.
func TestDecisionsOnAnswers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	vars := realVars(t, dir)
	writeCrowd(t, dir)
	args := []string{"audit", "--answers", "answers.csv", "--out", "a", "--quiet", "--json"}
	start(t, dir, vars, args...).ends(t, 0)
	consensus, err := audit.At(filepath.Join(dir, "a")).Consensus()
	if err != nil {
		t.Fatal(err)
	}
	votes, err := csv.NewReader(strings.NewReader(string(read(t, filepath.Join(dir, "a", audit.RunsDir, audit.NamedVotesFile))))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range consensus {
		if votes[i+1][1] == l.Label {
			continue
		}
		write(t, filepath.Join(dir, "decisions.csv"), fmt.Appendf(nil, "id,given,label,decision,time\n%s,%s,%s,accept,2026-01-02T03:04:05Z\n", l.ID, l.Label, l.Label))
		p := start(t, dir, vars, append(args, "--trusted", "decisions.csv")...)
		p.ends(t, 0)
		var s audit.Summary
		if err := json.Unmarshal(p.out.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		issues, err := audit.At(filepath.Join(dir, "a")).Issues()
		if err != nil {
			t.Fatal(err)
		}
		if last := issues[len(issues)-1]; s.TrustedLabels != 1 || last.ID != l.ID || last.PWrong != 0 {
			t.Errorf("%d decisions count; the surest label is %+v, want %s, which a person has accepted", s.TrustedLabels, last, l.ID)
		}
		return
	}
	t.Fatal("the consensus is the majority")
}
