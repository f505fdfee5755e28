package relabel

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/rows"
)

// Training uses people's decisions or, without one, the audit's suggestion for a judged label.
func TestCorrect(t *testing.T) {
	f := audit.At(t.TempDir())
	var issues []audit.Issue
	var labels []audit.Label
	for row, id := range []string{"suggested", "kept", "decided", "ambiguous", "stale", "changed", "table"} {
		label := "dog"
		if id == "kept" || id == "decided" || id == "table" {
			label = "cat"
		}
		issues = append(issues, audit.Issue{ID: id, Given: "cat", Suggested: "dog", Row: row})
		labels = append(labels, audit.Label{ID: id, Label: label})
	}
	slices.Reverse(issues)
	expect.OK(t, f.WriteLabels(labels), f.WriteIssues(issues))
	audittest.Decide(t, f,
		audit.Decision{ID: "decided", Given: "cat", Label: "cow", Action: audit.Other, Time: audittest.Moment},
		audit.Decision{ID: "ambiguous", Given: "cat", Action: audit.Ambiguous, Time: audittest.Moment},
		audit.Decision{ID: "stale", Given: "dog", Label: "cow", Action: audit.Other, Time: audittest.Moment})
	data := &dataset.Dataset{Classes: []string{"cat", "cow", "dog"}, Train: dataset.Split{
		IDs:    []string{"new", "suggested", "kept", "decided", "ambiguous", "stale", "changed", "table"},
		Labels: []int{0, 0, 0, 0, 0, 0, 1, 0},
	}}
	got, err := Correct(f, own.Source{}, data)
	want := []correction.Trusted{{Index: 1, Label: 2}, {Index: 3, Label: 1}, {Index: 5, Label: 2}}
	if err != nil || !slices.Equal(got.Labels, want) || got.Judged != 6 {
		t.Errorf("%+v, %v; want %v of 6", got, err, want)
	}
	if got.Of(7) || !got.Of(6) {
		t.Error("an audit of 6 of 7 examples is one of them, or one of 6 is not")
	}
	data.Classes[2] = "horse"
	_, err = Correct(f, own.Source{}, data)
	expect.Says(t, err, `"dog"`) // an unknown class
}

// Answers to random checks from files count as decisions, as in Export.
func TestAnswersOfFilesCount(t *testing.T) {
	f := audit.At(t.TempDir())
	expect.OK(t,
		f.WriteSummary(&audit.Summary{Classes: []audit.Class{{Name: "cat"}, {Name: "dog"}}}),
		f.WriteLabels([]audit.Label{{ID: "a", Label: "dog"}, {ID: "b", Label: "cat"}}),
		f.WriteIssues([]audit.Issue{{ID: "a", Given: "cat", Suggested: "dog", PWrong: .9},
			{ID: "b", Given: "cat", Suggested: "cat", Row: 1}}),
	)
	audittest.Decide(t, f,
		audit.Decision{ID: "a", Given: "cat", Action: audit.None, Time: audittest.Moment, Why: audit.InFile},
		audit.Decision{ID: "b", Given: "cat", Action: audit.Other, Label: "dog", Time: audittest.Moment, Why: audit.InFile})
	found := expect.Got(readFound(f, own.Source{}))(t)
	for _, decisionsOnly := range []bool{false, true} {
		for k, want := range []struct {
			class string
			how   audit.Settled
		}{{"cat", audit.Undecided}, {"dog", audit.ByPeople}} {
			if class, how := found.class(found.issues[k], "cat", decisionsOnly); class != want.class || how != want.how {
				t.Errorf("%s by %v, want %+v", class, how, want)
			}
		}
	}
	data := &dataset.Dataset{Classes: []string{"cat", "dog"}, Train: dataset.Split{IDs: []string{"a", "b"},
		Labels: []int{0, 0}}}
	got := expect.Got(Correct(f, own.Source{}, data))(t)
	expect.Same(t, []correction.Trusted{{Index: 1, Label: 1}}, got.Labels)
	out := filepath.Join(t.TempDir(), "answers.csv")
	if e, err := Export(t.Context(), f, AnswersForm, out, Options{}); err != nil || e.Answers != 1 || e.Undecided != 1 {
		t.Errorf("%+v, %v", e, err)
	}
}

// studio is an exporter for the label dog, which is wrong with a probability; cat is right.
func studio(wrong float64) exporter {
	issue := audit.Issue{ID: "1", Given: "dog", Suggested: "cat", PWrong: wrong}
	return exporter{predict: true, question: "kind", found: found{byID: map[string]audit.Issue{"1": issue}}}
}

// choice is a result of an annotation.
func choice(control, label string) string {
	return fmt.Sprintf(`{"type": "choices", "from_name": %q, "to_name": "t", "value": {"choices": [%q]}}`, control, label)
}

// task is a task with annotations, each with results.
func task(annotations ...string) gjson.Result {
	return gjson.Parse(`{"id": 1, "data": {}, "annotations": [` + strings.Join(annotations, ",") + `]}`)
}

// Among several controls, the labels' one gets the suggestion: the control of the column or, for a consensus, the one
// with its classes.
func TestStudioQuestion(t *testing.T) {
	items := []gjson.Result{task(`{"result": [` + choice("kind", "dog") + `,` + choice("size", "big") + `]}`)}
	classes := []audit.Class{{Name: "cat"}, {Name: "dog"}}
	for _, s := range []audit.Summary{
		{Classes: classes, Source: own.Source{Label: "kind"}},
		{Classes: classes, Crowd: &audit.People{}},
	} {
		e := studio(.9)
		e.question = studioQuestion(items, s)
		out := expect.Got(e.task(items[0], items))(t)
		added := gjson.GetBytes(out, "predictions.0.result.0")
		from, class := added.Get("from_name").String(), added.Get("value.choices.0").String()
		if e.Predictions != 1 || e.Stale != 0 || from != "kind" || class != "cat" {
			t.Errorf("question %q, %+v: %s", e.question, e.Exported, added.Raw)
		}
	}
}

// The export changes the audited annotation, and reading the task again gives the new label.
func TestStudioNewest(t *testing.T) {
	one := task(
		`{"id": 2, "ground_truth": true, "updated_at": "2026-01-02T00:00:00Z", "result": [`+choice("kind", "dog")+`]}`,
		`{"id": 3, "updated_at": "2026-01-03T00:00:00Z", "result": [`+choice("kind", "cow")+`]}`)
	e := studio(.9)
	e.decided = map[string]audit.Decision{"1": {ID: "1", Given: "dog", Label: "cat", Action: audit.Other}}
	out := expect.Got(e.task(one, []gjson.Result{one}))(t)
	if e.Predictions != 1 || e.Corrections != 1 || e.Stale != 0 {
		t.Errorf("%+v: %s", e.Exported, out)
	}
	again := rows.Newest(rows.Annotations(gjson.ParseBytes(out)))
	expect.Same(t, "cat", again.Choices[0].Labels[0])
}

// A task that is listed twice gets the result for its newest annotation in both places. The prediction is the
// suggested class if the label is more likely wrong than right, else the given one.
func TestStudioTaskAgain(t *testing.T) {
	same := []gjson.Result{
		task(`{"updated_at": "2026-01-02T00:00:00Z", "result": [` + choice("kind", "dog") + `]}`),
		task(`{"updated_at": "2026-01-01T00:00:00Z", "result": [` + choice("kind", "cow") + `]}`),
	}
	for wrong, want := range map[float64]string{.25: "dog", .75: "cat"} {
		e := studio(wrong)
		for _, one := range same {
			out := expect.Got(e.task(one, same))(t)
			expect.Same(t, want, gjson.GetBytes(out, "predictions.0.result.0.value.choices.0").String())
			expect.Same(t, 1-wrong, gjson.GetBytes(out, "predictions.0.score").Num)
		}
		if e.Predictions != 2 || e.Stale != 0 {
			t.Errorf("%+v", e.Exported)
		}
	}
}

// A table gets two more columns, and keeps its rows and cells. Other data becomes a table of its names and labels.
func TestExportTable(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "t.csv")
	datasettest.Put(t, table, "text,label,note\n\"a, \"\"b\"\"\",cat,=1\nb,,x\n\nc,cat,\"two\nlines\"\n")
	rows := []audit.Issue{{ID: "0", Given: "cat", Suggested: "dog", PWrong: .9}, {ID: "2", Given: "cat", Suggested: "cat",
		PWrong: .1, Row: 1}} // row 1 has no label
	lines := "json.jsonl"
	datasettest.Put(t, filepath.Join(dir, lines), `{"text":"a","label":"cat"}`+"\n"+`{"text":"b","label":null}`+"\n"+
		`{"text":"c","label":"cat"}`+"\n")
	for _, tt := range []struct {
		source              own.Source
		all, byPeople, name string
	}{
		{own.Source{Path: table, Text: "text"}, "text,label,note,label_corrected,p_wrong\n" +
			"\"a, \"\"b\"\"\",cat,=1,dog,0.900000\nb,,x,,\nc,cat,\"two\nlines\",+1,0.100000\n",
			"text,label,note,label_corrected\n\"a, \"\"b\"\"\",cat,=1,cat\nb,,x,\nc,cat,\"two\nlines\",+1\n", "out.csv"},
		{own.Source{Path: filepath.Join(dir, lines), Text: "text"}, "text\tlabel\tlabel_corrected\tp_wrong\n" +
			"a\tcat\tdog\t0.900000\nb\t\t\t\nc\tcat\t+1\t0.100000\n",
			"text\tlabel\tlabel_corrected\na\tcat\tcat\nb\t\t\nc\tcat\t+1\n", "out.tsv"},
		{own.Source{Path: filepath.Join(dir, "X.npy")}, "id,given,label_corrected,p_wrong\n0,cat,dog,0.900000\n" +
			"2,cat,+1,0.100000\n", "id,given,label_corrected\n0,cat,cat\n2,cat,+1\n", "out.csv"},
	} {
		f := audit.At(filepath.Join(t.TempDir(), "audit"))
		s := audit.Summary{Source: tt.source, Classes: []audit.Class{{Name: "cat"}, {Name: "dog"}, {Name: "+1"}}}
		expect.OK(t, f.WriteIssues(rows), f.WriteSummary(&s),
			f.WriteLabels([]audit.Label{{ID: "0", Label: "dog"}, {ID: "2", Label: "cat"}}))
		audittest.Decide(t, f, audit.Decision{ID: "2", Given: "cat", Label: "+1", Action: audit.Other})
		for decisionsOnly, want := range map[bool]string{false: tt.all, true: tt.byPeople} {
			out := filepath.Join(t.TempDir(), tt.name)
			e, err := Export(t.Context(), f, TableForm, out, Options{DecisionsOnly: decisionsOnly})
			corrections := map[bool]int{false: 2, true: 1}[decisionsOnly]
			if err != nil || e.Corrections != corrections || e.ByPeople != 1 {
				t.Errorf("%+v, %v", e, err)
			}
			expect.Same(t, want, string(expect.Got(os.ReadFile(out))(t)))
			if _, err := Export(t.Context(), f, TableForm, out, Options{}); err == nil {
				t.Error("a file that is there is replaced")
			}
		}
	}
	f := audit.At(filepath.Join(t.TempDir(), "audit")) // an audit of other rows
	s := audit.Summary{Source: own.Source{Path: table, Text: "text"}, Classes: []audit.Class{{Name: "cat"}, {Name: "dog"}},
		Files: []dataset.File{{Path: table, SHA256: "other"}}}
	expect.OK(t, f.WriteIssues(rows), f.WriteSummary(&s), f.WriteLabels([]audit.Label{{ID: "0"}, {ID: "2"}}))
	out := filepath.Join(t.TempDir(), "out.csv")
	expect.Fails(t, expect.Err(Export(t.Context(), f, TableForm, out, Options{})),
		"", dataset.ErrData, "a table that was changed")
}
