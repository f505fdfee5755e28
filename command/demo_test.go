package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/audit"
	"github.com/losscorr/losscorr/dataset"
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
	s, err := audit.At(filepath.Join(dir, demoAudit)).Summary()
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

// A folder with other files of the demo's names is left as it is.
func TestDemoRefuses(t *testing.T) {
	data := &dataset.Dataset{Classes: strings.Split("0123456789", "")}
	for k := range 20 {
		data.Train.Labels = append(data.Train.Labels, k%10)
	}
	data.Train.X, data.Train.Shape = make([]byte, 20*784), []int{784}
	for _, name := range []string{"labels.csv", "images/a.png", "audit/summary.json"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, path, []byte("mine"))
		_, _, err := writeDemo(dir, data)
		if Exit(err) != ExitData || !strings.Contains(fmt.Sprint(err), "choose another folder") {
			t.Errorf("%s: %v", name, err)
		}
		if string(read(t, path)) != "mine" || len(list(t, dir)) != 1 {
			t.Errorf("%s: the folder has %v", name, list(t, dir))
		}
	}
	dir := t.TempDir()
	for range 2 { // a second time the files are there
		if n, wrong, err := writeDemo(dir, data); n != 20 || wrong == 0 || err != nil {
			t.Errorf("%d digits, %d wrong, %v", n, wrong, err)
		}
	}
	if n := len(list(t, dir, demoImages)); n != 20 {
		t.Errorf("%d images", n)
	}
}
