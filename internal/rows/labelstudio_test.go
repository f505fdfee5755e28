package rows

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const tasks = `[
 {"id": 1, "data": {"text": "a", "id": "x"}, "annotations": [
  {"completed_by": 3, "result": [{"type": "choices", "value": {"choices": ["cat"]}}]},
  {"completed_by": {"id": 4, "email": "p@q.r"}, "result": [{"type": "rating", "value": {}}, {"type": "choices", "value": {"choices": ["dog"]}}]},
  {"completed_by": 5, "was_cancelled": true, "result": [{"type": "choices", "value": {"choices": ["cow"]}}]}]},
 {"id": 2, "data": {"text": "b", "n": 2.5}, "annotations": []},
 {"id": 3, "data": {"text": "c"}, "annotations": [{"completed_by": {"id": 6}, "result": [{"type": "choices", "value": {"choices": ["cat"]}}]}]}
]`

func readAll(t *testing.T, r *Reader, err error) (out [][]string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out = append(out, r.Columns())
	for {
		row, err := r.Read()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, append([]string(nil), row...))
	}
}

// Of a Label Studio export the rows are the labelled tasks with their last choice, or all choices.
func TestLabelStudio(t *testing.T) {
	path := filepath.Join(t.TempDir(), "project.json")
	if err := os.WriteFile(path, []byte(tasks), 0o644); err != nil {
		t.Fatal(err)
	}
	columns := []string{"id", "worker", "label", "text", "data.id", "n"}
	r, err := Open(path)
	if diff := cmp.Diff([][]string{columns, {"1", "p@q.r", "dog", "a", "x", ""}, {"3", "6", "cat", "c", "", ""}}, readAll(t, r, err)); diff != "" {
		t.Error(diff)
	}
	r, err = OpenAnnotations(path)
	if diff := cmp.Diff([][]string{columns, {"1", "3", "cat", "a", "x", ""}, {"1", "p@q.r", "dog", "a", "x", ""}, {"3", "6", "cat", "c", "", ""}}, readAll(t, r, err)); diff != "" {
		t.Error(diff)
	}
}

func TestLabelStudioRefuses(t *testing.T) {
	for want, text := range map[string]string{
		"malformed JSON at byte 12":      `[{"id": 1, ]`,
		"no JSON export of Argilla (rec": `[{"id": 1, "text": "a"}]`,
		"nobody has given a class":       `[{"id": 1, "data": {}}]`,
		"task 9 has 2 choices":           `[{"id": 9, "data": {}, "annotations": [{"result": [{"type": "choices", "value": {"choices": ["a", "b"]}}]}]}]`,
	} {
		if _, err := OpenBytes("project.json", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Controls of a labelling interface are columns, in whatever order a person used them; those with several choices are
// left out.
func TestLabelStudioControls(t *testing.T) {
	choice := func(from string, names ...string) string {
		return `{"type": "choices", "from_name": "` + from + `", "value": {"choices": ["` + strings.Join(names, `", "`) + `"]}}`
	}
	annotation := func(who string, results ...string) string {
		return `{"completed_by": ` + who + `, "result": [` + strings.Join(results, ", ") + `]}`
	}
	list := func(annotations ...string) string {
		return `[{"id": 1, "data": {"text": "a"}, "annotations": [` + strings.Join(annotations, ", ") + `]}]`
	}
	two := list(annotation("3", choice("kind", "cat"), choice("size", "big")), annotation("4", choice("size", "small"), choice("kind", "dog")), annotation("5", choice("kind", "cow")))
	for text, want := range map[string][2][][]string{
		two: {{{"id", "worker", "kind", "size", "text"}, {"1", "5", "cow", "small", "a"}},
			{{"id", "worker", "kind", "size", "text"}, {"1", "3", "cat", "big", "a"}, {"1", "4", "dog", "small", "a"}, {"1", "5", "cow", "", "a"}}},
		list(annotation("3", choice("kind", "cat"), choice("marks", "x", "y"))): {{{"id", "worker", "kind", "text"}, {"1", "3", "cat", "a"}},
			{{"id", "worker", "kind", "text"}, {"1", "3", "cat", "a"}}},
	} {
		path := filepath.Join(t.TempDir(), "project.json")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for k, open := range []func(string) (*Reader, error){Open, OpenAnnotations} {
			r, err := open(path)
			if diff := cmp.Diff(want[k], readAll(t, r, err)); diff != "" {
				t.Errorf("%s: %s", text, diff)
			}
		}
	}
	regions := list(annotation("3", choice("kind", "cat"), choice("kind", "dog")))
	if _, err := OpenBytes("project.json", []byte(regions)); err == nil || !strings.Contains(err.Error(), "task 1 has 2 choices") {
		t.Errorf("choices of two regions: %v", err)
	}
}
