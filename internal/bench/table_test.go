package bench

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/losscorr/losscorr/torch"
)

func TestTableIsComplete(t *testing.T) {
	used := map[string]bool{"serve.py": true}
	var names []string
	for _, w := range workloads {
		if slices.Contains(names, w.name) {
			t.Errorf("two workloads are named %s", w.name)
		}
		names = append(names, w.name)
		if w.title == "" || w.steps < 1 || w.rounds < 1 || w.make == nil || len(w.variants) == 0 {
			t.Errorf("%s: a column is empty: %+v", w.name, w)
		}
		if _, err := fs.Stat(scripts, w.script); err != nil {
			t.Errorf("%s: %v", w.name, err)
		}
		used[w.script] = true
	}
	for _, c := range allCompiled {
		if !slices.Contains(names, c.workload) || c.name == "" {
			t.Errorf("%+v belongs to no workload", c)
		}
		used[c.script] = true
	}
	files, err := fs.Glob(scripts, "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !used[f] {
			t.Errorf("%s belongs to no workload", f)
		}
	}
	if err := CheckNames(Names()); err != nil {
		t.Error(err)
	}
	if CheckNames([]string{"mnist", "mnits"}) == nil {
		t.Error("mnits is taken for a measurement")
	}
	if want := []string{"mnist", "embedding-elements", "resnet32", "resnet32-bf16", "lstm256",
		"exported-resnet18"}; !slices.Equal(stepNames(), want) {
		t.Errorf("Steps measures %v, want %v", stepNames(), want)
	}
}

// Python parses every script; no module is imported.
func TestScriptsParse(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here")
	}
	files, err := filepath.Glob("*.py")
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	const parse = "import sys\nfor f in sys.argv[1:]: compile(open(f).read(), f, 'exec')"
	if out, err := exec.Command(python, append([]string{"-c", parse}, files...)...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// With a real PyTorch every script loads, in one process, and does a step.
func TestScriptsRun(t *testing.T) {
	python := os.Getenv("LOSSCORR_TEST_PYTHON")
	if python == "" {
		t.Skip("LOSSCORR_TEST_PYTHON names no interpreter with torch and torchvision")
	}
	b := &bench{ctx: t.Context(), one: true, Options: Options{Python: python, Device: torch.CPU,
		PythonTime: 5 * time.Minute}}
	defer b.close()
	for _, w := range workloads {
		beside, err := b.beside(w)
		if err != nil {
			t.Errorf("%s: %v", w.name, err)
			continue
		}
		for i, run := range beside {
			if _, err := run(1); err != nil {
				t.Errorf("%s %v: %v", w.name, w.variants[i], err)
			}
		}
	}
	if len(b.peers) != 1 {
		t.Errorf("%d processes, want 1", len(b.peers))
	}
}
