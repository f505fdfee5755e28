package libtorch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// In a clone that has moved, make drops CMake's folder, which CMake would refuse to use;
// in one that has not, it keeps it.
func TestMakeOfMovedClone(t *testing.T) {
	tool := needTool(t, "make")
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	versions, err := os.ReadFile(filepath.Join("..", "..", ".ci", "versions"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, home, folder string
		kept               bool
	}{
		{"where it was configured", ".", "build/cmake", true},
		{"moved", "/elsewhere/clone", "/elsewhere/clone/build/cmake", false},
		{"a copy of the build folder", ".", "/elsewhere/build/cmake", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := realPath(t, t.TempDir())
			at := func(path string) string {
				if filepath.IsAbs(path) {
					return path
				}
				return filepath.Join(dir, path)
			}
			write(t, filepath.Join(dir, "Makefile"), string(makefile))
			write(t, filepath.Join(dir, ".ci", "versions"), string(versions))
			cache := filepath.Join(dir, "build", "cmake", "CMakeCache.txt")
			write(t, cache, "CMAKE_CACHEFILE_DIR:INTERNAL="+at(tt.folder)+"\nCMAKE_HOME_DIRECTORY:INTERNAL="+at(tt.home)+"\n")
			write(t, filepath.Join(dir, "build", "cmake", ".configured"), "")
			cmd := exec.Command(tool, "help")
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if _, err := os.Stat(cache); (err == nil) != tt.kept {
				t.Errorf("kept: %v, want %v\n%s", err == nil, tt.kept, out)
			}
			if said := strings.Contains(string(out), "build/cmake is configured again"); said == tt.kept {
				t.Errorf("make says\n%s", out)
			}
		})
	}
}
