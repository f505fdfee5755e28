package relabel

import (
	"encoding/json"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/losscorr/losscorr/internal/rows"
)

// task returns a task of Label Studio with a prediction of the suggested class and the score 1 - p_wrong, by which
// Label Studio sorts, and an annotation where a person has changed the class in a review.
func (e *exporter) task(task gjson.Result) ([]byte, error) {
	e.Tasks++
	out := []byte(task.Raw)
	issue, judged := e.issues[task.Get("id").String()]
	choices, err := rows.Choices(task)
	if err != nil || !judged || len(choices) == 0 {
		return out, err
	}
	place := choices[len(choices)-1]
	if e.other(issue, place.Label) {
		return out, nil
	}
	if e.predict {
		e.Predictions++
		if out, err = add(out, "predictions", map[string]any{
			"model_version": e.model, "score": 1 - issue.PWrong, "result": result(place, issue.Suggested),
		}); err != nil {
			return nil, err
		}
	}
	if d, changed := e.changed(issue); changed {
		out, err = add(out, "annotations", map[string]any{"was_cancelled": false, "result": result(place, d.Label)})
	}
	return out, err
}

// result is a choice as Label Studio has it in annotations and predictions.
func result(place rows.Choice, label string) []any {
	return []any{map[string]any{
		"from_name": place.From, "to_name": place.To, "type": "choices", "value": map[string]any{"choices": []string{label}},
	}}
}

// add appends an element to a list of a task.
func add(task []byte, list string, element any) ([]byte, error) {
	text, err := json.Marshal(element)
	if err != nil {
		return nil, err
	}
	if !gjson.GetBytes(task, list).IsArray() { // it has none, or null
		return sjson.SetRawBytes(task, list, append(append([]byte("["), text...), ']'))
	}
	return sjson.SetRawBytes(task, list+".-1", text)
}
