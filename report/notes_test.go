package report_test

import (
	"strings"
	"testing"

	"github.com/losscorr/losscorr/report"
	"github.com/losscorr/losscorr/report/reporttest"
	"github.com/losscorr/losscorr/store"
)

// A note of the configuration stands below the table, once, in text and on the page.
func TestNotes(t *testing.T) {
	r := reporttest.Result("forward", "asymmetric", .6, 2, 97, 96)
	r.Config.Note = "seed 1 is stuck"
	other := r
	other.Config.Seed, other.Warnings = 3, []string{"few images"}
	runs := []*report.Run{
		{FolderState: store.FolderState{Result: &r}, Config: r.Config}, {FolderState: store.FolderState{Result: &other}, Config: other.Config},
	}
	var b strings.Builder
	report.WriteWarnings(&b, runs)
	if want := "note: seed 1 is stuck\nwarning (seed 3): few images\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	if plain := reporttest.Result("forward", "asymmetric", .6, 2, 97, 96); plain.Config.ID() != r.Config.ID() {
		t.Error("the note changes the ID of the run")
	}
}
