package find

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/humanize"
)

// hard is an audit of labels whose mistakes are among the hard examples, as people make them.
func hard(t *testing.T) (f *audit.Folder, a Audit, wrong map[string]bool) {
	t.Helper()
	const n = 3000
	rng := rand.New(rand.NewPCG(8, 8))
	d := &dataset.Dataset{Classes: []string{"cat", "dog", "none"}, Train: dataset.Split{Labels: make([]int, n), Truth: make([]int, n)}}
	var p []float32
	wrong = map[string]bool{}
	for i := range n {
		truth := i % 3
		other := (truth + 1 + rng.IntN(2)) % 3
		surest := float32(.97)
		if rng.IntN(4) == 0 { // the networks cannot tell, and people are often wrong
			surest = .6
		}
		row := []float32{.01, .01, .01}
		row[truth], row[other] = surest, 1-surest-.01
		given := truth
		if share := map[bool]float64{true: .45, false: .01}[surest < .7]; rng.Float64() < share {
			given = other
		}
		d.Train.Labels[i], d.Train.Truth[i] = given, truth
		if given != truth {
			wrong[d.Train.ID(i)] = true
		}
		p = append(p, row...)
	}
	a = Audit{
		Data: d, Probabilities: p, Note: func(string) {}, Command: "losscorr audit", Program: "0",
		Networks: config.Config{Loss: "cross-entropy", Seed: 1, Noise: config.Noise{Kind: "none"}, Estimator: config.Estimator{Name: "vertices", Kappa: .3}},
	}
	return audit.At(t.TempDir()), a, wrong
}

// drawn is an audit of hard that has run, and n random checks of it.
func drawn(t *testing.T, n int) (f *audit.Folder, a Audit, j *audit.Judged, r *audit.Random) {
	t.Helper()
	f, a, _ = hard(t)
	if _, err := a.Run(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	j, err := f.Judged()
	if err != nil {
		t.Fatal(err)
	}
	if r, err = j.Draw(n); err != nil {
		t.Fatal(err)
	}
	return f, a, j, r
}

// Random checks count mistakes that do not depend on the class alone, and everything that is said of
// numbers follows them.
func TestRandomChecks(t *testing.T) {
	f, a, wrong := hard(t)
	before, err := a.Run(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if before.Random != nil {
		t.Errorf("without checks: %+v", before.Random)
	}
	j, err := f.Judged()
	if err != nil {
		t.Fatal(err)
	}
	r, err := j.Draw(200)
	if err != nil || r.Asked != 200 || len(r.Strata) != 20 {
		t.Fatal(err, r.Asked)
	}
	var decisions []audit.Decision
	for k, c := range r.Checks[:200] {
		d := audit.Decision{ID: c.ID, Given: c.Given, Label: c.Given, Action: audit.Accept, Time: audittest.Moment}
		if wrong[c.ID] {
			d.Label, d.Action = a.Data.Classes[a.Data.Train.Truth[j.Row(c.ID)]], audit.Other
		}
		if k == 5 {
			d = audit.Decision{ID: c.ID, Given: c.Given, Action: audit.Skip, Time: audittest.Moment}
		}
		decisions = append(decisions, d)
	}
	audittest.Decide(t, f, decisions...)
	after, err := a.Run(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	c := after.Random
	if c == nil || c.Checked != 199 || c.Skipped != 1 || c.Asked != 200 {
		t.Fatalf("%+v", c)
	}
	truth := float64(len(wrong))
	if math.Abs(c.Wrong-truth) > c.Interval.High-c.Interval.Low { // the draw is random, and the interval misses one truth in ten
		t.Errorf("from %.0f to %.0f wrong, in truth %.0f", c.Interval.Low, c.Interval.High, truth)
	}
	if old := math.Abs(before.ExpectedWrong - truth); math.Abs(after.ExpectedWrong-truth) > old/2 {
		t.Errorf("%.0f wrong, before the checks %.0f, in truth %.0f", after.ExpectedWrong, before.ExpectedWrong, truth)
	}
	if after.NoiseRate != c.Wrong/3000 || after.NoiseRateInterval.High != c.Interval.High/3000 {
		t.Errorf("the noise rate is not that of the checks: %v, %+v", after.NoiseRate, after.NoiseRateInterval)
	}
	sum := 0.
	for _, class := range after.Classes {
		sum += class.ExpectedWrong
	}
	if math.Abs(sum-c.Wrong) > 1 {
		t.Errorf("the classes have %.1f wrong labels, all have %.1f", sum, c.Wrong)
	}
	if len(c.Rounds) < 5 || c.Rounds[len(c.Rounds)-1] != (audit.Round{Checked: c.Checked, Wrong: c.Wrong, Low: c.Interval.Low, High: c.Interval.High}) {
		t.Errorf("rounds %+v", c.Rounds)
	}
	if len(c.More) == 0 || c.More[len(c.More)-1].Checks < 100 {
		t.Errorf("more checks %+v", c.More)
	}
	issues, err := f.Issues()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range issues {
		for _, d := range decisions {
			if d.ID == i.ID && d.Decides() && (i.PWrong == 1) != wrong[i.ID] {
				t.Errorf("%s is decided, and wrong with the probability %v", i.ID, i.PWrong)
			}
		}
	}
	if after.TrustedLabels != 0 {
		t.Errorf("%d random checks are trusted labels", after.TrustedLabels)
	}
	a.Trusted = audit.Last(decisions) // the same decisions are both: the count is of the model without them
	both, err := a.Run(t.Context(), f)
	if err != nil || both.TrustedLabels != 199 || both.Random.Slope > 1.5*c.Slope || math.Abs(both.Random.Wrong-c.Wrong) > c.Wrong/10 {
		t.Errorf("%d trusted labels, %v; %+v, without them %+v", both.TrustedLabels, err, both.Random, c)
	}
}

// The probabilities that a draw and a count are made by know nothing of what people said.
func TestModelForgetsAnswers(t *testing.T) {
	f, a, _ := hard(t)
	if _, err := a.Run(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	before, err := f.Judged()
	if err != nil {
		t.Fatal(err)
	}
	a.Trusted = audittest.Labelled("3", "dog", "4", "cat")
	if _, err := a.Run(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	after, err := f.Judged()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.Model, after.Model); diff != "" {
		t.Error(diff)
	}
}

// A draw resumes where it was, and does not stand for other labels.
func TestDrawGoesOn(t *testing.T) {
	f, a, j, first := drawn(t, 50)
	for _, n := range []int{100, 20} {
		again, err := j.Draw(n)
		if err != nil || again.Asked != 100 {
			t.Errorf("%d are asked for, %v", again.Asked, err)
		}
		if diff := cmp.Diff(first.Checks, again.Checks); diff != "" {
			t.Error(diff)
		}
	}
	checkFewDrawn(t, f, j)
	a.Data.Train.Labels[7] = (a.Data.Train.Labels[7] + 1) % 3
	s, err := a.Run(t.Context(), f)
	if err != nil || s.Random != nil || !strings.Contains(strings.Join(s.Warnings, "\n"), "other examples or labels") {
		t.Errorf("%v, %q", err, s.Warnings)
	}
	if j, err = f.Judged(); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Draw(50); !errors.As(err, new(*audit.OtherLabelsError)) {
		t.Errorf("a draw of other labels: %v", err)
	}
}

// checkFewDrawn checks that no more can be asked for than were drawn, and that no more are recommended.
func checkFewDrawn(t *testing.T, f *audit.Folder, j *audit.Judged) {
	t.Helper()
	many, err := j.Draw(2000)
	if err != nil {
		t.Fatal(err)
	}
	if many.Asked != 2000 || len(many.Checks) != len(j.IDs) {
		t.Errorf("%d of %d that were drawn are asked for", many.Asked, len(many.Checks))
	}
	data, err := os.ReadFile(f.Path(audit.RandomFile))
	var few audit.Random
	if err := errors.Join(err, json.Unmarshal(data, &few)); err != nil {
		t.Fatal(err)
	}
	few.Asked, few.Checks = 100, few.Checks[:300]
	data, err = json.Marshal(few)
	if err := errors.Join(err, os.WriteFile(f.Path(audit.RandomFile), data, 0o666)); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Draw(400); !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), "300 at most") {
		t.Errorf("more than were drawn: %v", err)
	}
	decisions := map[string]audit.Decision{}
	for k, c := range few.Checks[:100] {
		decisions[c.ID] = audit.Decision{ID: c.ID, Given: c.Given, Label: c.Given, Action: audit.Accept}
		if k%5 == 0 {
			decisions[c.ID] = audit.Decision{ID: c.ID, Given: c.Given, Action: audit.None}
		}
	}
	_, all := j.Answers(many, decisions).Count(j.Model)
	_, some := j.Answers(&few, decisions).Count(j.Model)
	if len(all.More) <= len(some.More) {
		t.Errorf("%+v of all labels: this is no test", all.More)
	}
	for _, more := range some.More {
		if few.Asked+more.Checks > len(few.Checks) {
			t.Errorf("%d more checks of %d", more.Checks, len(few.Checks))
		}
	}
}

// Answers of a spreadsheet count as those of the page; the later ones hold.
func TestSheet(t *testing.T) {
	f, a, j, r := drawn(t, 30)
	path := f.Path("checks.csv")
	first := audit.Decision{ID: r.Checks[0].ID, Given: r.Checks[0].Given, Action: audit.Ambiguous, Time: audittest.Moment}
	if err := j.WriteSheet(path, r, map[string]audit.Decision{first.ID: first}); err != nil {
		t.Fatal(err)
	}
	if err := j.WriteSheet(path, r, nil); !errors.Is(err, dataset.ErrData) {
		t.Errorf("a file of answers is replaced: %v", err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) != 31 || lines[0] != "id,given,stratum,probability,true" || !strings.HasSuffix(lines[1], ",ambiguous") || !strings.HasSuffix(lines[2], ",") {
		t.Fatalf("%q", lines[:3])
	}
	for k, answer := range []string{"dog", "Ambiguous", "none", "cat", "SKIP"} { // none is a class here
		lines[k+2] += answer
	}
	for k := 7; k <= 20; k++ {
		lines[k] += r.Checks[k-1].Given
	}
	if err := os.WriteFile(path, []byte("\ufeff"+strings.Join(lines, "\r\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	if a.Checked, err = audit.ReadSheet(path, own.Source{}, a.Data.Classes); err != nil || len(a.Checked) != 30 { // ten of them are empty
		t.Fatalf("%v, %d answers", err, len(a.Checked))
	}
	if d := a.Checked[r.Checks[3].ID]; d.Label != "none" || !d.Decides() {
		t.Errorf("the class none: %+v", d)
	}
	s, err := a.Run(t.Context(), f)
	if err != nil || s.Random == nil {
		t.Fatal(err)
	}
	if c := s.Random; c.Checked+c.Ahead != 19 || c.Skipped != 1 || c.Ambiguous < 1 || c.None != 0 {
		t.Errorf("%+v", c)
	}
	a.Checked = nil // they are remembered, until somebody says otherwise
	audittest.Decide(t, f, audit.Decision{ID: first.ID, Given: first.Given, Label: first.Given, Action: audit.Accept, Time: time.Now().UTC().AddDate(0, 0, 1)})
	again, err := a.Run(t.Context(), f)
	if err != nil || again.Random == nil || again.Random.Ambiguous != s.Random.Ambiguous-1 || again.Random.Right != s.Random.Right+1 {
		t.Errorf("%v, %+v after %+v", err, again.Random, s.Random)
	}
}

// A warning names the checks without an answer that others wait for, and only these.
func TestAnswersThatWait(t *testing.T) {
	f, a, _, r := drawn(t, 40)
	for _, n := range []int{5, 10, 30} {
		a.Checked = map[string]audit.Decision{}
		ahead := 0
		for k, c := range r.Checks[:n] { // the others are not reached
			if k == 5 {
				continue
			}
			a.Checked[c.ID] = audit.Decision{ID: c.ID, Given: c.Given, Label: c.Given, Action: audit.Accept}
			if k > 5 && c.Stratum == r.Checks[5].Stratum {
				ahead++
			}
		}
		s, err := a.Run(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(s.Warnings, "\n")
		want := fmt.Sprintf("do not count where an earlier check of their stratum has none (%s after 1 empty check, such as %q)", humanize.Count(ahead, "answer"), r.Checks[5].ID)
		if strings.Contains(text, want) != (ahead > 0) || strings.Contains(text, "10 are needed") != (n <= 10) || s.Random != nil && s.Random.Ahead != ahead {
			t.Errorf("%d answers, %d wait: %q, want %q; %+v", n, ahead, text, want, s.Random)
		}
	}
}

// The answers of a file replace older decisions everywhere, as trusted labels, in the count and in
// labels_corrected.csv; an emptied file takes them back.
func TestNewerSheet(t *testing.T) {
	f, a, j, r := drawn(t, 40)
	classes, text := a.Data.Classes, "id,given,true\n"
	for k, c := range r.Checks[:40] {
		answer := c.Given
		switch k {
		case 2:
			answer = "ambiguous"
		case 0, 1:
			answer = classes[(slices.Index(classes, c.Given)+1)%3]
			audittest.Decide(t, f, audit.Decision{ID: c.ID, Given: c.Given, Label: c.Given, Action: audit.Accept, Time: audittest.Moment})
		}
		text += c.ID + "," + c.Given + "," + answer + "\n"
	}
	read := func(text string) audit.Summary {
		a.Sheet = f.Path("checks.csv")
		if err := os.WriteFile(a.Sheet, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var err error
		if a.Checked, err = audit.ReadSheet(a.Sheet, own.Source{}, classes); err != nil {
			t.Fatal(err)
		}
		a.Known = []string{f.Path(audit.DecisionsFile)}
		if a.Trusted, err = audit.ReadTrustedFiles(a.Known, own.Source{}); err != nil { // before the file was read
			t.Fatal(err)
		}
		s, err := a.Run(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := read(text)
	if c := s.Random; c == nil || c.Changed != 2 || c.Ambiguous != 1 || c.Right+c.Ahead != 37 || s.TrustedLabels != 39 {
		t.Errorf("%+v; %d are trusted", c, s.TrustedLabels)
	}
	labels, err := f.Labels()
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range r.Checks[:2] {
		if label := labels[j.Row(c.ID)].Label; label == c.Given {
			t.Errorf("check %d keeps %s", k, label)
		}
	}
	issues := []audit.Issue{{ID: "a", Given: "cat", Suggested: "dog", PWrong: .9}, {ID: "b", Given: "cat", Suggested: "dog", PWrong: .9, Row: 1}}
	of := a.corrected(issues, map[string]audit.Decision{"a": {ID: "a", Given: "cat", Action: audit.Ambiguous}})
	if diff := cmp.Diff([]audit.Label{{ID: "a", Label: "cat"}, {ID: "b", Label: "dog"}}, of); diff != "" {
		t.Error(diff)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for k := range lines[1:] {
		lines[k+1] = lines[k+1][:strings.LastIndex(lines[k+1], ",")+1]
	}
	if s = read(strings.Join(lines, "\n")); s.Random != nil || s.TrustedLabels != 2 { // the decisions hold again
		t.Errorf("%+v; %d are trusted", s.Random, s.TrustedLabels)
	}
}

func TestSheetErrors(t *testing.T) {
	f := audit.At(t.TempDir())
	for text, want := range map[string]string{
		"id,given,true\na,cat,mouse\n": `line 2: "mouse" is no class (cat, dog), and not ambiguous, none or skip`,
		"id;given;true\n":              "no columns id, given and true",
		"":                             "EOF",
		"id,given,true\na\n":           "wrong number of fields",
	} {
		path := f.Path("x.csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := audit.ReadSheet(path, own.Source{}, []string{"cat", "dog"}); !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	folder, a, _ := hard(t)
	a.Checked = map[string]audit.Decision{"0": {ID: "0", Action: audit.None}}
	if _, err := a.Run(t.Context(), folder); !errors.Is(err, dataset.ErrData) {
		t.Errorf("answers without a draw: %v", err)
	}
	a.Checked = nil
	if _, err := a.Run(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	j, err := folder.Judged()
	if err != nil {
		t.Fatal(err)
	}
	r, err := j.Draw(20)
	if err != nil {
		t.Fatal(err)
	}
	other := ""
	for row := 0; other == ""; row++ {
		other = j.IDs[row]
		for _, c := range r.Checks[:r.Asked] {
			if c.ID == other {
				other = ""
				break
			}
		}
	}
	a.Checked = map[string]audit.Decision{other: {ID: other, Action: audit.None}}
	if _, err := a.Run(t.Context(), folder); !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), "not drawn") {
		t.Errorf("an answer of no random check: %v", err)
	}
}
