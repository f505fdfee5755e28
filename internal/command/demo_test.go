package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
)

// The demo writes its files, audits them, says what to type next, which works, and does
// nothing twice.
func TestDemo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	vars := realVars(t, dir)
	writeDigits(t, filepath.Join(dir, "data", "mnist"), 300, 50)
	write(t, filepath.Join(dir, "mine.txt"), []byte("kept"))
	p := start(t, dir, vars, "demo", ".", "--quiet")
	p.ends(t, 0)
	s, err := audit.At(filepath.Join(dir, "audit")).Summary()
	if err != nil {
		t.Fatal(err)
	}
	if s.Examples != 300 || s.Measured == nil || s.Measured.Wrong < 40 || s.Measured.Wrong > 80 {
		t.Errorf("an audit of %d examples, %+v", s.Examples, s.Measured)
	}
	for _, want := range []string{"losscorr review audit", "audit/report.html", "this was: losscorr audit images", "--trusted audit/decisions.csv"} {
		if !strings.Contains(p.out.String(), want) {
			t.Errorf("%q lacks %q", p.out.String(), want)
		}
	}
	before := read(t, filepath.Join(dir, "labels.csv"))
	_, line, _ := strings.Cut(p.out.String(), "this was: losscorr ")
	line, _, _ = strings.Cut(line, "\n")
	start(t, dir, vars, append(strings.Fields(line), "--quiet")...).ends(t, 0)
	start(t, dir, vars, "demo", ".", "--quiet").ends(t, 0)
	if string(read(t, filepath.Join(dir, "labels.csv"))) != string(before) || string(read(t, filepath.Join(dir, "mine.txt"))) != "kept" {
		t.Error("the second demo has changed files")
	}
}
