package own

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/files"
)

// The column text of a table is that of its texts, unless other content is named or it has another role.
func TestUsualText(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, content := range map[string]string{
		"a.csv":    "text,label\ngood,1\nbad,0\n",
		"b.csv":    "review,label\ngood,1\nbad,0\n",
		"c.jsonl":  `{"label": 1, "text": "good"}` + "\n",
		"text.txt": "text\n",
	} {
		if err := files.Write(path(name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(path("text"), 0o777); err != nil {
		t.Fatal(err)
	}
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
		if got := s.Described().Text; got != c.want {
			t.Errorf("%+v: %q, want %q", c.source, got, c.want)
		}
	}
}
