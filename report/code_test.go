package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/report/reporttest"
	"github.com/losscorr/losscorr/store"
)

func TestOtherCode(t *testing.T) {
	const a, b = "aaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbb"
	results := reporttest.Block()
	for k := range results {
		results[k].Revision = a
	}
	one := Tables(FromResults(results...))[0]
	for k := range results {
		results[k].Modified = true
	}
	dirty := Tables(FromResults(results...))[0]
	for k := range results {
		results[k].Modified = false
	}
	results[0].Revision, results[5].Revision, results[1].Modified = b, b, true
	several := Tables(FromResults(results...))[0]
	results[0].Revision, results[1].Modified = a, false
	results[5].Revision, results[5].Earlier = a, []string{"bbbbbbbbbbbb+"}
	resumed := Tables(FromResults(results...))[0]
	for name, test := range map[string]struct {
		table *Table
		mine  store.Code
		want  []string
	}{
		"the same":           {one, store.Code{Revision: a}, nil},
		"this is not known":  {one, store.Code{}, nil},
		"this is modified":   {one, store.Code{Revision: a, Modified: true}, []string{"other code, revision aaaaaaaaaaaa (this program: aaaaaaaaaaaa with uncommitted changes): all runs; --resume changed runs them again"}},
		"both are modified":  {dirty, store.Code{Revision: a, Modified: true}, []string{"other code, revision aaaaaaaaaaaa with uncommitted changes (this program: aaaaaaaaaaaa with uncommitted changes): all runs; --resume changed runs them again"}},
		"all of another one": {one, store.Code{Revision: b}, []string{"other code, revision aaaaaaaaaaaa (this program: bbbbbbbbbbbb): all runs; --resume changed runs them again"}},
		"some of others": {several, store.Code{Revision: a}, []string{
			"other code, revision aaaaaaaaaaaa with uncommitted changes (this program: aaaaaaaaaaaa): 1 of 15 runs: cross-entropy at asymmetric 0.6 (seed 0); --resume changed runs them again",
			"other code, revision bbbbbbbbbbbb (this program: aaaaaaaaaaaa): 2 of 15 runs: forward at asymmetric 0.6 (seed 0-1); --resume changed runs them again",
		}},
		"one was resumed by other code": {resumed, store.Code{Revision: a}, []string{"other code, revision bbbbbbbbbbbb+, then aaaaaaaaaaaa (this program: aaaaaaaaaaaa): 1 of 15 runs: forward at asymmetric 0.6 (seed 1); --resume changed runs them again"}},
		"one was resumed, this is not known": {resumed, store.Code{}, []string{
			"other code, revision aaaaaaaaaaaa (this program: unknown): 14 of 15 runs: cross-entropy at no noise (seed 0-2), forward at no noise (seed 0-2), cross-entropy at asymmetric 0.6 (seed 0-2), forward at asymmetric 0.6 (seed 0,2), and 1 more cells; --resume changed runs them again",
			"other code, revision bbbbbbbbbbbb+, then aaaaaaaaaaaa (this program: unknown): 1 of 15 runs: forward at asymmetric 0.6 (seed 1); --resume changed runs them again",
		}},
	} {
		if diff := cmp.Diff(test.want, test.table.otherCode(test.mine)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := several.Cells[1][1].Revision; got != "aaaaaaaaaaaa bbbbbbbbbbbb" {
		t.Errorf("the CSV has revisions %q", got)
	}
	if got := resumed.Cells[1][1].Revision; got != "aaaaaaaaaaaa bbbbbbbbbbbb+" {
		t.Errorf("the CSV has revisions %q of a cell with a run that was resumed", got)
	}
}
