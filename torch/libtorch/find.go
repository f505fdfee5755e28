package libtorch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Attempt is a place that was searched and the reason why it did not work.
type Attempt struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// reasons lists places on a line each.
func reasons(tried []Attempt) (text string) {
	for _, a := range tried {
		text += fmt.Sprintf("\n  %s: %s", a.Path, a.Reason)
	}
	return text
}

// NoInstallError is the error if no supported libtorch was found.
type NoInstallError struct{ Tried []Attempt }

func (e *NoInstallError) Error() string {
	return fmt.Sprintf("no libtorch %s or later found:%s\nrun `losscorr setup` (or make) to fetch it, or set LIBTORCH to "+
		"the folder of one", Oldest(), reasons(e.Tried))
}

// Find returns the first supported libtorch of: $LIBTORCH, the torch package of the python3 on the PATH,
// build/libtorch of this project, the user's cache folder. dirs, if given, replace the last two. If $LIBTORCH is set,
// the search ends there; it has to be usable. Otherwise the error is a *NoInstallError that lists every place.
func Find(dirs ...string) (Install, error) {
	if env := os.Getenv("LIBTORCH"); env != "" {
		in, err := Open(env, "$LIBTORCH")
		if err != nil {
			return Install{}, fmt.Errorf("LIBTORCH=%s: %w", env, err)
		}
		return in, nil
	}

	missing := &NoInstallError{}
	note := func(path string, err error) {
		missing.Tried = append(missing.Tried, Attempt{path, err.Error()})
	}
	note("$LIBTORCH", errors.New("not set"))
	in, err := findPython()
	if err == nil {
		return in, nil
	}
	note("torch of python3", err)
	if dirs == nil {
		dirs = usualDirs()
	}
	for _, dir := range dirs {
		in, err := Open(dir, dir)
		if err == nil {
			return in, nil
		}
		note(dir, err)
	}
	return Install{}, missing
}

// usualDirs lists where make and losscorr setup put what they fetch.
func usualDirs() []string {
	var dirs []string
	for _, build := range buildDirs() {
		dirs = append(dirs, filepath.Join(build, "libtorch"))
	}
	if dir, err := CachedInstallDir(); err == nil {
		dirs = append(dirs, dir)
	}
	return dirs
}

// The script does not import torch, which takes seconds. It removes the current folder from the path, or a folder
// called torch would be found.
const askPython = `import sys
sys.path[:] = [p for p in sys.path if p]
import importlib.util
spec = importlib.util.find_spec("torch")
print((spec.submodule_search_locations or [""])[0] if spec else "")`

func findPython() (Install, error) {
	exe, err := exec.LookPath("python3")
	if err != nil {
		return Install{}, errors.New("python3 is not on the PATH")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "-c", askPython)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return Install{}, fmt.Errorf("ask %s for its torch package: %w", exe, err)
	}
	// A site customisation may print as well, so the answer is the last line.
	lines := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	dir := strings.TrimSpace(lines[len(lines)-1])
	if dir == "" {
		return Install{}, fmt.Errorf("%s has no torch package", exe)
	}
	return Open(dir, "the torch package of "+exe)
}
