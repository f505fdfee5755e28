package page

import (
	"fmt"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// Pairs of duplicates are shown side by side, each example with its own picture and label.
func TestTwice(t *testing.T) {
	f, s := texts(t, 50)
	similarity := .97654
	all := []audit.Duplicate{{Similarity: &similarity, A: audit.Member{ID: "first", Split: "train", Label: "cat"},
		B: audit.Member{ID: "second", Split: "test", Label: "dog"}}}
	for k := range 20 {
		all = append(all, audit.Duplicate{Exact: true, A: audit.Member{ID: fmt.Sprint("one-", k), Split: "train",
			Label: "cat"}, B: audit.Member{ID: fmt.Sprint("other-", k), Split: "train", Label: "cat"}})
	}
	s.Duplicates = &audit.Duplicates{Pairs: len(all)}
	shown := func() string {
		expect.OK(t, f.WriteSummary(&s))
		return madeOf(t, f, func(id string) own.Original { return own.Original{Text: "look of " + id} }, all...)
	}
	got := shown()
	has(t, got, true,
		`<figure><blockquote>look of first</blockquote>`+"\n"+`<figcaption><b>cat</b><span class="id">train first</span>`,
		`<figure><blockquote>look of second</blockquote>`+"\n"+`<figcaption><b>dog</b><span class="id">test second</span>`,
		"different labels, in two splits, nearly equal, similarity 0.977</p>", "<code>duplicates.csv</code> has all 21.",
		"look of other-10<", `<p class="aside">equal</p>`)
	has(t, got, false, "one-11")
	s.Source.Test = "test.npy" // its examples may have the names of training examples
	got = shown()
	has(t, got, false, "look of first")
	has(t, got, true, "one-11")
	s.Duplicates, all = nil, nil
	has(t, shown(), false, "twice")
}
