package relabel

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset/annotations"
	"github.com/losscorr/losscorr/internal/rows"
)

// studioQuestion returns Label Studio's control for the labels: the only one, the one named by --label or, if a
// consensus was audited, the only one with its classes.
func studioQuestion(tasks []gjson.Result, s audit.Summary) string {
	given := map[string][]string{}
	for _, task := range tasks {
		for _, a := range rows.Annotations(task) {
			for _, c := range a.Choices {
				given[c.From] = append(given[c.From], c.Labels[0])
			}
		}
	}
	controls, others, err := rows.Controls(tasks)
	if err == nil && !others && len(controls) == 1 {
		return controls[0]
	}
	if column := cmp.Or(s.Source.Label, "label"); s.Crowd == nil && slices.Contains(controls, column) {
		return column
	}
	classes := s.ClassNames()
	foreign := func(label string) bool { return !slices.Contains(classes, annotations.Key(label)) }
	fitting := slices.DeleteFunc(controls, func(c string) bool { return slices.ContainsFunc(given[c], foreign) })
	if len(fitting) == 1 {
		return fitting[0]
	}
	return cmp.Or(s.Source.Label, "label")
}

// task returns a task of Label Studio with a prediction: the likelier class, and the score 1 - p_wrong for sorting.
// If a person has changed the class in a review, it adds an annotation, which is a ground truth if the audited one
// is, so that it counts when the task is read again.
func (e *exporter) task(task gjson.Result, same []gjson.Result) ([]byte, error) {
	e.Tasks++
	out := []byte(task.Raw)
	issue, judged := e.byID[task.Get("id").String()]
	place, truth := e.choice(same)
	if !judged || place.Labels == nil || e.other(issue, place.Labels[0]) {
		return out, nil
	}
	var err error
	if !e.decisionsOnly {
		e.Predictions++
		if out, err = add(out, "predictions", map[string]any{
			"model_version": "losscorr " + e.audited.Program, "score": 1 - issue.PWrong,
			"result": result(place, predicted(issue)),
		}); err != nil {
			return nil, err
		}
	}
	if class := e.settle(issue, issue.Given, true); class != issue.Given {
		annotation := map[string]any{"was_cancelled": false, "result": result(place, class)}
		if truth {
			annotation["ground_truth"] = true
		}
		out, err = add(out, "annotations", annotation)
	}
	return out, err
}

// choice returns the choice that the audit has read and whether it is a ground truth. If a consensus was audited, it
// returns one of the answers.
func (e *exporter) choice(same []gjson.Result) (place rows.Choice, truth bool) {
	all := rows.Annotations(same...)
	if !e.consensus() {
		all = []rows.Annotation{rows.Newest(all)}
	}
	for _, a := range all {
		truth = truth || a.GroundTruth
		for _, c := range a.Choices {
			if c.From == e.question {
				place = c
			}
		}
	}
	return place, truth
}

// result returns a choice in the format of Label Studio's annotations and predictions.
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
	if !gjson.GetBytes(task, list).IsArray() { // missing, or null
		return sjson.SetRawBytes(task, list, append(append([]byte("["), text...), ']'))
	}
	return sjson.SetRawBytes(task, list+".-1", text)
}
