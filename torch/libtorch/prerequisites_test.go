package libtorch

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

// pathWith limits the PATH to what the script needs and programs that always print the given text.
func pathWith(t *testing.T, programs map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"awk", "sed", "cut", "head", "cat"} {
		real, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("%s is not on the PATH", name)
		}
		expect.OK(t, os.Symlink(real, filepath.Join(dir, name)))
	}
	for name, body := range programs {
		script(t, filepath.Join(dir, name), body)
	}
	t.Setenv("PATH", dir)
	t.Setenv("CXX", "")
}

// tool is a program that prerequisites.sh looks for.
type tool struct {
	name   string
	found  bool
	detail string // path and version, or the problem
}

// prerequisites runs prerequisites.sh, which make calls, for the named tools. advice is its output for the user.
func prerequisites(t *testing.T, names ...string) (tools []tool, advice string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/bin/sh", append([]string{"prerequisites.sh"}, names...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	for line := range strings.Lines(stdout.String()) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(f) != 3 {
			t.Fatalf("unexpected line %q", line)
		}
		tools = append(tools, tool{f[0], f[1] == "ok", f[2]})
	}
	return tools, strings.TrimSpace(stderr.String()), err
}

func TestPrerequisitesNameWhatIsMissing(t *testing.T) {
	pathWith(t, map[string]string{
		"go": "echo go1.19.8", "cmake": "echo cmake version 3.16.3", "g++": "exit 1", "make": "exit 0",
	})
	tools, advice, err := prerequisites(t, "go", "make", "cmake", "c++", "python3")
	expect.Fails(t, err, "exit status 1")
	want := map[string]string{
		"go": "1.19.8", "cmake": "3.18 is needed", "c++": "does not compile C++20", "python3": "not on the PATH",
	}
	for _, tool := range tools {
		if reason, missing := want[tool.name]; missing == tool.found || !strings.Contains(tool.detail, reason) {
			t.Errorf("%+v, want missing %t with %q", tool, missing, reason)
		}
	}
	expect.Says(t, advice, "sudo apt-get install golang-go cmake g++ python3 python3-pip",
		"sudo dnf install golang cmake gcc-c++ python3 python3-pip",
		"xcode-select --install && brew install go cmake python", "https://go.dev/dl/")
}
