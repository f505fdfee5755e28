package libtorch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Install is a libtorch on this machine.
type Install struct {
	Dir     string `json:"dir"`     // absolute, holds include and lib
	Version string `json:"version"` // as libtorch writes it, for instance 2.11.0+cu130
	CUDA    bool   `json:"cuda"`    // built with CUDA
	Source  string `json:"source"`  // where it was found, for people
	// CUDAMissing is the first NVIDIA library that the CUDA half needs but is missing; then only the CPU half works.
	CUDAMissing string `json:"cuda_missing,omitempty"`
}

// String names version, folder and source on one line.
func (in Install) String() string {
	kind := "for the CPU"
	if in.CUDA {
		kind = "built with CUDA"
	}
	if in.CUDAMissing != "" {
		kind = "the CPU half, without " + in.CUDAMissing
	}
	return fmt.Sprintf("libtorch %s (%s) in %s, from %s", in.Version, kind, in.Dir, in.Source)
}

// Open examines dir, which may be an unpacked libtorch, the torch folder of a Python package, or a folder that
// contains one of them as torch or libtorch. It is an error if the release is not supported.
func Open(dir, source string) (Install, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Install{}, fmt.Errorf("libtorch folder %s: %w", dir, err)
	}
	if _, err := os.Stat(abs); err != nil {
		return Install{}, fmt.Errorf("no libtorch: %w", err)
	}
	for _, inner := range []string{"", "torch", "libtorch"} {
		root := filepath.Join(abs, inner)
		if !isFile(filepath.Join(root, "lib", sharedLibrary("torch_cpu"))) {
			continue
		}
		return examine(root, source)
	}
	return Install{}, fmt.Errorf("no libtorch in %s: neither it nor torch or libtorch inside it has lib/%s",
		abs, sharedLibrary("torch_cpu"))
}

func examine(root, source string) (Install, error) {
	// The shim's rpath and its sidecar hold the real path, as CMake resolves it.
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return Install{}, fmt.Errorf("libtorch folder: %w", err)
	}
	version, err := readVersion(root)
	if err != nil {
		return Install{}, err
	}
	if !supported(version) {
		return Install{}, fmt.Errorf("libtorch %s in %s (from %s) is not supported: losscorr needs %s or later (%s is the "+
			"default)", version, root, source, Oldest(), Default())
	}
	if !isFile(filepath.Join(root, "include", "ATen", "ATen.h")) {
		return Install{}, fmt.Errorf("libtorch %s in %s has no headers (include/ATen/ATen.h is missing)", version, root)
	}
	if err := checkNeeded(root); err != nil {
		return Install{}, err
	}
	in := Install{Dir: root, Version: version, Source: source}
	if cuda := filepath.Join(root, "lib", sharedLibrary("torch_cuda")); isFile(cuda) {
		in.CUDA = true
		if in.CUDAMissing, err = cudaMissing(cuda); err != nil {
			return Install{}, err
		}
	}
	return in, nil
}

// readVersion reads the version from a wheel's version.py or an archive's build-version.
func readVersion(root string) (string, error) {
	name := filepath.Join(root, "version.py")
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		text, err := os.ReadFile(filepath.Join(root, "build-version"))
		if err != nil {
			return "", fmt.Errorf("libtorch in %s has no version: neither version.py nor build-version can be "+
				"read: %w", root, err)
		}
		return strings.TrimSpace(string(text)), nil
	}
	if err != nil {
		return "", fmt.Errorf("libtorch version: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(key) == "__version__" {
			return strings.Trim(strings.TrimSpace(value), `'"`), nil
		}
	}
	return "", fmt.Errorf("libtorch version: no __version__ in %s", name)
}

func sharedLibrary(name string) string {
	if runtime.GOOS == "darwin" {
		return "lib" + name + ".dylib"
	}
	return "lib" + name + ".so"
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}
