package libtorch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pathWith makes the PATH hold only what the script itself needs, and programs
// that print the given text whatever they are asked.
func pathWith(t *testing.T, programs map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"awk", "sed", "cut", "head", "cat"} {
		real, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("%s is not on the PATH", name)
		}
		if err := os.Symlink(real, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, body := range programs {
		path := filepath.Join(dir, name)
		write(t, path, "#!/bin/sh\n"+body+"\n")
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	t.Setenv("CXX", "")
}

func TestPrerequisitesNameWhatIsMissing(t *testing.T) {
	pathWith(t, map[string]string{
		"go":    "echo go1.19.8",
		"cmake": "echo cmake version 3.16.3",
		"g++":   "exit 1",
		"make":  "exit 0",
	})
	tools, advice, err := Prerequisites(t.Context(), "go", "make", "cmake", "c++", "python3")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"go": "1.19.8", "cmake": "3.18 is needed", "c++": "does not compile C++20", "python3": "not on the PATH",
	}
	for _, tool := range tools {
		if reason, missing := want[tool.Name]; missing == tool.Found || !strings.Contains(tool.Detail, reason) {
			t.Errorf("%+v, want missing %t with %q", tool, missing, reason)
		}
	}
	for _, line := range []string{
		"sudo apt-get install golang-go cmake g++ python3 python3-pip",
		"sudo dnf install golang cmake gcc-c++ python3 python3-pip",
		"xcode-select --install && brew install go cmake python",
		"https://go.dev/dl/",
	} {
		if !strings.Contains(advice, line) {
			t.Errorf("advice has no %q:\n%s", line, advice)
		}
	}
}

func TestPrerequisitesAllThere(t *testing.T) {
	pathWith(t, map[string]string{
		"go":      "echo go1.26.1-X:nodwarf5",
		"make":    "exit 0",
		"cmake":   "echo cmake version 4.0.2",
		"c++":     "cat >/dev/null; echo 14.2.0",
		"python3": "echo 3.13 with pip 25.0",
	})
	tools, advice, err := Prerequisites(t.Context(), "go", "make", "cmake", "c++", "python3")
	if err != nil || advice != "" {
		t.Fatalf("advice %q, %v", advice, err)
	}
	for i, want := range []string{"1.26.1", "make", "4.0.2", "14.2.0", "3.13 with pip 25.0"} {
		if !tools[i].Found || !strings.Contains(tools[i].Detail, want) {
			t.Errorf("%+v, want it found with %q", tools[i], want)
		}
	}
}

func TestPrerequisitesPythonWithoutPip(t *testing.T) {
	pathWith(t, map[string]string{"python3": "exit 1"})
	tools, advice, err := Prerequisites(t.Context(), "python3")
	if err != nil || tools[0].Found || !strings.Contains(tools[0].Detail, "no pip") || !strings.Contains(advice, "python3-pip") {
		t.Errorf("Prerequisites = %+v, %q, %v", tools, advice, err)
	}
}

func TestPrerequisitesRefuseAnUnknownName(t *testing.T) {
	if _, _, err := Prerequisites(t.Context(), "fortran"); err == nil || !strings.Contains(err.Error(), "unknown tool fortran") {
		t.Errorf("Prerequisites(fortran) = %v", err)
	}
}
