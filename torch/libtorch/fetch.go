package libtorch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/losscorr/losscorr/internal/files"
)

// FetchOptions configure Fetch. The zero value is the default release for the CPU.
type FetchOptions struct {
	Version string    // name or version of a Pin; "" is default
	CUDA    bool      // with everything a GPU needs (4.7 GB instead of 1.1)
	Log     io.Writer // progress and pip's output; nil: none
}

// marker is a file in a fetched folder that records the release and whether everything for a GPU is there.
const marker = "losscorr-fetched.txt"

// Fetch installs a libtorch in dir with pip, from the wheel of Python's torch, and returns it. It does nothing if dir
// has it already. It works beside dir and renames the complete result, so an interruption leaves nothing half done;
// several processes may call it for one dir.
func Fetch(ctx context.Context, dir string, opts FetchOptions) (Install, error) {
	log := opts.Log
	if log == nil {
		log = io.Discard
	}
	pin, err := FindPin(cmp.Or(opts.Version, "default"))
	if err != nil {
		return Install{}, err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return Install{}, fmt.Errorf("fetch libtorch: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return Install{}, fmt.Errorf("fetch libtorch: %w", err)
	}
	unlock, err := lock(ctx, dir+".lock", log)
	if err != nil {
		return Install{}, fmt.Errorf("fetch libtorch: %w", err)
	}
	defer unlock()

	if fetched(dir, pin, opts.CUDA) {
		return Open(dir, dir)
	}
	if err := pipInstall(ctx, dir, pin, opts, log); err != nil {
		return Install{}, fmt.Errorf("fetch libtorch %s: %w", pin.Version, err)
	}
	return Open(dir, dir)
}

func fetched(dir string, pin Pin, cuda bool) bool {
	have, err := os.ReadFile(filepath.Join(dir, marker))
	if err != nil {
		return false
	}
	return string(have) == markerText(pin, true) || !cuda && string(have) == markerText(pin, false)
}

func markerText(pin Pin, cuda bool) string {
	return fmt.Sprintf("torch %s, everything for CUDA: %t\n", pin.Version, cuda)
}

// pipInstall replaces the folder dir by what pip installs. The caller holds its lock.
func pipInstall(ctx context.Context, dir string, pin Pin, opts FetchOptions, log io.Writer) error {
	size := "about 600 MB to download, 1.1 GB on disk"
	if opts.CUDA {
		size = "about 2.5 GB to download, 4.7 GB on disk"
	}
	_, _ = fmt.Fprintf(log, "fetching libtorch %s into %s (%s)\n", pin.Version, dir, size)
	// Remove leftovers of a killed fetch. Nobody else holds the lock.
	for _, old := range files.Glob(filepath.Dir(dir), "*.partial-*") {
		if !strings.HasPrefix(filepath.Base(old), filepath.Base(dir)+".partial-") {
			continue
		}
		if err := os.RemoveAll(old); err != nil {
			return err
		}
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".partial-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	scratch, target := filepath.Join(work, "tmp"), filepath.Join(work, "site")
	if err := os.Mkdir(scratch, 0o755); err != nil {
		return err
	}
	list := filepath.Join(work, "requirements.txt")
	if err := os.WriteFile(list, []byte(pin.requirements(opts.CUDA)), 0o644); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "python3", append(pipArgs(opts.CUDA), "--target", target, "--requirement", list)...)
	cmd.Stdout, cmd.Stderr = log, log
	// pip unpacks in TMPDIR and moves the result: on the same file system that is a rename, and it does not fill a small
	// /tmp.
	cmd.Env = append(os.Environ(), "TMPDIR="+scratch, "PIP_DISABLE_PIP_VERSION_CHECK=1",
		"PIP_NO_INPUT=1", "PIP_ROOT_USER_ACTION=ignore", "PIP_USER=0")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, exec.ErrNotFound) {
			return fmt.Errorf("%w: install python3 with pip, or set LIBTORCH to an unpacked libtorch", err)
		}
		return fmt.Errorf("pip: %w: see its output above; without a network, set LIBTORCH to an unpacked libtorch", err)
	}
	if _, err := Open(target, "pip"); err != nil {
		return fmt.Errorf("pip brought no usable libtorch: %w", err)
	}
	if err := os.WriteFile(filepath.Join(target, marker), []byte(markerText(pin, opts.CUDA)), 0o644); err != nil {
		return err
	}
	if err := os.Rename(dir, filepath.Join(work, "old")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Rename(target, dir)
}

// pipArgs returns pip's arguments before the requirements. It requests the wheel for a fixed Python: only the C++
// half is used, so the machine's Python may be newer or older than torch supports.
func pipArgs(cuda bool) []string {
	args := []string{"-m", "pip", "install", "--progress-bar", "off", "--no-compile",
		"--only-binary=:all:", "--python-version", "3.12"}
	if !cuda {
		args = append(args, "--no-deps")
	}
	return args
}

// requirements returns the text of a requirements file for pip. On Linux x86-64 it has the hash of each wheel, which
// pip then demands of all it installs, except for CUDA, which also brings dependencies whose hashes are unknown.
func (p Pin) requirements(cuda bool) (text string) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "torch==" + p.Version + "\n"
	}
	for _, r := range append([]string{"torch==" + p.Version}, p.Packages...) {
		text += r
		if !cuda {
			text += " --hash=sha256:" + hashes[r]
		}
		text += "\n"
	}
	return text
}

// lock waits for the lock file name and returns a function that releases it.
func lock(ctx context.Context, name string, log io.Writer) (func(), error) {
	say := sync.OnceFunc(func() { _, _ = fmt.Fprintf(log, "waiting for another process that holds %s\n", name) })
	l, err := files.Lock(ctx, name, say)
	if err != nil {
		return nil, err
	}
	return func() { _ = l.Unlock() }, nil
}
