package relabel

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/rows"
)

// Of several controls that of the labels gets the suggestion: the one of the column or, of a consensus, the one with
// its classes.
func TestStudioQuestion(t *testing.T) {
	const task = `{"id": 1, "data": {}, "annotations": [{"result": [
		{"type": "choices", "from_name": "kind", "to_name": "t", "value": {"choices": ["dog"]}},
		{"type": "choices", "from_name": "size", "to_name": "t", "value": {"choices": ["big"]}}]}]}`
	items := []gjson.Result{gjson.Parse(task)}
	classes := []audit.Class{{Name: "cat"}, {Name: "dog"}}
	for _, s := range []audit.Summary{
		{Classes: classes, Source: own.Source{Label: "kind"}},
		{Classes: classes, Crowd: &audit.People{}},
	} {
		e := exporter{predict: true, issues: map[string]audit.Issue{"1": {ID: "1", Given: "dog", Suggested: "cat", PWrong: .9}}, question: studioQuestion(items, s)}
		out, err := e.task(items[0], items)
		if err != nil {
			t.Fatal(err)
		}
		added := gjson.GetBytes(out, "predictions.0.result.0")
		if e.Predictions != 1 || e.Stale != 0 || added.Get("from_name").String() != "kind" || added.Get("value.choices.0").String() != "cat" {
			t.Errorf("question %q, %+v: %s", e.question, e.Exported, added.Raw)
		}
	}
}

// The export changes the annotation that was audited, and reading the task again gives the new label.
func TestStudioNewest(t *testing.T) {
	const task = `{"id": 1, "data": {}, "annotations": [
		{"id": 2, "ground_truth": true, "updated_at": "2026-01-02T00:00:00Z", "result": [{"type": "choices", "from_name": "kind", "to_name": "t", "value": {"choices": ["dog"]}}]},
		{"id": 3, "updated_at": "2026-01-03T00:00:00Z", "result": [{"type": "choices", "from_name": "kind", "to_name": "t", "value": {"choices": ["cow"]}}]}]}`
	issue := audit.Issue{ID: "1", Given: "dog", Suggested: "cat", PWrong: .9}
	e := exporter{predict: true, question: "kind", issues: map[string]audit.Issue{"1": issue}}
	e.decided = map[string]audit.Decision{"1": {ID: "1", Given: "dog", Label: "cat", Action: audit.Other}}
	out, err := e.task(gjson.Parse(task), []gjson.Result{gjson.Parse(task)})
	if err != nil {
		t.Fatal(err)
	}
	if e.Predictions != 1 || e.Corrections != 1 || e.Stale != 0 {
		t.Errorf("%+v: %s", e.Exported, out)
	}
	if again := rows.Newest(rows.Annotations(gjson.ParseBytes(out))); again.Choices[0].Labels[0] != "cat" {
		t.Errorf("read again it is %+v: %s", again, out)
	}
}

// A task that is in the export again gets what was found of its newest annotation, in each place.
func TestStudioTaskAgain(t *testing.T) {
	task := func(label, day string) gjson.Result {
		return gjson.Parse(`{"id": 1, "data": {}, "annotations": [{"updated_at": "2026-01-` + day + `T00:00:00Z", "result": [
			{"type": "choices", "from_name": "kind", "to_name": "t", "value": {"choices": ["` + label + `"]}}]}]}`)
	}
	same := []gjson.Result{task("dog", "02"), task("cow", "01")}
	e := exporter{predict: true, question: "kind", issues: map[string]audit.Issue{"1": {ID: "1", Given: "dog", Suggested: "cat", PWrong: .9}}}
	for _, one := range same {
		out, err := e.task(one, same)
		if added := gjson.GetBytes(out, "predictions.0.result.0.value.choices.0"); err != nil || added.String() != "cat" {
			t.Errorf("%s, %v", out, err)
		}
	}
	if e.Predictions != 2 || e.Stale != 0 {
		t.Errorf("%+v", e.Exported)
	}
}

// The suggested class is predicted of a label that is more likely wrong than right, the given one of others.
func TestPredictions(t *testing.T) {
	const text = `{"id": 1, "data": {}, "annotations": [{"result": [
		{"type": "choices", "from_name": "kind", "to_name": "t", "value": {"choices": ["dog"]}}]}]}`
	for wrong, want := range map[float64]string{.25: "dog", .75: "cat"} {
		issues := map[string]audit.Issue{"1": {ID: "1", Given: "dog", Suggested: "cat", PWrong: wrong}}
		e := exporter{predict: true, question: "kind", issues: issues}
		task := gjson.Parse(text)
		out, err := e.task(task, []gjson.Result{task})
		class := gjson.GetBytes(out, "predictions.0.result.0.value.choices.0").String()
		if score := gjson.GetBytes(out, "predictions.0.score").Num; err != nil || class != want || score != 1-wrong {
			t.Errorf("p_wrong %v: %s, %v; want %s", wrong, out, err, want)
		}
	}
}

// An audit of answers alone has no file of a label tool.
func TestExportOfAnswersAlone(t *testing.T) {
	f := audited(t, "", nil)
	s, err := f.Summary()
	if err != nil {
		t.Fatal(err)
	}
	s.Crowd = &audit.People{}
	if err := f.WriteSummary(&s); err != nil {
		t.Fatal(err)
	}
	if _, err := Export(f, "out.json", false); !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), "answers alone") || !strings.Contains(err.Error(), audit.ConsensusFile) {
		t.Errorf("error %v", err)
	}
}
