package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/command/app"
	"github.com/losscorr/losscorr/report/reporttest"
	"github.com/losscorr/losscorr/store"
)

func results(args ...string) (code int, stdout, stderr string) {
	var out, diagnostics bytes.Buffer
	p := Program{Stdout: &out, Stderr: &diagnostics}
	code = p.Main(append([]string{"losscorr", "results"}, args...))
	return code, out.String(), diagnostics.String()
}

// threeRuns are two finished runs and one that failed.
func threeRuns(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	finished(t, root, "aaaaaaaaaaaa", "forward", 1)
	finished(t, root, "bbbbbbbbbbbb", "cross-entropy", 2)
	makeFolder(t, filepath.Join(root, "cccccccccccc"))
	status, err := json.Marshal(store.Status{Schema: 1, State: store.Failed, Error: "disk | full"})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "cccccccccccc", store.StatusFile), status)
	return root
}

func TestResultsShow(t *testing.T) {
	root := threeRuns(t)
	for _, test := range []struct {
		args      []string
		want, not string
	}{
		{nil, "cccccccccccc  failed", "optimizer.name"},
		{[]string{"--loss", "forward"}, "aaaaaaaaaaaa", "bbbbbbbbbbbb"},
		{[]string{"--seed", "2-3"}, "bbbbbbbbbbbb", "aaaaaaaaaaaa"},
		{[]string{"--noise", "asymmetric:.6"}, "aaaaaaaaaaaa", "cccccccccccc"},
		{[]string{"--noise", "asymmetric"}, "aaaaaaaaaaaa", "cccccccccccc"},
		{[]string{"--noise", "none,asymmetric:.2"}, "id", "aaaaaaaaaaaa"},
		{[]string{"--state", "failed", "--columns", "id,error"}, "cccccccccccc  disk | full", "aaaaaaaaaaaa"},
		{[]string{"--dataset", "mnist", "--model", "mlp", "--preset", "code", "--only-changed"}, "id            state  loss           seed  selected   last", "dataset"},
		{[]string{"--state", "done", "--sort", "-seed", "--columns", "seed"}, "seed\n   2\n   1\n", "loss"},
	} {
		code, out, diagnostics := results(append([]string{"show", root}, test.args...)...)
		if code != app.ExitDone || !strings.Contains(out, test.want) || strings.Contains(out, test.not) {
			t.Errorf("%q: exit code %d, want %q and not %q in\n%s%s", test.args, code, test.want, test.not, out, diagnostics)
		}
	}
	code, out, diagnostics := results("show", root, "--json", "--state", "done")
	var doc struct {
		Schema int
		Runs   []map[string]any
	}
	if err := json.Unmarshal([]byte(out), &doc); code != app.ExitDone || err != nil || doc.Schema != 1 || len(doc.Runs) != 2 || doc.Runs[1]["selected"] != 97. {
		t.Errorf("exit code %d, %v, %s%s", code, err, out, diagnostics)
	}
}

// The file of a noise is named as on the command line of its run, from the working directory.
func TestResultsShowByFile(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	file := filepath.Join(root, "T.csv")
	r := reporttest.Result("forward", "matrix", 0, 1, 97, 96)
	r.Config.Noise.File = file
	reporttest.PutJSON(t, filepath.Join(root, "runs", r.ID, store.ResultFile), r)
	for noise, runs := range map[string]string{"matrix:T.csv": "1 run\n", "matrix:" + file: "1 run\n", "matrix:other.csv": "0 runs\n"} {
		if code, _, diagnostics := results("show", "runs", "--noise", noise); code != app.ExitDone || diagnostics != runs {
			t.Errorf("%s: exit code %d, %s", noise, code, diagnostics)
		}
	}
}

func TestResultsExport(t *testing.T) {
	root, dir := threeRuns(t), t.TempDir()
	for name, want := range map[string]string{
		"runs.csv": "aaaaaaaaaaaa,done,mnist,mlp,code,forward,asymmetric,0.6,", "runs.json": `"error": "disk | full"`,
		"runs.tex": `aaaaaaaaaaaa & done & mnist`, "runs.md": "| cccccccccccc | failed |", "runs.parquet": "PAR1",
	} {
		path := filepath.Join(dir, name)
		code, out, diagnostics := results("export", root, "--out", path)
		if code != app.ExitDone || out != "" || !strings.Contains(diagnostics, "3 runs") {
			t.Fatalf("%s: exit code %d, %s%s", name, code, out, diagnostics)
		}
		written := read(t, path)
		if !bytes.Contains(written, []byte(want)) {
			t.Errorf("%s lacks %q", name, want)
		}
		format := strings.TrimPrefix(filepath.Ext(name), ".")
		if format == "tex" {
			format = "latex"
		}
		if code, out, _ := results("export", root, "--format", format); code != app.ExitDone || out != string(written) {
			t.Errorf("%s: exit code %d, standard output holds another text than the file", format, code)
		}

		write(t, path, []byte("mine"))
		if code, _, diagnostics := results("export", root, "--out", path); code != app.ExitUsage || !strings.Contains(diagnostics, "--force") || string(read(t, path)) != "mine" {
			t.Errorf("%s: exit code %d, %s: a file that was there has to stay", name, code, diagnostics)
		}
		if code, _, diagnostics := results("export", root, "--out", path, "--force"); code != app.ExitDone || !bytes.Equal(read(t, path), written) {
			t.Errorf("%s: exit code %d, %s", name, code, diagnostics)
		}
	}
}

// A folder that is not there is named, and no temporary file of ours.
func TestResultsExportNowhere(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "none")
	code, _, diagnostics := results("export", threeRuns(t), "--out", filepath.Join(folder, "runs.csv"))
	if code != app.ExitFailed || !strings.Contains(diagnostics, folder+": no such file or directory; make the folder first") {
		t.Errorf("exit code %d, %s", code, diagnostics)
	}
}

// Damage is named, and the rest comes all the same.
func TestResultsGoOnPastDamage(t *testing.T) {
	root := threeRuns(t)
	bad := filepath.Join(root, "dddddddddddd", store.ResultFile)
	makeFolder(t, filepath.Dir(bad))
	write(t, bad, []byte("{"))
	code, out, diagnostics := results("show", root)
	if code != app.ExitData || !strings.Contains(out, "aaaaaaaaaaaa") || !strings.Contains(diagnostics, filepath.Dir(bad)+": result.json is damaged") {
		t.Errorf("exit code %d\n%s%s", code, out, diagnostics)
	}
	file := filepath.Join(t.TempDir(), "runs.csv")
	if code, _, _ := results("export", root, "--out", file); code != app.ExitData {
		t.Errorf("export: exit code %d", code)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	for _, dir := range []string{t.TempDir(), filepath.Join(root, "none")} {
		if code, _, diagnostics := results("show", dir); code != app.ExitData || !strings.Contains(diagnostics, dir) {
			t.Errorf("%s: exit code %d, %s", dir, code, diagnostics)
		}
	}
}

func TestResultsUsage(t *testing.T) {
	root := threeRuns(t)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"shwo"}, `did you mean "show"?`},
		{[]string{"show"}, "a folder of runs is missing"},
		{[]string{"show", root, "--loss", "foward"}, `did you mean "forward"?`},
		{[]string{"show", root, "--state", "don"}, `did you mean "done"?`},
		{[]string{"show", root, "--columns", "sede"}, `did you mean "seed"?`},
		{[]string{"show", root, "--sort", "-sede"}, `did you mean "seed"?`},
		{[]string{"show", root, "--seed", "x"}, `"x": want seeds such as 1,2 or 1-5`},
		{[]string{"show", root, "--epochs", "3-2"}, `"3-2" is not a range of epochs`},
		{[]string{"show", root, "--epochs", ""}, `"": want epochs such as 1,2 or 1-5`},
		{[]string{"show", root, "--epochs", "all", "--columns", "selected"}, "there is no column selected"},
		{[]string{"show", root, "--noise", "symmetric:2"}, "not a number in [0, 1)"},
		{[]string{"export", root, "--format", "parket"}, `did you mean "parquet"?`},
		{[]string{"export", root, "--out", root, "--force"}, "it is a folder; name a file in it"},
	} {
		if code, _, diagnostics := results(test.args...); code != app.ExitUsage || !strings.Contains(diagnostics, test.want) {
			t.Errorf("%q: exit code %d, %s", test.args, code, diagnostics)
		}
	}
}
