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

// argillaQuestion returns the question of Argilla's records whose answers are the labels.
func argillaQuestion(records []gjson.Result, s audit.Summary) string {
	given := map[string][]string{}
	for _, record := range records {
		for _, r := range rows.Responses(record) {
			for question, v := range r.Values {
				given[question] = append(given[question], v.String())
			}
		}
	}
	return questionOf(rows.Questions(records), given, s)
}

// questionOf returns the question whose answers, which are given, are the labels: that of the column of labels, the
// only one, or, of the consensus of answers, the only one with its classes.
func questionOf(questions []string, given map[string][]string, s audit.Summary) string {
	column := cmp.Or(s.Source.Label, "label")
	if s.Crowd == nil && slices.Contains(questions, column) {
		return column
	}
	classes := map[string]bool{}
	for _, c := range s.Classes {
		classes[c.Name] = true
	}
	foreign := func(label string) bool { return !classes[annotations.Key(label)] }
	return cmp.Or(only(slices.DeleteFunc(questions, func(q string) bool { return slices.ContainsFunc(given[q], foreign) })), column)
}

// only returns the one element of a list, "" if it has another number of them.
func only(list []string) string {
	if len(list) != 1 {
		return ""
	}
	return list[0]
}

// record returns a record of Argilla with a suggestion of the likelier class and the score 1 - p_wrong or, where a
// person has changed the class in a review, of that class with the score 1. It takes the place of another suggestion
// for the same question, of which Argilla keeps one.
func (e *exporter) record(record gjson.Result, same []gjson.Result) ([]byte, error) {
	e.Tasks++
	out := []byte(record.Raw)
	issue, judged := e.issues[rows.RecordID(record)]
	var last gjson.Result
	for _, r := range rows.Responses(same...) {
		if v, ok := r.Values[e.question]; ok {
			last = v
		}
	}
	if !judged || !last.Exists() && !e.consensus || e.other(issue, last.String()) {
		return out, nil
	}
	number := last.Type == gjson.Number
	if d, changed := e.changed(issue); changed {
		return e.suggest(out, suggestion{class(d.Label, number), 1, "losscorr review", "human"})
	}
	if !e.predict {
		return out, nil
	}
	e.Predictions++
	return e.suggest(out, suggestion{class(predicted(issue), number), 1 - issue.PWrong, e.model, "model"})
}

// suggestion is one as Argilla has it.
type suggestion struct {
	Value any     `json:"value"`
	Score float64 `json:"score"`
	Agent string  `json:"agent"`
	Type  string  `json:"type"` // human or model
}

// class is a class as JSON has it.
func class(name string, number bool) any {
	if number && gjson.Parse(name).Type == gjson.Number {
		return json.RawMessage(name)
	}
	return name
}

// suggest writes a suggestion for the question of the labels.
func (e *exporter) suggest(record []byte, s suggestion) ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if gjson.GetBytes(record, "suggestions").IsObject() {
		return sjson.SetRawBytes(record, "suggestions."+gjson.Escape(e.question), text)
	}
	name, err := json.Marshal(e.question)
	if err != nil {
		return nil, err
	}
	return sjson.SetRawBytes(record, "suggestions", slices.Concat([]byte("{"), name, []byte(":"), text, []byte("}")))
}
