package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/report/reporttest"
	"github.com/losscorr/losscorr/internal/store"
)

// finished leaves the result of a run in root.
func finished(t *testing.T, root, id, loss string, seed uint64) {
	t.Helper()
	r := reporttest.Result(loss, "asymmetric", .6, seed, 97, 96)
	r.ID = id
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	makeFolder(t, filepath.Join(root, id))
	write(t, filepath.Join(root, id, store.ResultFile), text)
}

func makeFolder(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o777); err != nil {
		t.Fatal(err)
	}
}

func reported(args ...string) (code int, stdout, stderr string) {
	var out, diagnostics bytes.Buffer
	p := Program{Stdout: &out, Stderr: &diagnostics}
	code = p.Main(append([]string{"losscorr", "report"}, args...))
	return code, out.String(), diagnostics.String()
}

func TestReport(t *testing.T) {
	root := t.TempDir()
	finished(t, filepath.Join(root, "mnist"), "a", "forward", 1)
	finished(t, filepath.Join(root, "more"), "b", "cross-entropy", 1)
	for format, want := range map[string]string{
		"text": "forward              97.0  96.0", "markdown": "| forward | 97.0 / 96.0 (97.3, -0.3) |",
		"latex": `forward & $97.0$ & $96.0$ & $\bm{97.3 \pm 0.0}^\star$`, "csv": "mnist,,mlp,code,,40,0,asymmetric,0.6,forward,1,0,97.000",
		"runs": "a,done,mnist,mlp,code,forward,asymmetric,0.6,", "html": `title="1 seed">97.0<`,
	} {
		code, out, diagnostics := reported(filepath.Join(root, "mnist"), filepath.Join(root, "more"), "--format", format)
		if code != app.ExitDone || !strings.Contains(out, want) || !strings.Contains(out, "cross-entropy") {
			t.Errorf("%s: exit code %d, no %q in\n%s%s", format, code, want, out, diagnostics)
		}
	}

	folder := filepath.Join(root, "tables")
	if code, _, diagnostics := reported(root, "--out", folder); code != app.ExitDone {
		t.Fatalf("exit code %d: %s", code, diagnostics)
	}
	for _, name := range []string{"report.html", "table.csv", "table.md", "table.tex", "runs.csv"} {
		if text := string(read(t, filepath.Join(folder, name))); !strings.Contains(text, "forward") {
			t.Errorf("%s holds %q", name, text)
		}
	}

	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	if code, out, diagnostics := reported(link); code != app.ExitDone || !strings.Contains(out, "forward") {
		t.Errorf("through a link: exit code %d\n%s%s", code, out, diagnostics)
	}
}

// A damaged result is named, the others are shown, and the code says so.
func TestReportGoesOnPastDamage(t *testing.T) {
	root := t.TempDir()
	finished(t, root, "a", "forward", 1)
	bad := filepath.Join(root, "b", store.ResultFile)
	makeFolder(t, filepath.Dir(bad))
	write(t, bad, []byte(`{"schema":1,`))
	for _, args := range [][]string{{root}, {root, "--table2"}, {root, "--table3"}} {
		code, out, diagnostics := reported(args...)
		if code != app.ExitData || !strings.Contains(diagnostics, filepath.Dir(bad)+": result.json is damaged") || !strings.Contains(out, "forward") {
			t.Errorf("%q: exit code %d\n%s%s", args, code, out, diagnostics)
		}
	}
	for _, dir := range []string{filepath.Join(root, "none"), t.TempDir()} {
		if code, _, diagnostics := reported(dir); code != app.ExitData || !strings.Contains(diagnostics, dir) {
			t.Errorf("%s: exit code %d, %s", dir, code, diagnostics)
		}
	}
}

// The paper's tables are assembled from what there is, down to nothing.
func TestReportOfThePapersTables(t *testing.T) {
	root := t.TempDir()
	finished(t, filepath.Join(root, "mnist"), "a", "forward", 1)
	none, empty := filepath.Join(root, "none"), t.TempDir()
	code, out, diagnostics := reported("--table2", filepath.Join(root, "mnist"), none, empty)
	if code != app.ExitDone {
		t.Fatalf("exit code %d: %s", code, diagnostics)
	}
	for _, dir := range []string{none, empty} {
		if !strings.Contains(diagnostics, dir) {
			t.Errorf("%s is not named in %q", dir, diagnostics)
		}
	}
	for _, want := range []string{"1 of 240 cells", "1 with fewer seeds", "make imdb-lstm"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	code, out, diagnostics = reported("--table2", "--format", "csv", filepath.Join(root, "mnist"))
	if code != app.ExitDone || strings.Contains(out, "of 240") || !strings.Contains(diagnostics, "1 of 240") {
		t.Errorf("csv: exit code %d\n%s%s", code, out, diagnostics)
	}
	if strings.Contains(diagnostics, "left out") {
		t.Errorf("a folder of runs is left out: %s", diagnostics)
	}
	code, out, _ = reported("--table3", none)
	if code != app.ExitDone || strings.Count(out, "make clothing1m") != 5 {
		t.Errorf("table 3 of nothing: exit code %d\n%s", code, out)
	}
}

func TestReportUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "a folder of runs is missing"},
		{[]string{"runs", "--format", "latx"}, `did you mean "latex"?`},
		{[]string{"runs", "--table2", "--table3"}, "ask for one"},
	} {
		if code, _, diagnostics := reported(test.args...); code != app.ExitUsage || !strings.Contains(diagnostics, test.want) {
			t.Errorf("%q: exit code %d, %s", test.args, code, diagnostics)
		}
	}
}
