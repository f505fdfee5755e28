package find

import (
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
	if w := before.Wrong; before.Random != nil || w.Estimate != nil || w.Low > float64(len(wrong)) || w.High < float64(len(wrong)) {
		t.Errorf("without checks: %+v, %+v, in truth %d", before.Random, w, len(wrong))
	}
	j, err := f.Judged()
	if err != nil {
		t.Fatal(err)
	}
	r, err := j.Draw(200)
	if err != nil || len(r.Distinct()) != 200 {
		t.Fatal(err, len(r.Distinct()))
	}
	var decisions []audit.Decision
	for n, k := range r.Distinct() {
		c := r.Checks[k]
		d := audit.Decision{ID: c.ID, Given: c.Given, Label: c.Given, Action: audit.Accept, Time: audittest.Moment}
		if wrong[c.ID] {
			d.Label, d.Action = a.Data.Classes[a.Data.Train.Truth[j.Row(c.ID)]], audit.Other
		}
		if n == 5 {
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
	if c == nil || c.Checked < 199 || c.Skipped != 1 || c.Asked != 200 {
		t.Fatalf("%+v", c)
	}
	truth := float64(len(wrong))
	if math.Abs(c.Wrong-truth) > c.Interval.High-c.Interval.Low { // the draw is random, and the interval misses one truth in ten
		t.Errorf("from %.0f to %.0f wrong, in truth %.0f", c.Interval.Low, c.Interval.High, truth)
	}
	if w := after.Wrong; w.Estimate == nil || *w.Estimate != c.Wrong || w.Low != c.Interval.Low || w.High != c.Interval.High {
		t.Errorf("the number is not that of the checks: %+v, %+v", w, c)
	}
	sum := 0.
	for _, class := range after.Classes {
		sum += *class.Wrong.Estimate
	}
	if math.Abs(sum-c.Wrong) > 1 {
		t.Errorf("the classes have %.1f wrong labels, all have %.1f", sum, c.Wrong)
	}
	if before.Measured.F1 > after.Measured.F1+.01 || after.Pi <= before.Pi {
		t.Errorf("F1 %.3f, before the checks %.3f; pi %.2f and %.2f", after.Measured.F1, before.Measured.F1, after.Pi, before.Pi)
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
	if err != nil || both.TrustedLabels != 199 || math.Abs(both.Random.Wrong-c.Wrong) > c.Wrong/10 {
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
	if diff := cmp.Diff(before.Model.Mixture(.5), after.Model.Mixture(.5)); diff != "" {
		t.Error(diff)
	}
}

// A draw does not stand for other labels.
func TestDrawOfOtherLabels(t *testing.T) {
	f, a, _, _ := drawn(t, 50)
	a.Data.Train.Labels[7] = (a.Data.Train.Labels[7] + 1) % 3
	s, err := a.Run(t.Context(), f)
	if err != nil || s.Random != nil || !strings.Contains(strings.Join(s.Warnings, "\n"), "other examples or labels") {
		t.Errorf("%v, %q", err, s.Warnings)
	}
	j, err := f.Judged()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Draw(50); !errors.As(err, new(*audit.OtherLabelsError)) {
		t.Errorf("a draw of other labels: %v", err)
	}
}

// Answers of a spreadsheet count as those of the page; the later ones hold.
func TestSheet(t *testing.T) {
	f, a, j, r := drawn(t, 30)
	path := f.Path("checks.csv")
	first := audit.Decision{ID: r.Checks[0].ID, Given: r.Checks[0].Given, Action: audit.Ambiguous, Time: audittest.Moment}
	r.Checks = distinct(r)
	if err := j.WriteSheet(t.Context(), path, r, own.Source{}, map[string]audit.Decision{first.ID: first}, false); err != nil {
		t.Fatal(err)
	}
	if err := j.WriteSheet(t.Context(), path, r, own.Source{}, nil, false); !errors.Is(err, dataset.ErrData) {
		t.Errorf("a file of answers is replaced: %v", err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) != 31 || lines[0] != "id,text,given,suggested,chance,true" || !strings.HasSuffix(lines[1], ",ambiguous") || !strings.HasSuffix(lines[2], ",") {
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

// distinct are the checks without those of labels that were drawn before.
func distinct(r *audit.Random) (checks []audit.RandomCheck) {
	for _, k := range r.Distinct() {
		checks = append(checks, r.Checks[k])
	}
	return checks
}

// Answers count up to the first check without one, which a warning names.
func TestAnswersThatWait(t *testing.T) {
	f, a, _, r := drawn(t, 40)
	checks := distinct(r)
	for _, n := range []int{5, 20, 40} {
		a.Checked = map[string]audit.Decision{}
		for k, c := range checks[:n] {
			if k != 15 {
				a.Checked[c.ID] = audit.Decision{ID: c.ID, Given: c.Given, Label: c.Given, Action: audit.Accept}
			}
		}
		s, err := a.Run(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(s.Warnings, "\n")
		waits := fmt.Sprintf("an earlier check has no answer: answer or skip %q", checks[15].ID)
		if strings.Contains(text, "too few for a number") != (n < 10) || strings.Contains(text, waits) != (n > 15) {
			t.Errorf("%d answers: %q", n, text)
		}
		if c := s.Random; n > 15 && (c.Checked < 15 || c.Checked+c.Ahead < n-1 || c.Ahead < n-16) {
			t.Errorf("%d answers: %+v", n, c)
		}
	}
}

// The answers of a file replace older decisions everywhere, as trusted labels, in the count and in
// labels_corrected.csv; an emptied file takes them back.
func TestNewerSheet(t *testing.T) {
	f, a, j, r := drawn(t, 40)
	classes, text := a.Data.Classes, "id,given,true\n"
	for k, c := range distinct(r) {
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
	if c := s.Random; c == nil || c.Changed < 2 || c.Ambiguous < 1 || c.Right < 37 || s.TrustedLabels != 39 {
		t.Errorf("%+v; %d are trusted", c, s.TrustedLabels)
	}
	labels, err := f.Labels()
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range distinct(r)[:2] {
		if label := labels[j.Row(c.ID)].Label; label == c.Given {
			t.Errorf("check %d keeps %s", k, label)
		}
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
		for _, c := range r.Checks {
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

// Where most labels of each class are another one's, only labels that people have decided say which row of T-hat is whose.
func TestDecisionsNameRows(t *testing.T) {
	const n = 900
	d := &dataset.Dataset{Classes: []string{"a", "b", "c"}, Train: dataset.Split{Labels: make([]int, n)}}
	logits := make([]float32, 0, 3*n)
	var decisions []audit.Decision
	for i := range n {
		truth, next := i%3, (i+1)%3
		row := []float32{-4, -4, -4}
		row[truth], row[next] = -.9, -.5
		logits = append(logits, row...)
		d.Train.Labels[i] = next
		if i%5 < 2 {
			d.Train.Labels[i] = truth
		}
		if i < 30 {
			given := d.Classes[d.Train.Labels[i]]
			decisions = append(decisions, audit.Decision{ID: d.Train.ID(i), Given: given, Label: d.Classes[truth]})
		}
	}
	_, a, _ := hard(t)
	a.Data = d
	for _, said := range [][]audit.Decision{nil, decisions} {
		found := &finding{said: said}
		if err := found.estimate(a, logits); err != nil {
			t.Fatal(err)
		}
		if right := found.estimation.T.At(0, 0) < .5; right != (said != nil) {
			t.Errorf("with %d decisions T-hat is %v", len(said), found.estimation.T.Rows())
		}
	}
}

// Labels of weak networks do not show T-hat, random checks do.
func TestChecksShowT(t *testing.T) {
	const n = 1000
	rng := rand.New(rand.NewPCG(3, 1))
	d := &dataset.Dataset{Classes: []string{"a", "b"}, Train: dataset.Split{Labels: make([]int, n), Truth: make([]int, n)}}
	p := make([]float32, 0, 2*n)
	for i := range n {
		truth := i % 2
		b := float32(1 / (1 + math.Exp(1.5-3*float64(truth)-1.5*rng.NormFloat64())))
		b += .45 * (1 - b)
		p = append(p, 1-b, b)
		d.Train.Truth[i], d.Train.Labels[i] = truth, truth
		if rng.Float64() < .45 {
			d.Train.Labels[i] = 1
		}
	}
	f, a, _ := hard(t)
	a.Data, a.Probabilities = d, p
	before, err := a.Run(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	j, err := f.Judged()
	if err != nil {
		t.Fatal(err)
	}
	r, err := j.Draw(150)
	if err != nil {
		t.Fatal(err)
	}
	var decisions []audit.Decision
	for _, k := range r.Distinct() {
		c := r.Checks[k]
		label := d.Classes[d.Train.Truth[j.Row(c.ID)]]
		action := audit.Accept
		if label != c.Given {
			action = audit.Other
		}
		decisions = append(decisions, audit.Decision{ID: c.ID, Given: c.Given, Label: label, Action: action, Time: audittest.Moment})
	}
	audittest.Decide(t, f, decisions...)
	after, err := a.Run(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if before.Evidence.Shown() || !after.Evidence.Shown() || after.Measured.F1 < .7 {
		t.Errorf("evidence of T-hat %+v, with 150 checks %+v", before.Evidence, after.Evidence)
	}
}
