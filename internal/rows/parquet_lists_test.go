package rows

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/losscorr/losscorr/internal/expect"
)

// Values and lists of values have a row each; lists of lists are left out.
func TestOpenLists(t *testing.T) {
	type answer struct {
		Label  string `parquet:"label"`
		Person int64  `parquet:"person"`
	}
	type result struct {
		Choices []string `parquet:"choices"`
	}
	type task struct {
		ID      string   `parquet:"id"`
		Answers []answer `parquet:"answers"`
		Results []result `parquet:"results"`
	}
	path := filepath.Join(t.TempDir(), "tasks.parquet")
	if err := parquet.WriteFile(path, []task{
		{"a", []answer{{"cat", 1}, {"dog", 2}}, []result{{[]string{"x"}}, {[]string{"y", "z"}}}},
		{"b", nil, nil},
		{"c", []answer{{"dog", 2}}, nil},
	}); err != nil {
		t.Fatal(err)
	}
	l := expect.Got(OpenLists(path))(t)
	expect.Same(t, [][]string{{"id"}, {"answers.label", "answers.person"}}, [][]string{l.Single, l.Listed})
	got := ""
	if err := l.Each([]string{"id", "answers.label", "answers.person"}, func(values [][]string) error {
		got += fmt.Sprintln(values)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	expect.Same(t, "[[a] [cat dog] [1 2]]\n[[b] [] []]\n[[c] [dog] [2]]\n", got)
}
