package command

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report/reporttest"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// finished writes the result of a run into root.
func finished(t *testing.T, root, id, loss string, seed uint64) {
	t.Helper()
	r := reporttest.Result(loss, "asymmetric", .6, seed, 97, 96)
	r.ID = id
	text := expect.Got(json.Marshal(r))(t)
	makeFolder(t, filepath.Join(root, id))
	write(t, filepath.Join(root, id, store.ResultFile), text)
}

func reported(args ...string) (code int, stdout, stderr string) {
	return ran(append([]string{"report"}, args...)...)
}

// A report of several folders has all runs in each format, and draws a figure for each noise.
func TestReport(t *testing.T) {
	root := t.TempDir()
	finished(t, filepath.Join(root, "mnist"), "a", "forward", 1)
	finished(t, filepath.Join(root, "more"), "b", "cross-entropy", 1)
	for format, want := range map[string]string{
		"text": "forward              97.0  96.0", "markdown": "| forward | 97.0 / 96.0 / **97.3**★ / -0.3 |",
		"latex": `forward & 97.0 & 96.0 & \textbf{97.3 $\pm$ 0.0}$^\star$ & $-$0.3`,
		"csv":   "forward,mnist,mlp,code,forward,asymmetric,0.6,",
		"runs":  "a,done,mnist,mlp,code,forward,asymmetric,0.6,", "html": `<td class="selected">97.0<`,
	} {
		code, out, diagnostics := reported(filepath.Join(root, "mnist"), filepath.Join(root, "more"), "--format", format)
		if code != app.ExitDone || !strings.Contains(out, want) || !strings.Contains(out, "cross-entropy") {
			t.Errorf("%s: exit code %d, no %q in\n%s%s", format, code, want, out, diagnostics)
		}
	}

	folder := filepath.Join(root, "tables")
	write(t, filepath.Join(root, "mnist", "a", store.MetricsFile),
		[]byte(`{"epoch":1,"train_loss":1,"test_accuracy":96}`+"\n"))
	code, _, diagnostics := reported(root, "--out", folder)
	if code != app.ExitDone {
		t.Fatalf("exit code %d: %s", code, diagnostics)
	}
	expect.Says(t, diagnostics, "mnist-mlp-code-asymmetric-0.6.png")
	for _, name := range []string{"report.html", "table.csv", "table.md", "table.tex", "runs.csv"} {
		expect.Says(t, string(read(t, folder, name)), "forward")
	}
	for _, ending := range []string{"svg", "png"} {
		if len(read(t, folder, "mnist-mlp-code-asymmetric-0.6."+ending)) < 1000 {
			t.Errorf("the %s is empty", ending)
		}
	}
}

// A damaged result is named and sets the exit code; the others are shown.
func TestReportGoesOnPastDamage(t *testing.T) {
	root := t.TempDir()
	finished(t, root, "a", "forward", 1)
	bad := filepath.Join(root, "b", store.ResultFile)
	makeFolder(t, filepath.Dir(bad))
	write(t, bad, []byte(`{"schema":1,`))
	for _, args := range [][]string{{root}, {root, "--table2"}, {root, "--table3"}} {
		code, out, diagnostics := reported(args...)
		if code != app.ExitData || !strings.Contains(diagnostics, filepath.Dir(bad)+": result.json is damaged") ||
			!strings.Contains(out, "forward") {
			t.Errorf("%q: exit code %d\n%s%s", args, code, out, diagnostics)
		}
	}
	for _, dir := range []string{filepath.Join(root, "none"), t.TempDir()} {
		if code, _, diagnostics := reported(dir); code != app.ExitData || !strings.Contains(diagnostics, dir) {
			t.Errorf("%s: exit code %d, %s", dir, code, diagnostics)
		}
	}
}

// The paper's tables are assembled from the available runs, even none.
func TestReportOfThePapersTables(t *testing.T) {
	root := t.TempDir()
	finished(t, filepath.Join(root, "mnist"), "a", "forward", 1)
	none, empty := filepath.Join(root, "none"), t.TempDir()
	code, out, diagnostics := reported("--table2", filepath.Join(root, "mnist"), none, empty)
	if code != app.ExitDone {
		t.Fatalf("exit code %d: %s", code, diagnostics)
	}
	expect.Says(t, diagnostics, none, empty)
	expect.Says(t, out, "forward        97.0  96.0")
	code, _, diagnostics = reported("--table2", none)
	if code != app.ExitDone || !strings.Contains(diagnostics, "make table2") {
		t.Errorf("table 2 of nothing: exit code %d\n%s", code, diagnostics)
	}
	code, out, _ = reported("--table3", none)
	if code != app.ExitDone || strings.Count(out, "make clothing1m") != 5 {
		t.Errorf("table 3 of nothing: exit code %d\n%s", code, out)
	}
}

func ran(args ...string) (code int, stdout, stderr string) {
	var out, diagnostics bytes.Buffer
	p := Program{app.Program{Stdout: &out, Stderr: &diagnostics}}
	code = p.Main(append([]string{"losscorr"}, args...))
	return code, out.String(), diagnostics.String()
}

// The report of demo stays when the whole block is done, and each report of a folder has all
// of its runs, old and new.
func TestReportsAreRefreshedAndKept(t *testing.T) {
	t.Chdir(t.TempDir())
	root := filepath.Join("runs", "mnist")
	do := func(args ...string) {
		t.Helper()
		doc := expect.Got(config.ReadFS(losscorr.Experiments(), "mnist/"+args[0]+".yaml", args[1:]...))(t)
		runs := expect.Got(doc.Expand())(t)
		for _, c := range runs {
			leave(t, root, c) // as if it had been done
		}
		p := pretending(fakePipeline{})
		var diagnostics bytes.Buffer
		p.Stderr = &diagnostics
		if code := p.Experiment("mnist", losscorr.Experiments(), append([]string{"mnist"}, args...)); code != app.ExitDone {
			t.Fatalf("%q: exit code %d: %s", args, code, diagnostics.String())
		}
	}
	do("demo")
	kept := read(t, filepath.Join(root, "demo", "table.csv"))
	absent(t, root, "table.csv")
	do("mnist", "seed=1", "loss=savage", "noise.kind=none", "noise.level=0")
	do("mnist", "seed=2", "loss=savage", "noise.kind=none", "noise.level=0")
	if !bytes.Equal(kept, read(t, filepath.Join(root, "demo", "table.csv"))) {
		t.Error("the demo's report was overwritten")
	}
	expect.Says(t, string(read(t, root, "table.csv")),
		",savage,none,0,", ",1 2,0,90.000,", ",forward-estimated,asymmetric,0.6,")
}

// leave writes the folder of a finished run.
func leave(t *testing.T, root string, c config.Config) {
	t.Helper()
	dir := filepath.Join(root, c.ID())
	makeFolder(t, dir)
	text := expect.Got(c.YAML())(t)
	write(t, filepath.Join(dir, store.ConfigFile), text)
	last := metrics.Epoch{Epoch: c.Epochs, TestAccuracy: 90}
	result := store.Result{Schema: 1, ID: c.ID(), State: store.Done, Config: c, Selected: last, Last: last}
	result.Finished = "2026-01-02T03:04:05Z"
	write(t, filepath.Join(dir, store.ResultFile), expect.Got(json.Marshal(result))(t))
}
