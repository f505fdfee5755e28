package audit

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// pets are n labels with a model: of every fourth label both kinds of mistakes are likely, of the one after it neither,
// then only class-dependent ones, then only instance-dependent ones.
func pets(t *testing.T, n int) (*Folder, *dataset.Dataset, *Judged) {
	t.Helper()
	f, data := At(t.TempDir()), &dataset.Dataset{Classes: []string{"cat", "dog"}}
	g := make([]float32, 2*n)
	for i := range n {
		data.Train.IDs, data.Train.Labels = append(data.Train.IDs, string(rune('a'+i))), append(data.Train.Labels, 0)
		g[2*i], g[2*i+1] = .5, .5
	}
	j := f.judgedOf(data)
	names := expect.Got(correction.Identity(j.Classes))(t)
	j.Model = expect.Got(judging.New(g, j.Given, names, estimators.Evidence{}))(t)
	for i := range n {
		j.Model.ClassDependent[i], j.Model.InstanceDependent[i] = []float64{.9, .1, .9, .1}[i%4],
			[]float64{.9, .1, .1, .9}[i%4]
	}
	return f, data, j
}

// Draws keep the checks that there are and add some until n different labels are drawn, each with its chance. Without
// any to add the file is left alone. A file for people has the suggestions.
func TestDraw(t *testing.T) {
	const n = 40
	f, _, j := pets(t, n)
	before := []RandomCheck{}
	for _, want := range []int{10, 25, n, n} {
		r, err := j.Draw(want)
		if err != nil || len(r.Distinct()) != want || cmp.Diff(before, r.Checks[:len(before)]) != "" {
			t.Fatalf("%d labels are drawn, want %d, the first ones kept; %v", len(r.Distinct()), want, err)
		}
		before = r.Checks
	}
	for _, k := range (&Random{Checks: before}).Distinct() {
		c := before[k]
		want := 1. / (2 * n)
		if j.Row(c.ID)%4 >= 2 { // the kinds of mistakes disagree
			want += 1. / n
		}
		if math.Abs(c.Chance-want) > 1e-12 {
			t.Errorf("label %d is drawn with the chance %v, want %v", j.Row(c.ID), c.Chance, want)
		}
	}
	old := expect.Got(os.Stat(f.Path(RandomFile)))(t)
	for _, fewer := range []int{5, n, 3 * n} {
		expect.Same(t, before, expect.Got(j.Draw(fewer))(t).Checks)
	}
	if !os.SameFile(old, expect.Got(os.Stat(f.Path(RandomFile)))(t)) {
		t.Error("the file was written again")
	}
	one := &Random{Checks: []RandomCheck{{ID: "a", Given: "cat", Chance: .5}}}
	expect.OK(t, j.WriteSheet(t.Context(), f.Path("s.csv"), one, own.Source{}, nil, false))
	expect.Same(t, "id,text,given,suggested,chance,true\na,,cat,dog,0.5,\n", string(read(t, f.Path("s.csv"))))
	j.Given[3] = 1
	if _, err := j.Draw(5); err == nil || !strings.Contains(err.Error(), "the labels have changed since") {
		t.Errorf("of other labels: %v", err)
	}
}

// Checks that an older version has drawn by strata count with the chance 1/(H N_h), those that were asked for. They can
// be extended, and keep their answers.
func TestRandomOfSchema1(t *testing.T) {
	f, _, j := pets(t, 5)
	write := func(text string) {
		t.Helper()
		put(t, f.Path(RandomFile), strings.Replace(text, `{`, `{"labels": "`+j.labels()+`", `, 1))
	}
	const one = `{"id": "c", "given": "cat", "stratum": 1, "answer": "other", "label": "dog", "time": "2026-11-22T10:00:00Z"}`
	write(`{"schema": 1, "asked": 2, "strata": [2, 3], "checks": [` + one +
		`, {"id": "a", "given": "cat", "stratum": 0}, {"id": "b", "given": "cat", "stratum": 0}]}`)
	first := RandomCheck{ID: "c", Given: "cat", Chance: 1. / 6, Answer: Other, Label: "dog", Time: moment}
	want := []RandomCheck{first, {ID: "a", Given: "cat", Chance: 1. / 4}}
	for _, n := range []int{0, 2, 5} {
		r, err := j.Draw(n)
		if err != nil || len(r.Checks) < n || r.Asked != 0 || r.Strata != nil {
			t.Fatalf("%+v, %v", r, err)
		}
		if diff := cmp.Diff(want, r.Checks[:2]); diff != "" || n < 5 && len(r.Checks) != 2 || len(r.Distinct()) != max(n, 2) {
			t.Errorf("draw of %d: %+v (-want +got):\n%s", n, r.Checks, diff)
		}
	}
	if text := string(read(t, f.Path(RandomFile))); !strings.Contains(text, `"schema": 2`) ||
		strings.Contains(text, "stratum") || strings.Contains(text, "asked") {
		t.Error(text)
	}
	for text, want := range map[string]string{
		`{"schema": 1, "asked": 2, "strata": [2, 3], "checks": [` + one + `]}`: "2 of 1 checks were asked for",
		`{"schema": 1, "asked": 1, "strata": [2], "checks": [` + one + `]}`:    `example "c" is of stratum 1 of 1`,
		`{"schema": 1, "asked": 1, "strata": [2, 0], "checks": [` + one + `]}`: `example "c" is of stratum 1 of 2`,
		`{"schema": 2, "checks": [` + one + `]}`:                               `example "c" was drawn with probability 0`,
		`{"schema": 3}`:                                                        "schema 3, want 2",
		`{"schema"`:                                                            "random_checks.json",
	} {
		write(text)
		if _, err := j.Random(); !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Answers count up to the first check without one. A number is given from ten labels on, and the share of
// instance-dependent mistakes by each answer.
func TestAnswers(t *testing.T) {
	_, _, j := pets(t, 28)
	r := &Random{}
	for _, row := range []int{2, 3, 2, 6, 7, 10, 11, 3, 14, 15, 18, 19, 22, 23} {
		r.Checks = append(r.Checks, RandomCheck{ID: j.IDs[row], Given: "cat", Chance: .05})
	}
	said := map[string]Decision{}
	answer := func(id string, action Action) {
		said[id] = Decision{ID: id, Given: "cat", Label: map[Action]string{Accept: "cat", Other: "dog"}[action],
			Action: action}
	}
	if pi, _ := j.Answers(r, said).Pi(); pi != j.Model.Pi {
		t.Errorf("pi is %v without answers, want %v", pi, j.Model.Pi)
	}
	var ids []string
	for _, k := range r.Distinct() {
		ids = append(ids, r.Checks[k].ID)
	}
	for _, byExample := range []bool{true, false} { // which kind of mistakes the answers show
		clear(said)
		for k := range ids {
			answer(ids[k], Accept)
			if (j.Row(ids[k])%4 == 3) == byExample {
				answer(ids[k], Other)
			}
			if count, c := j.Answers(r, said).Count(); (count != nil) != (k+1 >= leastChecks) || c != nil && c.Checked != k+1 {
				t.Errorf("after %d answers: %+v", k+1, c)
			}
		}
		count, c := j.Answers(r, said).Count()
		if rounds := j.Answers(r, said).Shrinking(count); len(rounds) != 2 || rounds[0].Checked != 10 ||
			rounds[1].Checked != 12 || rounds[1] != c.Rounds[0] {
			t.Errorf("rounds %+v", rounds)
		}
		if pi, _ := j.Answers(r, said).Pi(); byExample && pi < .6 || !byExample && pi > .4 {
			t.Errorf("pi is %v; the mistakes depend on the example: %v", pi, byExample)
		}
	}
	answer(ids[1], Ambiguous)
	answer(ids[2], None)
	answer(ids[3], Skip)
	count, c := j.Answers(r, said).Count()
	want := Checked{Asked: 12, Checked: 11, Right: 4, Changed: 5, Ambiguous: 1, None: 1, Skipped: 1}
	if diff := cmp.Diff(want, *c, cmpopts.IgnoreFields(Checked{}, "Wrong", "Interval", "Rounds", "More")); diff != "" ||
		c.Wrong != count.Wrong || c.Interval.Low != count.Low {
		t.Errorf("-want +got:\n%s", diff)
	}
	delete(said, ids[8])
	if _, c := j.Answers(r, said).Count(); c != nil {
		t.Errorf("%+v", c) // 7 labels come before it
	}
}

// An audit names what keeps checks from counting, and what to do. A label that was drawn twice is one.
func TestCountChecked(t *testing.T) {
	f, data, j := pets(t, 20)
	r := &Random{Labels: j.labels()}
	for _, row := range []int{0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11} {
		r.Checks = append(r.Checks, RandomCheck{ID: j.IDs[row], Given: "cat", Chance: .05})
	}
	expect.OK(t, f.writeRandom(r))
	lines := map[rune]string{'r': "cat,accept", 'w': "dog,other", 'n': ",none", 's': ",skip"}
	for _, tt := range []struct {
		answers, warning string
		checked, known   int
	}{
		{"------------", "0 random checks are too few for a number: make 10 or more (losscorr review " + f.Dir() +
			" --random 12)", 0, 0},
		{"sssrrrrrrwwn", "9 random checks are too few for a number: make 10 or more (losscorr review " + f.Dir() +
			" --random 13)", 0, 8},
		{"r-rrrrrrrrrr", `answers to random checks do not count yet (10 of them), since an earlier check has no answer: answer or skip "b"`, 0, 11},
		{"rwrwrrrrr-rr", `answers to random checks do not count yet (2 of them), since an earlier check has no answer: answer or skip "j"`, 0, 11},
		{"rwrwrrrrrr-r", `answers to random checks do not count yet (1 of them), since an earlier check has no answer: answer or skip "k"`, 10, 11},
		{"wrrrrrrrrrrr", "", 12, 12},
	} {
		text := header
		for k, answer := range tt.answers {
			if line := lines[answer]; line != "" {
				text += string(rune('a'+k)) + ",cat," + line + ",2026-11-22T10:00:00Z\n"
			}
		}
		put(t, f.Path(DecisionsFile), text)
		c, warning, err := f.CountChecked(data, own.Source{}, j.Model)
		if err != nil || warning != tt.warning || len(c.Known) != tt.known || (c.Count != nil) != (tt.checked > 0) {
			t.Errorf("%s: %q, %d known, %v, %v", tt.answers, warning, len(c.Known), c.Checked, err)
		}
		if c.Checked != nil && (c.Checked.Checked != tt.checked ||
			c.Checked.Rounds[len(c.Checked.Rounds)-1].Checked != tt.checked) {
			t.Errorf("%s: %+v", tt.answers, c.Checked)
		}
	}
	data.Train.Labels[19] = 1
	if c, warning, err := f.CountChecked(data, own.Source{}, j.Model); err != nil || c.Pi != j.Model.Pi ||
		!strings.HasPrefix(warning, "random checks: ") {
		t.Errorf("of other labels: %+v, %q, %v", c, warning, err)
	}
}
