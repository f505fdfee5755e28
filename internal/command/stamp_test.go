package command

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What make builds knows the commit that it was built from, also where Go finds none: in a
// working tree of git worktree, and where GOFLAGS says so.
func TestMakeStampsTheRevision(t *testing.T) {
	head, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		t.Skipf("the sources are no git repository: %v", err)
	}
	for name, flags := range map[string]string{"plain": "", "no stamp by Go": "-buildvcs=false"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("make", "--dry-run", "--no-print-directory", "binaries", "LIBTORCH="+t.TempDir())
			cmd.Dir, cmd.Env = filepath.Join("..", ".."), append(os.Environ(), "MAKEFLAGS=", "GOFLAGS="+flags)
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			program := filepath.Join(t.TempDir(), "losscorr")
			build := strings.Replace(lines[len(lines)-1], "-o build/ ./cmd/... ./experiments/...", "-o "+program+" ./cmd/losscorr", 1)
			cmd = exec.Command("sh", "-c", build)
			cmd.Dir, cmd.Env = filepath.Join("..", ".."), append(os.Environ(), "GOFLAGS="+flags)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", build, err, out)
			}
			if out, err = exec.Command(program, "version", "--json").Output(); err != nil {
				t.Fatal(err)
			}
			var version struct{ Revision string }
			if err := json.Unmarshal(out, &version); err != nil || version.Revision != strings.TrimSpace(string(head)) {
				t.Errorf("%s says revision %q, %v, want %s", build, version.Revision, err, head)
			}
		})
	}
}
