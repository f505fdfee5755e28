package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/audit/relabel"
	"github.com/losscorr/losscorr/internal/command/app"
)

// losscorr export writes the copy of a folder, counts what has moved and refuses what it cannot do.
func TestExportFolder(t *testing.T) {
	dir := t.TempDir()
	folder, err := audittest.Images(dir, 200)
	if err != nil {
		t.Fatal(err)
	}
	s, err := folder.Summary()
	if err != nil {
		t.Fatal(err)
	}
	texts, err := audittest.Texts(t.TempDir(), 50)
	if err != nil {
		t.Fatal(err)
	}
	p := startProgram(t, "losscorr-real", dir, nil, "export", folder.Dir(), "copy", "--json")
	p.ends(t, app.ExitDone)
	var done struct {
		Schema int
		relabel.Applied
	}
	if err := json.Unmarshal(p.out.Bytes(), &done); err != nil || done.Schema != 1 || done.Files != 200 || done.Moved != s.Flagged || done.Moved == 0 {
		t.Errorf("%+v, %v; %d are flagged", done, err, s.Flagged)
	}
	if _, err := os.Stat(filepath.Join(dir, "copy", "circle")); err != nil {
		t.Error(err)
	}
	p = startProgram(t, "losscorr-real", dir, nil, "export", folder.Dir(), "people", "--decisions-only", "--link", "hard")
	p.ends(t, app.ExitDone)
	contains(t, "stdout", p.out.String(), "people: 200 files, of which 0 have another class than before")
	for want, tt := range map[string]struct {
		code int
		args []string
	}{
		"want the folder of an AUDIT":  {app.ExitUsage, []string{folder.Dir()}},
		`unexpected argument "b"`:      {app.ExitUsage, []string{folder.Dir(), "a", "b"}},
		`--link "hrad" is not one of`:  {app.ExitUsage, []string{folder.Dir(), "a", "--link", "hrad"}},
		"copy is not empty":            {app.ExitFailed, []string{folder.Dir(), "copy"}},
		"labels_corrected.csv instead": {app.ExitData, []string{texts.Dir(), "a"}},
		"no summary.json":              {app.ExitData, []string{dir, "a"}},
	} {
		p := startProgram(t, "losscorr-real", dir, nil, append([]string{"export"}, tt.args...)...)
		p.ends(t, tt.code)
		contains(t, "stderr", p.err.String(), want)
	}
}
