package relabel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/rows"
)

// studio is an exporter for the label dog, which is wrong with a probability; cat is right.
func studio(wrong float64) exporter {
	issue := audit.Issue{ID: "1", Given: "dog", Suggested: "cat", PWrong: wrong}
	return exporter{question: "kind", found: found{byID: map[string]audit.Issue{"1": issue}}}
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
		expect.Same(t, Exported{Tasks: 1, Predictions: 1}, e.Exported, e.question)
		expect.Same(t, "kind", added.Get("from_name").String(), e.question)
		expect.Same(t, "cat", added.Get("value.choices.0").String(), e.question)
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
	expect.Same(t, Exported{Tasks: 1, Predictions: 1, Corrections: 1, ByPeople: 1}, e.Exported)
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
		expect.Same(t, Exported{Tasks: 2, Predictions: 2}, e.Exported)
	}
}
