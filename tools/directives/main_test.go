package main

import (
	"os"
	"strings"
	"testing"
)

// Without a function's directives each call of it costs an allocation.
func TestDirectivesAreCurrent(t *testing.T) {
	api, err := os.ReadFile("../../cgo/api.h")
	if err != nil {
		t.Fatal(err)
	}
	now, err := os.ReadFile("../../torch/directives.go")
	if err != nil {
		t.Fatal(err)
	}
	want := directives(string(api))
	if string(now) != want {
		t.Error("torch/directives.go is not that of cgo/api.h: go generate ./torch")
	}
	for _, line := range []string{"#cgo noescape lt_add\n", "#cgo nocallback lt_add\n",
		"#cgo nocallback lt_cuda_synchronize\n"} {
		if !strings.Contains(want, line) {
			t.Errorf("%q is missing", line)
		}
	}
	for _, name := range callBack {
		if strings.Contains(want, " lt_"+name+"\n") {
			t.Errorf("lt_%s calls back", name)
		}
		if !strings.Contains(string(api), "  X("+name+",") {
			t.Errorf("cgo/api.h has no %s", name)
		}
	}
}
