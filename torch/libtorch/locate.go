package libtorch

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/files"
)

// ShimName and CUDAShimName are the file names of the two shim libraries.
const (
	ShimName     = "liblosscorr_shim.so"
	CUDAShimName = "liblosscorr_cuda.so"
)

// Shim is a shim library that may be opened.
type Shim struct {
	Path    string    `json:"path"`  // absolute
	Tried   []Attempt `json:"tried"` // earlier places in the search, which did not work
	Sidecar `json:"built"`
}

// CUDAPath returns the path of the CUDA shim that belongs to this one and whether it was built.
func (s Shim) CUDAPath() (string, bool) {
	path := filepath.Join(filepath.Dir(s.Path), CUDAShimName)
	return path, s.CUDA && isFile(path)
}

// WhyNoCUDA returns the reason why there is no CUDA shim; it is empty if there is one.
func (s Shim) WhyNoCUDA() string {
	path, ok := s.CUDAPath()
	switch {
	case ok:
		return ""
	case s.CUDA:
		return "it was built, but " + path + " no longer exists: run losscorr setup"
	case s.CUDAReason != "":
		return fmt.Sprintf("when the shim was built for libtorch %s in %s there was no %s", s.Version, s.Libtorch,
			s.CUDAReason)
	}
	return fmt.Sprintf("libtorch %s in %s was built without CUDA, or the headers of CUDA were not found when the shim "+
		"was built", s.Version, s.Libtorch)
}

// NotFoundError is the error if no usable shim was found, with the reason for each place searched.
type NotFoundError struct {
	Tried []Attempt
}

func (e *NotFoundError) Error() string {
	return "no usable libtorch shim (" + ShimName + "):" + reasons(e.Tried) +
		"\nrun `losscorr setup` (or make) to build it for the libtorch of this machine;\n" +
		"in the module of your own program: go run github.com/losscorr/losscorr/cmd/losscorr setup"
}

// Locate finds the shim to open, compiled from sources: $LOSSCORR_SHIM, beside the executable, in the folders
// shims/RELEASE beside it, where a Python package has them, in ./build, in the build folder of the module that holds
// the current folder, in the user's cache folder. Locate skips a shim if its sidecar is missing, names other sources,
// or names a libtorch that is gone, has changed, or differs from $LIBTORCH. If $LOSSCORR_SHIM is set, it is the only
// place. The error is a *NotFoundError.
func Locate(sources fs.FS) (Shim, error) {
	hash, err := SourceHash(sources)
	if err != nil {
		return Shim{}, err
	}
	if path := os.Getenv("LOSSCORR_SHIM"); path != "" {
		shim, err := check(path, hash, "")
		if err != nil {
			return Shim{}, &NotFoundError{Tried: []Attempt{{"LOSSCORR_SHIM=" + path, err.Error()}}}
		}
		return shim, nil
	}
	var tried []Attempt
	want := os.Getenv("LIBTORCH")
	for _, path := range candidates(hash) {
		shim, err := check(path, hash, want)
		if err == nil {
			shim.Tried = tried
			return shim, nil
		}
		tried = append(tried, Attempt{path, err.Error()})
	}
	return Shim{}, &NotFoundError{Tried: tried}
}

func candidates(hash string) []string {
	var out []string
	add := func(dir string) {
		if path := filepath.Join(dir, ShimName); !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		add(filepath.Dir(exe))
		for _, dir := range files.Glob(filepath.Join(filepath.Dir(exe), "shims"), "*") {
			add(dir)
		}
	}
	for _, dir := range buildDirs() {
		add(dir)
	}
	root, err := cacheRoot()
	if err != nil {
		return out
	}
	cached := files.Glob(filepath.Join(root, "shim"), "*-"+hash[:12])
	slices.SortFunc(cached, func(a, b string) int {
		a, b = filepath.Base(a), filepath.Base(b)
		return cmp.Or(slices.Compare(release(b), release(a)), strings.Compare(a, b))
	})
	for _, dir := range cached {
		add(dir)
	}
	if len(cached) == 0 {
		add(filepath.Join(root, "shim", "*-"+hash[:12]))
	}
	return out
}

// check compares the sidecar of one candidate with the current state of the machine.
func check(path, hash, want string) (Shim, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Shim{}, err
	}
	if _, err := os.Stat(abs); errors.Is(err, fs.ErrNotExist) {
		return Shim{}, errors.New("no such file")
	} else if err != nil {
		return Shim{}, err
	}
	side, err := ReadSidecar(abs)
	if err != nil {
		return Shim{}, err
	}
	if side.SourceHash != hash {
		return Shim{}, errors.New("built from other sources than this program's: run losscorr setup")
	}
	if _, err := os.Stat(side.Libtorch); err != nil && side.Packaged {
		return Shim{}, fmt.Errorf("for torch %s, which is not beside this package: python3 -m pip install torch==%s",
			public(side.Version), public(side.Version))
	} else if err != nil {
		return Shim{}, fmt.Errorf("built for libtorch %s in %s, which no longer exists: run losscorr setup", side.Version,
			side.Libtorch)
	}
	version, err := readVersion(side.Libtorch)
	if err != nil {
		return Shim{}, fmt.Errorf("built for libtorch %s: %w", side.Version, err)
	}
	if version != side.Version && !(side.Packaged && public(version) == public(side.Version)) {
		if side.Packaged {
			return Shim{}, fmt.Errorf("for torch %s; %s has %s", public(side.Version), side.Libtorch, version)
		}
		return Shim{}, fmt.Errorf("built for libtorch %s, but %s now holds %s: run losscorr setup", side.Version,
			side.Libtorch, version)
	}
	if want != "" && !sameInstall(want, side.Libtorch) {
		return Shim{}, fmt.Errorf("built for the libtorch in %s, but LIBTORCH is %s: run losscorr setup", side.Libtorch, want)
	}
	return Shim{Path: abs, Sidecar: side}, nil
}

// public returns a version without its build suffix: 2.11.0 for 2.11.0+cu130. The CPU half has the same C++
// interfaces in all builds of a release.
func public(version string) string {
	out, _, _ := strings.Cut(version, "+")
	return out
}

// sameInstall reports whether $LIBTORCH names the libtorch folder root.
func sameInstall(env, root string) bool {
	for _, inner := range []string{"", "torch", "libtorch"} {
		dir, err := filepath.Abs(filepath.Join(env, inner))
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil && real == root {
			return true
		}
	}
	return false
}
