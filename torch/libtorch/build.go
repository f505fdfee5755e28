package libtorch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/guard"
)

// Build compiles the shim from sources (CMakeLists.txt and cgo/) for in and installs the libraries and their sidecars
// in dest. It builds the CUDA shim if libtorch has CUDA and the headers of CUDA are present. A failed build does not
// change dest. log gets the compiler's output.
func Build(ctx context.Context, sources fs.FS, in Install, dest string, log io.Writer) (err error) {
	defer guard.Wrap(&err, "build the shim for libtorch %s in %s", in.Version, in.Dir)
	if log == nil {
		log = io.Discard
	}
	cmake, err := exec.LookPath("cmake")
	if err != nil {
		return fmt.Errorf("cmake is not on the PATH: install it with your package manager or with `python3 -m pip install "+
			"cmake`: %w", err)
	}
	unlock, err := lockFolder(ctx, dest, log)
	if err != nil {
		return err
	}
	defer unlock()
	// A killed build leaves its folder. Nobody else holds the lock.
	work := filepath.Join(dest, ".build")
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	if err := os.Mkdir(work, 0o755); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	src, obj, out := filepath.Join(work, "src"), filepath.Join(work, "obj"), filepath.Join(work, "out")
	if err := os.CopyFS(src, sources); err != nil {
		return fmt.Errorf("unpack the sources: %w", err)
	}

	configure := []string{"-S", src, "-B", obj, "-DCMAKE_BUILD_TYPE=Release", "-DLIBTORCH=" + in.Dir, "-DLOSSCORR_OUT=" +
		out}
	if _, err := exec.LookPath("ninja"); err == nil {
		configure = append(configure, "-G", "Ninja")
	}
	for _, args := range [][]string{configure, {"--build", obj, "--parallel", strconv.Itoa(runtime.NumCPU())}} {
		if err := run(ctx, log, cmake, args...); err != nil {
			return err
		}
	}
	return install(out, dest)
}

func run(ctx context.Context, log io.Writer, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = log, log
	// A separate process group, so that an interruption also ends the compilers.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("cmake: %w: see its output above (a C++20 compiler is needed: g++ 10, clang 12 or later)", err)
	}
	return nil
}

// Cached returns the shim in dest, a folder of CacheDir, if it works with in.
func Cached(sources fs.FS, in Install, dest string) (Shim, error) {
	hash, err := SourceHash(sources)
	if err != nil {
		return Shim{}, err
	}
	return check(filepath.Join(dest, ShimName), hash, in.Dir)
}

// Copy installs a shim that Locate has found in dest, where programs in other folders find it. A shim contains the
// path of its libtorch but not its own.
func Copy(ctx context.Context, shim Shim, dest string, log io.Writer) error {
	unlock, err := lockFolder(ctx, dest, log)
	if err != nil {
		return fmt.Errorf("copy the shim: %w", err)
	}
	defer unlock()
	return install(filepath.Dir(shim.Path), dest)
}

// lockFolder makes a folder and waits for its lock.
func lockFolder(ctx context.Context, dir string, log io.Writer) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return lock(ctx, filepath.Join(dir, ".lock"), log)
}

// install moves the libraries from out to dest, sidecars last. A library without a sidecar is never opened, so nobody
// reads a mismatched pair.
func install(out, dest string) error {
	libs := []string{CUDAShimName, ShimName}
	for _, lib := range libs {
		if err := os.RemoveAll(SidecarPath(filepath.Join(dest, lib))); err != nil {
			return err
		}
	}
	for _, ext := range []func(string) string{func(lib string) string { return lib }, SidecarPath} {
		for _, lib := range libs {
			name := ext(lib)
			if err := place(filepath.Join(out, name), filepath.Join(dest, name), lib == CUDAShimName); err != nil {
				return err
			}
		}
	}
	return nil
}

// place copies one file atomically. If an optional file was not built, it removes the old one.
func place(from, to string, optional bool) (err error) {
	defer guard.Wrap(&err, "install")
	data, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) && optional {
		return os.RemoveAll(to)
	}
	if err != nil {
		return err
	}
	return files.Write(to, data, 0o644)
}
