package page

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Pairs of examples that are there twice are shown side by side, each with its own picture and label.
func TestTwice(t *testing.T) {
	f, s := texts(t, 50)
	similarity := .97654
	all := []audit.Duplicate{{Similarity: &similarity, A: audit.Member{ID: "first", Split: "train", Label: "cat"}, B: audit.Member{ID: "second", Split: "test", Label: "dog"}}}
	for k := range 20 {
		all = append(all, audit.Duplicate{Exact: true, A: audit.Member{ID: fmt.Sprint("one-", k), Split: "train", Label: "cat"}, B: audit.Member{ID: fmt.Sprint("other-", k), Split: "train", Label: "cat"}})
	}
	s.Duplicates = &audit.Duplicates{Pairs: len(all)}
	if err := f.WriteDuplicates(all); err != nil {
		t.Fatal(err)
	}
	look := func(_ context.Context, ids []string, visit func(int, own.Original) error) error {
		for k, id := range ids {
			if err := visit(k, own.Original{Text: "look of " + id}); err != nil {
				return err
			}
		}
		return nil
	}
	shown := func() string {
		t.Helper()
		if err := f.WriteSummary(&s); err != nil {
			t.Fatal(err)
		}
		if err := Make(t.Context(), f, look); err != nil {
			t.Fatal(err)
		}
		return page(t, f)
	}
	got := shown()
	for _, want := range []string{
		`<figure><blockquote>look of first</blockquote>` + "\n" + `<figcaption><b>cat</b><span class="id">train first</span>`,
		`<figure><blockquote>look of second</blockquote>` + "\n" + `<figcaption><b>dog</b><span class="id">test second</span>`,
		"different labels, in two splits, nearly equal, similarity 0.977</p>", "<code>duplicates.csv</code> has all 21.", "look of other-10<", `<p class="aside">equal</p>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Contains(got, "one-11") {
		t.Error("more than twelve pairs")
	}
	s.Source.Test = "test.npy" // its examples have the names of others
	if got = shown(); strings.Contains(got, "look of first") || !strings.Contains(got, "one-11") {
		t.Error("examples of another file are shown")
	}
	if s.Duplicates = nil; strings.Contains(shown(), "twice") {
		t.Error("duplicates of an audit that found none")
	}
}
