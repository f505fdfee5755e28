package own

import (
	"errors"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/files"
)

// A table's column text holds its texts, unless other content is named or it has another role.
func TestUsualText(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, content := range map[string]string{
		"a.csv":    "text,label\ngood,1\nbad,0\n",
		"b.csv":    "review,label\ngood,1\nbad,0\n",
		"c.jsonl":  `{"label": 1, "text": "good"}` + "\n",
		"text.txt": "text\n",
	} {
		datasettest.Put(t, path(name), content)
	}
	expect.OK(t, os.Mkdir(path("text"), 0o777))
	for _, c := range []struct {
		source Source
		want   string
	}{
		{Source{Path: "a.csv"}, "text"},
		{Source{Path: "c.jsonl"}, "text"},
		{Source{Path: "a.csv", Text: "label"}, "label"},
		{Source{Path: "a.csv", Features: []string{"x"}}, ""},
		{Source{Path: "a.csv", Label: "text"}, ""},
		{Source{Path: "b.csv"}, ""},
		{Source{Path: "gone.csv"}, ""},
		{Source{Path: "text.txt"}, ""},
		{Source{Path: "text"}, ""},
	} {
		s := c.source
		s.Path = path(s.Path)
		expect.Same(t, c.want, s.Described().Text, c.source)
	}
}

// A label may be a list with one class, as doccano writes them; marks in texts and several classes are errors.
func TestLabelsInLists(t *testing.T) {
	path := filepath.Join(t.TempDir(), "doccano.jsonl")
	read := func(labels ...string) (*dataset.Dataset, error) {
		var text strings.Builder
		for _, label := range labels {
			fmt.Fprintf(&text, "{\"text\": \"a good day\", \"who\": \"me\", \"label\": %s}\n", label)
		}
		expect.OK(t, files.Write(path, []byte(text.String()), 0o666))
		return Read(t.Context(), Source{Path: path, Text: "text"}, dataset.Options{})
	}
	d := expect.Got(read(`["\u00e9t\u00e9"]`, `["cat"]`, `"cat"`, `"[sic]"`, `[10]`))(t)
	expect.Same(t, []string{"10", "[sic]", "cat", "\u00e9t\u00e9"}, d.Classes)
	for _, label := range []string{`["cat", "dog"]`, `[[0, 3, "cat"]]`} {
		expect.Says(t, expect.Err(read(`"cat"`, `"dog"`, label)), `jsonl:3: column "label": the label is a list`)
	}
	expect.Says(t, expect.Err(read(`["cat"]`, `[]`, `"dog"`, `"dog"`, `"cat"`)), "1 example without a label (1)")
	a := expect.Got(ReadAnswers(path, AnswerColumns{Task: "text", Worker: "who"}))(t)
	expect.Same(t, []int{1, 2}, []int{len(a.List), len(a.Classes)}, "an empty list as an answer")
}

// Cells of Label Studio's CSV, {"choices": [...]}, are their only class in every column of classes.
func TestLabelsOfChoices(t *testing.T) {
	const good, both = `"{""choices"": [""good""]}"`, `"{""choices"": [""good"", ""bad""]}"`
	path := filepath.Join(t.TempDir(), "project.csv")
	read := func(cell string) (*dataset.Dataset, []error) {
		text := "id,who,text,label,truth\n1,x,a,bad,bad\n2,y,b," + cell + "," + cell + "\n3,x,c,good,good\n4,y,d,bad,bad\n"
		expect.OK(t, files.Write(path, []byte(text), 0o666))
		d, err := Read(t.Context(), Source{Path: path, Text: "text", Truth: "truth"}, dataset.Options{})
		errs := []error{err}
		for _, c := range []AnswerColumns{{Worker: "who"}, {People: []string{"label", "truth"}}} {
			a, err := ReadAnswers(path, c)
			if errs = append(errs, err); err == nil && !slices.Equal(a.Classes, []string{"bad", "good"}) {
				t.Errorf("%+v: classes %q", c, a.Classes)
			}
		}
		return d, errs
	}
	d, errs := read(good)
	expect.OK(t, errors.Join(errs...))
	expect.Same(t, []string{"bad", "good"}, d.Classes)
	expect.Same(t, []int{0, 1, 1, 0}, d.Train.Labels)
	expect.Same(t, []int{0, 1, 1, 0}, d.Train.Truth)
	_, errs = read(both)
	for _, err := range errs {
		expect.Says(t, err, ":3: ", "want one class for each example")
	}
}

// A table of labels without a usual column of names is not joined to images by order if another column names them.
func TestLabelsOfNamedImages(t *testing.T) {
	dir := t.TempDir()
	names, labels := "filename,label\n", "label\n"
	for k := range 6 {
		name := filepath.Join(dir, "photos", fmt.Sprintf("%d.png", k))
		datasettest.Put(t, name, datasettest.PNG(t, 4, 4, color.Gray{uint8(40 * k)}))
		names += fmt.Sprintf("photos\\%d.png,%d\n", 5-k, k%2)
		labels += fmt.Sprintf("%d\n", k%2)
	}
	for name, text := range map[string]string{"named.csv": names, "order.csv": labels} {
		datasettest.Put(t, filepath.Join(dir, name), text)
	}
	s := Source{Path: filepath.Join(dir, "photos"), Labels: filepath.Join(dir, "named.csv")}
	refused(t, s, 0, `the column "filename" has names of images: use --id filename`)
	s.ID = "filename"
	expect.Same(t, 1, good(t, s, 0).Train.Labels[0])
	s.ID, s.Labels = "", filepath.Join(dir, "order.csv")
	expect.Same(t, 0, good(t, s, 0).Train.Labels[0])
}
