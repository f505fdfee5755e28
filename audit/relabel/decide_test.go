package relabel

import (
	"testing"
	"time"

	"github.com/losscorr/losscorr/audit"
)

var moment = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// decide adds decisions to those of a folder.
func decide(t *testing.T, f *audit.Folder, decisions ...audit.Decision) {
	t.Helper()
	log, _, err := f.Decide()
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Append(decisions...); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}
