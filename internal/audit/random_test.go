package audit

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
)

// pets are n labels with a model. For every four labels in a row, likely mistakes are of both kinds, neither, only
// class-dependent, and only instance-dependent.
func pets(t *testing.T, n int) (*Folder, *dataset.Dataset, *Judged) {
	t.Helper()
	f, data := At(t.TempDir()), &dataset.Dataset{Classes: []string{"cat", "dog"}}
	g := make([]float32, 2*n)
	for i := range n {
		data.Train.IDs, data.Train.Labels = append(data.Train.IDs, string(rune('a'+i))), append(data.Train.Labels, 0)
		g[2*i], g[2*i+1] = .5, .5
	}
	j := judgedOf(data, nil)
	names := expect.Got(correction.Identity(j.Classes))(t)
	j.Model = expect.Got(judging.New(g, j.Given, names, estimators.Evidence{}))(t)
	for i := range n {
		j.Model.ClassDependent[i], j.Model.InstanceDependent[i] = []float64{.9, .1, .9, .1}[i%4],
			[]float64{.9, .1, .1, .9}[i%4]
	}
	return f, data, j
}

// Draws keep existing checks and add more until n different labels are drawn, each with its chance. If there are none
// to add, the log is left alone. Changed labels need new draws.
func TestDraw(t *testing.T) {
	const n = 40
	f, _, j := pets(t, n)
	log := expect.Got(f.Write())(t)
	before := Draws{}
	for _, want := range []int{10, 25, n, n, 5, 3 * n} {
		size := log.size
		r, err := j.Draw(log, want)
		if err != nil || len(r.Distinct()) < min(want, n) || cmp.Diff(before, r[:len(before)]) != "" {
			t.Fatalf("%d labels are drawn, want %d, the first ones kept; %v", len(r.Distinct()), want, err)
		}
		if len(r) == len(before) && log.size != size {
			t.Error("the log was written again")
		}
		before = r
	}
	for _, k := range before.Distinct() {
		c := before[k]
		want := 1. / (2 * n)
		if j.Row(c.ID)%4 >= 2 { // only one kind of mistake is likely
			want += 1. / n
		}
		if math.Abs(c.Chance-want) > 1e-12 {
			t.Errorf("label %d is drawn with the chance %v, want %v", j.Row(c.ID), c.Chance, want)
		}
	}
	one := Draws{{ID: "a", Given: "cat", Chance: .5}}
	expect.OK(t, j.WriteSheet(t.Context(), f.Path("s.csv"), one, log, false))
	expect.Same(t, "id,text,given,suggested,chance,true\na,,cat,dog,0.5,\n", string(read(t, f.Path("s.csv"))))
	j.Given[3] = 1
	if r, others := j.Random(log.Log); len(r) != 0 || others != len(before) {
		t.Errorf("%d draws are of other labels, %d of these", others, len(r))
	}
	again := expect.Got(j.Draw(log, 5))(t)
	expect.OK(t, log.Close())
	expect.Same(t, append(slices.Clone(before), again...), expect.Got(f.Log())(t).Draws)
}

// Answers count up to the first check without one. Ten labels give a number, and each answer changes the share of
// instance-dependent mistakes.
func TestAnswers(t *testing.T) {
	_, _, j := pets(t, 28)
	var r Draws
	for _, row := range []int{2, 3, 2, 6, 7, 10, 11, 3, 14, 15, 18, 19, 22, 23} {
		r = append(r, Draw{ID: j.IDs[row], Given: "cat", Chance: .05})
	}
	said := map[string]Decision{}
	answer := func(id string, action Action) {
		said[id] = Decision{ID: id, Given: "cat", Label: map[Action]string{Accept: "cat", Other: "dog"}[action],
			Action: action}
	}
	if c := j.Count(r, said); c.Pi != j.Model.Pi {
		t.Errorf("pi is %v without answers, want %v", c.Pi, j.Model.Pi)
	}
	var ids []string
	for _, k := range r.Distinct() {
		ids = append(ids, r[k].ID)
	}
	for _, byExample := range []bool{true, false} { // which kind of mistakes the answers show
		clear(said)
		for k := range ids {
			answer(ids[k], Accept)
			if (j.Row(ids[k])%4 == 3) == byExample {
				answer(ids[k], Other)
			}
			if c := j.Count(r, said); (c.Count != nil) != (k+1 >= leastChecks) || c.Made.Checked != k+1 {
				t.Errorf("after %d answers: %+v", k+1, c)
			}
		}
		c := j.Count(r, said)
		if rounds := c.Checked.Rounds; len(rounds) != 2 || rounds[0].Checked != 10 || rounds[1].Checked != 12 {
			t.Errorf("rounds %+v", rounds)
		}
		if byExample && c.Pi < .6 || !byExample && c.Pi > .4 {
			t.Errorf("pi is %v; the mistakes depend on the example: %v", c.Pi, byExample)
		}
	}
	answer(ids[1], Ambiguous)
	answer(ids[2], None)
	answer(ids[3], Skip)
	c := j.Count(r, said)
	want := Checked{Asked: 12, Checked: 11, Right: 4, Changed: 5, Ambiguous: 1, None: 1, Skipped: 1}
	if diff := cmp.Diff(want, *c.Checked, cmpopts.IgnoreFields(Checked{}, "Wrong", "Interval", "Rounds",
		"More")); diff != "" || c.Checked.Wrong != c.Count.Wrong || c.Checked.Interval.Low != c.Count.Low {
		t.Errorf("-want +got:\n%s", diff)
	}
	delete(said, ids[8])
	if c := j.Count(r, said); c.Checked != nil {
		t.Errorf("%+v", c) // 7 labels come before it
	}
}

// An audit explains why checks do not count, and what to do. A label that was drawn twice counts once.
func TestCountChecked(t *testing.T) {
	f, data, j := pets(t, 20)
	var draws Draws
	for _, row := range []int{0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11} {
		draws = append(draws, Draw{ID: j.IDs[row], Given: "cat", Chance: .05, Labels: j.labels()})
	}
	again := "(losscorr review " + f.Dir() + " --random "
	for _, tt := range []struct {
		answers, warning string
		checked          int
	}{
		{"------------", "0 random checks are too few to estimate a number: make 10 or more " + again + "12)", 0},
		{"sssrrrrrrwwn", "9 random checks are too few to estimate a number: make 10 or more " + again + "13)", 0},
		{"r-rrrrrrrrrr", `10 answers to random checks do not count yet, since an earlier check has no answer: answer or skip "b"`, 0},
		{"rwrwrrrrr-rr", `2 answers to random checks do not count yet, since an earlier check has no answer: answer or skip "j"`, 0},
		{"rwrwrrrrrr-r", `1 answers to random checks do not count yet, since an earlier check has no answer: answer or skip "k"`, 10},
		{"wrrrrrrrrrrr", "", 12},
	} {
		log := Log{Draws: draws}
		for k, answer := range tt.answers {
			d := Decision{ID: string(rune('a' + k)), Given: "cat"}
			switch answer {
			case 'r':
				d.Label, d.Action = "cat", Accept
			case 'w':
				d.Label, d.Action = "dog", Other
			case 'n':
				d.Action = None
			case 's':
				d.Action = Skip
			default:
				continue
			}
			log.Answers = append(log.Answers, d)
		}
		c, warning := f.CountChecked(data, log, j.Model)
		if warning != tt.warning || (c.Count != nil) != (tt.checked > 0) {
			t.Errorf("%s: %q, %v", tt.answers, warning, c.Checked)
		}
		if c.Checked != nil && (c.Checked.Checked != tt.checked ||
			c.Checked.Rounds[len(c.Checked.Rounds)-1].Checked != tt.checked) {
			t.Errorf("%s: %+v", tt.answers, c.Checked)
		}
	}
	data.Train.Labels[19] = 1
	c, warning := f.CountChecked(data, Log{Draws: draws}, j.Model)
	want := "13 random checks do not count, since the examples or labels have changed: check again " + again + "13)"
	if c.Pi != j.Model.Pi || c.Count != nil || warning != want {
		t.Errorf("of other labels: %+v, %q", c, warning)
	}
}
