package rows

import (
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
)

const argillaRecords = `[
 {"id": "a", "fields": {"text": "x", "label": "f"}, "metadata": {"part": "train"}, "responses": {
  "kind": [{"value": "cat", "user_id": "u"}, {"value": "dog", "user_id": "v"}, {"value": "cow", "user_id": "w", "status": "draft"}],
  "tags": [{"value": ["p", "q"], "user_id": "u"}], "stars": [{"value": 3, "user_id": "v"}]}},
 {"id": null, "_server_id": "s1", "fields": {"text": "y"}, "responses": {}},
 {"id": null, "_server_id": "s2", "fields": {"text": "z"}, "responses": {"stars": [{"value": 1, "user_id": "u"}], "kind": [{"value": "cat", "user_id": "v"}]}}
]`

// Of Argilla's records the rows are those with a response, or each person's responses; a question with several classes
// is no column.
func TestArgilla(t *testing.T) {
	path := datasettest.File(t, "records.json", argillaRecords)
	datasettest.Same(t, Argilla, ToolOf(path))
	columns := []string{"id", "worker", "kind", "stars", "text", "label", "metadata.part"}
	r, err := Open(path)
	datasettest.Same(t, [][]string{columns, {"a", "v", "dog", "3", "x", "f", "train"},
		{"s2", "v", "cat", "1", "z", "", ""}}, readAll(t, r, err))
	r = datasettest.Got(OpenAnnotations(path))(t)
	datasettest.OK(t, r.Select("id", "worker", "kind")) // the second person of s2 has not said the kind
	var got []string
	for row, err := r.Read(); err == nil; row, err = r.Read() {
		got = append(got, strings.Join(row, " "))
	}
	datasettest.Same(t, []string{"a u cat", "a v dog", "s2 v cat"}, got)
	datasettest.OK(t, r.Close())
}

// The labels of a question that is the only one are the column label, too.
func TestArgillaOneQuestion(t *testing.T) {
	r, err := OpenBytes("records.json", []byte(`[{"id":"a","fields":{"label":"f"},"responses":{"kind":[{"value":"cat","user_id":"u"}]}}]`))
	datasettest.Same(t, [][]string{{"id", "worker", "kind", "label", "fields.label"}, {"a", "u", "cat", "cat", "f"}},
		readAll(t, r, err))
	for want, text := range map[string]string{
		"nobody has given a class":                     `[{"id":"a","fields":{},"responses":{}}]`,
		"object 0, from 0, is not a record with an id": `[{"fields":{},"responses":{}}]`,
		"object 1, from 0, is not a task with an id":   `[{"id":1,"data":{}},{"id":"a","fields":{},"responses":{}}]`,
	} {
		datasettest.Wants(t, datasettest.Err(OpenBytes("records.json", []byte(text))), want)
	}
}
