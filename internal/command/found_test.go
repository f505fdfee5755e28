package command

import (
	"bytes"
	"encoding/json"
	"github.com/losscorr/losscorr"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// grid status and grid run take the folder that train leaves, without a plan.
func TestGridOfTrainsFolder(t *testing.T) {
	root := t.TempDir()
	if code, _, text := ran("grid", "status", root); code == app.ExitDone || !strings.Contains(text, "plan.json") {
		t.Errorf("an empty folder: exit code %d, %s", code, text)
	}
	runs := configtest.Load(t, "{dataset: mnist, grid: {loss: [cross-entropy, forward-estimated]}, noise: {kind: symmetric, level: .2}}\n")
	leave(t, root, runs[0])
	folder, err := store.Claim(root, runs[1], nil, &store.Watch{}, store.DefaultLeaseTime)
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.SetStatus(store.Status{State: store.Stopped, Epoch: 3, Epochs: 40}); err != nil {
		t.Fatal(err)
	}
	folder.Close()
	makeFolder(t, filepath.Join(root, "demo")) // of a report
	code, out, diagnostics := ran("grid", "status", root, "--json")
	var state struct {
		Root   string
		Total  int
		Counts map[string]int
	}
	if err := json.Unmarshal([]byte(out), &state); err != nil || code != app.ExitDone {
		t.Fatalf("exit code %d, %v: %s", code, err, diagnostics)
	}
	if state.Total != 2 || state.Counts[store.Done] != 1 || state.Counts[store.Stopped] != 1 || state.Root != root {
		t.Errorf("state %+v", state)
	}
	if _, err := os.Stat(filepath.Join(root, store.PlanName)); err == nil {
		t.Error("a plan was written")
	}
}

func ran(args ...string) (code int, stdout, stderr string) {
	var out, diagnostics bytes.Buffer
	p := Program{Stdout: &out, Stderr: &diagnostics}
	code = p.Main(append([]string{"losscorr"}, args...))
	return code, out.String(), diagnostics.String()
}

// What demo reports stays when the whole block is done, and each report of a folder has
// all of its runs, those that were there before, too.
func TestReportsAreRefreshedAndKept(t *testing.T) {
	t.Chdir(t.TempDir())
	root := filepath.Join("runs", "mnist")
	do := func(args ...string) {
		t.Helper()
		doc, err := config.ReadFS(losscorr.Experiments(), "mnist/"+args[0]+".yaml", args[1:]...)
		if err != nil {
			t.Fatal(err)
		}
		runs, err := doc.Expand()
		if err != nil {
			t.Fatal(err)
		}
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
	if _, err := os.Stat(filepath.Join(root, "table.csv")); err == nil {
		t.Error("the demo's report is also that of the folder")
	}
	do("mnist", "seed=1", "loss=savage", "noise.kind=none", "noise.level=0")
	do("mnist", "seed=2", "loss=savage", "noise.kind=none", "noise.level=0")
	if !bytes.Equal(kept, read(t, filepath.Join(root, "demo", "table.csv"))) {
		t.Error("the demo's report was overwritten")
	}
	table := string(read(t, filepath.Join(root, "table.csv")))
	for _, want := range []string{"none,,savage,1 2,", "asymmetric,0.6,forward-estimated,2,"} {
		if !strings.Contains(table, want) {
			t.Errorf("the folder's table lacks %s:\n%s", want, table)
		}
	}
}

// report writes a figure for each noise beside its tables.
func TestReportDraws(t *testing.T) {
	root := t.TempDir()
	finished(t, root, "a", "forward", 1)
	write(t, filepath.Join(root, "a", store.MetricsFile), []byte(`{"epoch":1,"train_loss":1,"test_accuracy":96}`+"\n"))
	out := filepath.Join(root, "report")
	if code, _, diagnostics := reported(root, "--out", out); code != app.ExitDone || !strings.Contains(diagnostics, "mnist-mlp-code-asymmetric-0.6.png") {
		t.Fatalf("exit code %d: %s", code, diagnostics)
	}
	for _, ending := range []string{"svg", "png"} {
		if len(read(t, filepath.Join(out, "mnist-mlp-code-asymmetric-0.6."+ending))) < 1000 {
			t.Errorf("the %s is empty", ending)
		}
	}
}

// leave writes the folder of a finished run.
func leave(t *testing.T, root string, c config.Config) {
	t.Helper()
	dir := filepath.Join(root, c.ID())
	makeFolder(t, dir)
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, store.ConfigFile), text)
	result, err := json.Marshal(store.Result{Schema: 1, ID: c.ID(), State: store.Done, Config: c, Finished: "2026-01-02T03:04:05Z",
		Selected: metrics.Epoch{Epoch: c.Epochs, TestAccuracy: 90}, Last: metrics.Epoch{Epoch: c.Epochs, TestAccuracy: 90}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, store.ResultFile), result)
}
