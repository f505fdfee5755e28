package rows

import (
	"slices"

	"github.com/tidwall/gjson"
)

// Argilla's records as JSON (records.to_json): a list of objects with id, fields, metadata, suggestions, and
// responses, which has of each question a list of values and of the people (user_id) who gave them. Rows are the
// records with a response, of which the last one counts, or each person's responses. The columns are id, worker, a
// question each, label if there is one question alone, and the keys of fields and, after "metadata.", of metadata.
var argilla = tool{
	name: Argilla, title: "Argilla (records with fields and responses)", content: []string{"fields", "metadata"}, object: "record",
	is:   func(first gjson.Result) bool { return first.Get("fields").IsObject() && !first.Get("data").Exists() },
	id:   RecordID,
	read: readRecords,
}

// RecordID returns the name of a record: its id, or the one that Argilla's server has given to it.
func RecordID(record gjson.Result) string {
	if id := record.Get("id"); id.Type != gjson.Null {
		return id.String()
	}
	return record.Get("_server_id").String()
}

// Response is what a person has answered to the questions of a record.
type Response struct {
	Worker string
	Values map[string]gjson.Result // by question
}

// Responses returns a record's objects that are neither drafts nor discarded, in the order in which people
// first occur.
func Responses(records ...gjson.Result) (list []Response) {
	add := func(question, values gjson.Result) bool {
		for _, v := range values.Array() {
			if status := v.Get("status").String(); status == "discarded" || status == "draft" || v.Get("value").Type == gjson.Null {
				continue
			}
			who := v.Get("user_id").String()
			at := slices.IndexFunc(list, func(r Response) bool { return r.Worker == who })
			if at < 0 {
				at, list = len(list), append(list, Response{who, map[string]gjson.Result{}})
			}
			list[at].Values[question.String()] = v.Get("value")
		}
		return true
	}
	for _, record := range records {
		record.Get("responses").ForEach(add)
	}
	return list
}

// Questions returns those with one class for each record: a text or a number.
func Questions(records []gjson.Result) (questions []string) {
	several := map[string]bool{}
	for _, record := range records {
		record.Get("responses").ForEach(func(question, values gjson.Result) bool {
			name := question.String()
			for _, v := range values.Array() {
				several[name] = several[name] || v.Get("value").Type == gjson.JSON
			}
			if !slices.Contains(questions, name) && len(values.Array()) > 0 {
				questions = append(questions, name)
			}
			return true
		})
	}
	return slices.DeleteFunc(questions, func(name string) bool { return several[name] })
}

func readRecords(examples [][]gjson.Result, each bool, t *objects) error {
	questions := Questions(slices.Concat(examples...))
	t.columns = append([]string{"id", "worker"}, questions...)
	if len(questions) == 1 && questions[0] != "label" {
		t.columns, questions = append(t.columns, "label"), append(questions, questions[0])
	}
	t.labels = len(questions)
	for _, records := range examples {
		responses := Responses(records...)
		if !each && len(responses) > 0 {
			responses = []Response{joined(responses)}
		}
		for _, r := range responses {
			first := []string{RecordID(records[0]), r.Worker}
			for _, q := range questions {
				first = append(first, r.Values[q].String())
			}
			t.rows = append(t.rows, object{records[0], first})
		}
	}
	return nil
}

// joined has the last answer to each question.
func joined(responses []Response) Response {
	all := Response{Values: map[string]gjson.Result{}}
	for _, r := range responses {
		all.Worker = r.Worker
		for question, value := range r.Values {
			all.Values[question] = value
		}
	}
	return all
}
