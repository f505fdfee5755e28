// Package scratchpython finds a Python with numpy and safetensors, for tests that compare with them.
package scratchpython

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// variable names the Python that make test has made from requirements.txt.
const variable = "LOSSCORR_SCRATCH_PYTHON"

// Find returns the path of a Python that has the modules: the one that variable names, or
// else python3 on the PATH. The test fails if the former lacks one, and is skipped if the
// latter does.
func Find(t testing.TB, modules ...string) string {
	t.Helper()
	python, missing := os.Getenv(variable), t.Fatalf
	if python == "" {
		python, missing = "python3", t.Skipf
	}
	if out, err := exec.Command(python, "-c", "import "+strings.Join(modules, ", ")).CombinedOutput(); err != nil {
		missing("%s without %s: %v; make test makes one that has them\n%s", python, strings.Join(modules, ", "), err, out)
	}
	return python
}
