package rows

import (
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

const twoTasks = `[
 {"id": 1, "data": {"text": "a", "id": "x"}, "annotations": [
  {"completed_by": 3, "result": [{"type": "choices", "value": {"choices": ["cat"]}}]},
  {"completed_by": {"id": 4, "email": "p@q.r"}, "result": [{"type": "rating", "value": {}}, {"type": "choices", "value": {"choices": ["dog"]}}]},
  {"completed_by": 5, "was_cancelled": true, "result": [{"type": "choices", "value": {"choices": ["cow"]}}]}]},
 {"id": 2, "data": {"text": "b", "n": 2.5}, "annotations": []},
 {"id": 3, "data": {"text": "c"}, "annotations": [{"completed_by": {"id": 6}, "result": [{"type": "choices", "value": {"choices": ["cat"]}}]}]}
]`

func readAll(t *testing.T, r *Reader, err error) (out [][]string) {
	t.Helper()
	expect.OK(t, err)
	defer r.Close()
	out = append(out, r.Columns())
	expect.OK(t, r.Each(func(row []string) error {
		out = append(out, nil)
		for _, cell := range row {
			out[len(out)-1] = append(out[len(out)-1], strings.Clone(cell))
		}
		return nil
	}))
	return out
}

// Of a Label Studio export the rows are the labelled tasks with their newest choice, or each person's.
func TestLabelStudio(t *testing.T) {
	path := datasettest.File(t, "project.json", twoTasks)
	columns := []string{"id", "worker", "label", "text", "data.id", "n"}
	r, err := Open(path)
	expect.Same(t, [][]string{columns, {"1", "p@q.r", "dog", "a", "x", ""}, {"3", "6", "cat", "c", "", ""}},
		readAll(t, r, err))
	r, err = OpenDetails(path)
	expect.Same(t, [][]string{columns, {"1", "3", "cat", "a", "x", ""}, {"1", "p@q.r", "dog", "a", "x", ""},
		{"3", "6", "cat", "c", "", ""}}, readAll(t, r, err))
}

func TestLabelStudioRefuses(t *testing.T) {
	for want, text := range map[string]string{
		"malformed JSON at byte 12":      `[{"id": 1, ]`,
		"no JSON export of Label Studio": `[{"id": 1, "text": "a"}]`,
		"nobody has given a class":       `[{"id": 1, "data": {}}]`,
		"1 task with several choices":    `[{"id": 9, "data": {}, "annotations": [{"result": [{"type": "choices", "value": {"choices": ["a", "b"]}}]}]}]`,
	} {
		expect.Says(t, expect.Err(OpenBytes("project.json", []byte(text))), want)
	}
}

// Controls of a labelling interface are columns, in whatever order a person used them; those with several choices are
// left out.
func TestLabelStudioControls(t *testing.T) {
	choice := func(from string, names ...string) string {
		return `{"type": "choices", "from_name": "` + from + `", "value": {"choices": ["` + strings.Join(names, `", "`) +
			`"]}}`
	}
	annotation := func(who string, results ...string) string {
		return `{"completed_by": ` + who + `, "result": [` + strings.Join(results, ", ") + `]}`
	}
	list := func(annotations ...string) string {
		return `[{"id": 1, "data": {"text": "a"}, "annotations": [` + strings.Join(annotations, ", ") + `]}]`
	}
	two := list(annotation("3", choice("kind", "cat"), choice("size", "big")), annotation("4", choice("size", "small"),
		choice("kind", "dog")), annotation("5", choice("kind", "cow")))
	for text, want := range map[string][2][][]string{
		two: {{{"id", "worker", "kind", "size", "text"}, {"1", "5", "cow", "", "a"}},
			{{"id", "worker", "kind", "size", "text"}, {"1", "3", "cat", "big", "a"}, {"1", "4", "dog", "small", "a"},
				{"1", "5", "cow", "", "a"}}},
		list(annotation("3", choice("kind", "cat"), choice("marks", "x", "y"))): {{{"id", "worker", "kind", "text"},
			{"1", "3", "cat", "a"}},
			{{"id", "worker", "kind", "text"}, {"1", "3", "cat", "a"}}},
	} {
		path := datasettest.File(t, "project.json", text)
		for k, open := range []func(string) (*Reader, error){Open, OpenDetails} {
			r, err := open(path)
			expect.Same(t, want[k], readAll(t, r, err), text)
		}
	}
	regions := list(annotation("3", choice("kind", "cat"), choice("kind", "dog")))
	expect.Says(t, expect.Err(OpenBytes("project.json", []byte(regions))), "the first is task 1:")
}

// The newest annotation of a task counts, and with answers the newest one of each person, whatever their order.
func TestLabelStudioNewest(t *testing.T) {
	annotation := func(who, label, rest string) string {
		result := ""
		if label != "" {
			result = `{"type": "choices", "from_name": "kind", "value": {"choices": ["` + label + `"]}}`
		}
		return `{"completed_by": ` + who + `, "result": [` + result + `]` + rest + `}`
	}
	updated := func(at string) string { return `, "updated_at": "2026-` + at + `"` }
	const old, young = "01-01T00:00:00Z", "01-01T00:00:00.5Z" // as text the first is greater
	taken := annotation("1", "", updated(young))
	for name, tt := range map[string]struct {
		annotations  []string
		newest, each string // worker and label
	}{
		"updated": {[]string{annotation("1", "new", updated(young)), annotation("1", "old", updated(old))}, "1 new",
			"1 new"},
		"two people": {[]string{annotation("1", "new", updated(young)), annotation("2", "old", updated(old))}, "1 new",
			"1 new 2 old"},
		"created": {[]string{annotation("1", "new", `, "created_at": "2026-01-02T00:00:00Z"`),
			annotation("1", "old", `, "created_at": "2026-01-01T00:00:00Z"`)}, "1 new", "1 new"},
		"equal times": {[]string{annotation("1", "new", updated(old)+`, "id": 10`), annotation("1", "old", updated(old)+
			`, "id": 9`)}, "1 new", "1 new"},
		"no times": {[]string{annotation("1", "new", `, "id": 10`), annotation("1", "old", `, "id": 9`)}, "1 new",
			"1 new"},
		"only order": {[]string{annotation("1", "old", ""), annotation("1", "new", "")}, "1 new", "1 new"},
		"added later": {[]string{annotation("1", "new", ""), annotation("1", "old", updated(young)+`, "id": 9`)}, "1 new",
			"1 new"},
		"ground truth": {[]string{annotation("1", "right", updated(old)+`, "ground_truth": true`),
			annotation("2", "wrong", updated(young))}, "1 right", "1 right 2 wrong"},
		"two truths": {[]string{annotation("1", "new", updated(young)+`, "ground_truth": true`),
			annotation("1", "old", updated(old)+`, "ground_truth": true`), annotation("1", "wrong", "")}, "1 new", "1 new"},
		"taken back": {[]string{taken, annotation("1", "old", updated(old))}, "", ""},
		"another's":  {[]string{taken, annotation("2", "old", updated(old))}, "", "2 old"},
		"cancelled last": {[]string{annotation("1", "old", updated(old)), annotation("1", "", updated(young)+
			`, "was_cancelled": true`)}, "1 old", "1 old"},
	} {
		kept := annotation("9", "other", "")
		text := `[{"id": 1, "data": {}, "annotations": [` + strings.Join(tt.annotations, ", ") +
			`]}, {"id": 2, "data": {}, "annotations": [` + kept + `]}]`
		path := datasettest.File(t, "project.json", text)
		for k, want := range []string{tt.newest, tt.each} {
			r, err := []func(string) (*Reader, error){Open, OpenDetails}[k](path)
			var got []string
			for _, row := range readAll(t, r, err)[1:] {
				if row[0] == "1" {
					got = append(got, row[1:]...)
				}
			}
			expect.Same(t, want, strings.Join(got, " "), name)
		}
	}
}
