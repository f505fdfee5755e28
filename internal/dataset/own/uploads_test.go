package own

import (
	"fmt"
	"image/color"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// Label tools name images by the addresses that these have on their servers.
func TestUploads(t *testing.T) {
	datasettest.Isolate(t)
	label := map[string]string{"a/x.png": "dog", "b/x.png": "cat", "my cat (1).png": "cat", "12345678-z.png": "dog",
		"y.png": "cat"}
	address := map[string]string{
		"a/x.png":        "/data/local-files/?d=photos/a/x.png",
		"b/x.png":        "https://host/photos/b/x.png",
		"my cat (1).png": "/data/upload/3/9e3779b1-my_cat_1.png",
		"12345678-z.png": "/data/upload/3/12345678-z.png",
		"y.png":          "s3://bucket/y.png",
	}
	var entries []datasettest.Entry
	var tasks []string
	table := "annotation_id,id,image,kind\n"
	for name, at := range address {
		shade := color.Gray{uint8(40 * len(tasks))}
		entries = append(entries, datasettest.Entry{Name: name, Content: datasettest.PNG(t, 4, 4, shade)})
		annotation := fmt.Sprintf(`{"completed_by": 1, "result": [{"type": "choices", "from_name": "kind", "value": {"choices": [%q]}}]}`, label[name])
		tasks = append(tasks, fmt.Sprintf(`{"id": %d, "data": {"image": %q}, "annotations": [%s]}`, 100+len(tasks), at,
			annotation))
		table += fmt.Sprintf("%d,%d,%s,%s\n", len(tasks), 100+len(tasks), at, label[name])
	}
	root := datasettest.Album(t, entries...)
	project := "[" + strings.Join(tasks, ",\n") + "]"
	for _, s := range []Source{
		{Path: root, Labels: datasettest.File(t, "project.json", project)},
		{Path: root, Labels: datasettest.File(t, "project.json", project), ID: "image"},
		{Path: root, Labels: datasettest.File(t, "project.csv", table), Label: "kind"},
	} {
		d := good(t, s, 0)
		got := map[string]string{}
		for k, id := range d.Train.IDs {
			got[id] = d.Classes[d.Train.Labels[k]]
		}
		expect.Same(t, label, got, filepath.Base(s.Labels))
	}
	a := expect.Got(ReadAnswers(datasettest.File(t, "project.json", project), AnswerColumns{Task: "image"}))(t)
	expect.OK(t, a.Locate(slices.Collect(maps.Keys(label))))
	for _, x := range a.List {
		expect.Same(t, label[a.Tasks[x.Task]], a.Classes[x.Label], a.Tasks[x.Task])
	}
	either := strings.Replace(project, address["a/x.png"], "/data/upload/3/9e3779b1-x.png", 1)
	refused(t, Source{Path: root, Labels: datasettest.File(t, "project.json", either)}, 0,
		`9e3779b1-x.png" may be any of 2 images (a/x.png, b/x.png)`)
	refused(t, Source{Path: datasettest.File(t, "project.json", project)}, 0,
		"if it labels images, use their folder as the data with --labels")
}

// A task that is in an export again counts once, with the newest of all its annotations.
func TestTasksAgain(t *testing.T) {
	task := func(id int, label, at string) string {
		annotation := fmt.Sprintf(`{"completed_by": 1, "updated_at": "2026-01-%sT00:00:00Z", "result": [{"type": "choices", "from_name": "kind", "value": {"choices": [%q]}}]}`, at, label)
		return fmt.Sprintf(`{"id": %d, "data": {"text": "text %d"}, "annotations": [%s]}`, id, id, annotation)
	}
	path := filepath.Join(t.TempDir(), "project.json")
	list := []string{
		task(1, "old", "01"), task(2, "old", "02"), task(3, "new", "03"), task(4, "old", "04"), task(1, "new", "05"),
	}
	datasettest.Put(t, path, "["+strings.Join(list, ",")+"]")
	s := Source{Path: path, Text: "text", ID: "id"}
	d := good(t, s, 0)
	var got []string
	for k, id := range d.Train.IDs {
		got = append(got, id+" "+d.Classes[d.Train.Labels[k]])
	}
	expect.Same(t, "1 new, 2 old, 3 new, 4 old", strings.Join(got, ", "))
	a := expect.Got(ReadAnswers(path, AnswerColumns{}))(t)
	expect.Same(t, 4, len(a.List))
	expect.Same(t, "new", a.Classes[a.List[0].Label])
	// Another text is another example.
	list[4] = strings.Replace(list[4], "text 1", "another", 1)
	datasettest.Put(t, path, "["+strings.Join(list, ",")+"]")
	refused(t, s, 0, `"1" is listed twice`)
}
