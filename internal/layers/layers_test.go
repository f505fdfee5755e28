package main

import (
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
		{"cluster/slurm", "pipeline", "cluster/slurm imports pipeline, from which it is kept apart"},
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
