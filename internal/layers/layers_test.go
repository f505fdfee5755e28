package main

import (
	"os"
	"path/filepath"
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
		{"store", "grid/progress", "store imports grid/progress, which is not below it"},
		{"report/html", "pipeline", "report/html imports pipeline, which is not below it"},
		{"grid/progress", "grid", ""},
		{"experiments/mnist", "experiments", ""},
		{"experiments/mnist", "experiments/theory", "experiments/mnist imports experiments/theory, which is not below it"},
		{"attic", "torch", "attic is on no floor: add its folder to internal/layers"},
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
