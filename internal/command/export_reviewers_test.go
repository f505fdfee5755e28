package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
)

// Where reviewers disagree an export has no correction by people, and says so; where they agree or have settled
// it, it has one.
func TestExportOfConflict(t *testing.T) {
	dir := t.TempDir()
	path, probabilities, _ := project(t, dir)
	startProgram(t, "losscorr-real", dir, nil, "audit", path, "--text", "text", "--probabilities", probabilities, "--out", "audit", "--quiet").ends(t, 0)
	folder := audit.At(filepath.Join(dir, "audit"))
	issues, err := folder.Issues()
	if err != nil {
		t.Fatal(err)
	}
	log, _, err := folder.Decide()
	if err != nil {
		t.Fatal(err)
	}
	for k, i := range issues[:3] { // suggested by both; a conflict; a conflict that is settled
		lines := []audit.Decision{{Label: i.Suggested, Action: audit.Suggested, Reviewer: "ann"}, {Label: i.Suggested, Action: audit.Suggested, Reviewer: "bob"}}
		if k > 0 {
			lines[1].Label, lines[1].Action = i.Given, audit.Accept
		}
		if k == 2 {
			lines = append(lines, audit.Decision{Label: i.Suggested, Action: audit.Suggested, Reviewer: "eve", Settles: true})
		}
		for _, d := range lines {
			d.ID, d.Given = i.ID, i.Given
			if err := log.Append(d); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	p := startProgram(t, "losscorr-real", dir, nil, "export", "audit", "out.json", "--decisions-only")
	p.ends(t, 0)
	contains(t, "stdout", p.out.String(), "2 corrected annotations", "1 count as undecided, since reviewers disagree")
	out, err := os.ReadFile(filepath.Join(dir, "out.json"))
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []int{1, 0, 1} {
		at := strings.Index(string(out), fmt.Sprintf(`{"id": %s `, issues[k].ID))
		task, _, _ := strings.Cut(string(out)[at:], "\n\n")
		if got := strings.Count(task, `"was_cancelled":false`); got != want {
			t.Errorf("task %s has %d corrections, want %d: %s", issues[k].ID, got, want, task)
		}
	}
	p = startProgram(t, "losscorr-real", dir, nil, "export", "audit", "all.json", "--json")
	p.ends(t, 0)
	contains(t, "stdout", p.out.String(), `"corrections": 2`, `"conflicts": 1`)
}
