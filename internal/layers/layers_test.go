package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestImportsPointDownwards(t *testing.T) {
	graph, err := imports()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems(graph) {
		t.Error(p)
	}
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct{ pkg, imports, want string }{
		{"store", "grid/progress", "store imports grid/progress, which does not lie below it"},
		{"report/html", "pipeline", "report/html imports pipeline, which does not lie below it"},
		{"grid/progress", "grid", ""},
		{"experiments/mnist", "experiments", ""},
		{"experiments/mnist", "experiments/theory", "experiments/mnist imports experiments/theory, which does not lie below it"},
		{"attic", "torch", "attic stands on no floor: add its folder to internal/layers"},
	} {
		got := strings.Join(problems(map[string][]string{tt.pkg: {tt.imports}}), "; ")
		if got != tt.want {
			t.Errorf("%s imports %s: %q, want %q", tt.pkg, tt.imports, got, tt.want)
		}
	}
}

// README's layout names every folder of the module that holds Go code, and no other.
func TestLayoutOfReadme(t *testing.T) {
	graph, err := imports()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Layout\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for line := range strings.Lines(section) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "    "), "/ "); ok && strings.HasPrefix(line, "    ") && line[4] != ' ' {
			listed = append(listed, name)
			if info, err := os.Stat(filepath.Join(root, name)); err != nil || !info.IsDir() {
				t.Errorf("README's layout names %s/, which is no folder", name)
			}
		}
	}
	for pkg := range graph {
		top, _, _ := strings.Cut(pkg, "/")
		if top != "" && !slices.Contains(listed, top) {
			t.Errorf("README's layout does not name %s/", top)
		}
	}
}

// Every file and every name of Go that docs/architecture.md mentions is there.
func TestArchitectureNamesWhatIsThere(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{"optim": "torch/optim", "figure": "report/figure", "html": "report/html"}
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z]+)\\.([A-Z][A-Za-z0-9.]*)`").FindAllStringSubmatch(string(text), -1) {
		folder := m[1]
		if f, ok := folders[folder]; ok {
			folder = f
		}
		if name := m[2]; !seen[m[0]] {
			seen[m[0]] = true
			if out, err := exec.Command("go", "doc", module+"/"+folder, name).CombinedOutput(); err != nil {
				t.Errorf("docs/architecture.md names %s: %s", m[0], out)
			}
		}
	}
	for _, file := range regexp.MustCompile(`\b[a-z]+(/[a-z_0-9-]+)+\.(go|yaml|md)\b`).FindAllString(string(text), -1) {
		if _, err := os.Stat(filepath.Join(root, file)); err != nil {
			t.Errorf("docs/architecture.md names %s: %v", file, err)
		}
	}
	if len(seen) < 20 {
		t.Errorf("%d names found only", len(seen))
	}
}
