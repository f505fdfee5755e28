package relabel

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/losscorr/losscorr/audit"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/own"
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
		e := exporter{predict: true, issues: map[string]audit.Issue{"1": {ID: "1", Given: "dog", Suggested: "cat"}}, question: studioQuestion(items, s)}
		out, err := e.task(items[0])
		if err != nil {
			t.Fatal(err)
		}
		added := gjson.GetBytes(out, "predictions.0.result.0")
		if e.Predictions != 1 || e.Stale != 0 || added.Get("from_name").String() != "kind" || added.Get("value.choices.0").String() != "cat" {
			t.Errorf("question %q, %+v: %s", e.question, e.Exported, added.Raw)
		}
	}
}

// Of a label of which nothing is said there is no suggestion.
func TestNothingSaidOfExample(t *testing.T) {
	const (
		task   = `{"id": 1, "data": {}, "annotations": [{"result": [{"type": "choices", "from_name": "kind", "to_name": "t", "value": {"choices": ["dog"]}}]}]}`
		record = `{"id": 1, "responses": {"kind": [{"value": "dog", "user_id": "u"}]}}`
	)
	for _, unjudged := range []bool{false, true} {
		e := exporter{predict: true, question: "kind", issues: map[string]audit.Issue{"1": {ID: "1", Given: "dog", Suggested: "dog", Unjudged: unjudged}}}
		for of, add := range map[string]func(gjson.Result) ([]byte, error){task: e.task, record: e.record} {
			out, err := add(gjson.Parse(of))
			if err != nil || (string(out) == of) != unjudged {
				t.Errorf("unjudged %v: %s, %v", unjudged, out, err)
			}
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
