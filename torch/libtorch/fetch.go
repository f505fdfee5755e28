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

// FetchOptions says what Fetch fetches; the zero value is the default release
// with what the processor needs.
type FetchOptions struct {
	Version string    // name or version of a Pin; "" is default
	CUDA    bool      // with everything a GPU needs (4.7 GB in place of 1.1)
	Python  string    // runs pip; "" is python3
	Log     io.Writer // progress and pip's words, for people; nil is none
}

// marker lies in a fetched folder and tells which release is there, and whether
// with everything a GPU needs.
const marker = "losscorr-fetched.txt"

// Fetch puts a libtorch into dir with pip, from the wheel of Python's torch, and
// returns it. What is there already is not fetched again. The work is done beside
// dir and renamed when complete, so an interruption leaves nothing half done;
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

func pipInstall(ctx context.Context, dir string, pin Pin, opts FetchOptions, log io.Writer) error {
	size := "about 600 MB to download, 1.1 GB on disk"
	if opts.CUDA {
		size = "about 2.5 GB to download, 4.7 GB on disk"
	}
	_, _ = fmt.Fprintf(log, "fetching libtorch %s into %s (%s)\n", pin.Version, dir, size)
	hashed, ok := pin.hashed()
	if opts.CUDA || !ok { // pip would want a hash of each dependency
		hashed = ""
	}
	return download{
		args: pipArgs(opts.CUDA), requirements: pin.requirements(), hashed: hashed, python: opts.Python, log: log,
		instead: "set LIBTORCH to an unpacked libtorch",
		complete: func(target string) error {
			if _, err := Open(target, "pip"); err != nil {
				return fmt.Errorf("pip brought no usable libtorch: %w", err)
			}
			return os.WriteFile(filepath.Join(target, marker), []byte(markerText(pin, opts.CUDA)), 0o644)
		},
	}.into(ctx, dir)
}

// download is what pip is to bring.
type download struct {
	args         []string // of pip
	requirements []string
	hashed       string                    // the requirements as pip's file with the hash of each wheel; empty: not known
	complete     func(target string) error // completes what pip has brought, or refuses it
	instead      string                    // what to do without
	python       string                    // runs pip; "" is python3
	log          io.Writer
}

// into puts what pip brings in the place of the folder dir. The caller holds its lock.
func (d download) into(ctx context.Context, dir string) error {
	// What an earlier, killed fetch left: nobody else holds the lock.
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
	args := append(d.args, "--target", target)
	if d.hashed != "" {
		list := filepath.Join(work, "requirements.txt")
		if err := os.WriteFile(list, []byte(d.hashed), 0o644); err != nil {
			return err
		}
		args = append(args, "--require-hashes", "--requirement", list)
	} else {
		args = append(args, d.requirements...)
	}
	cmd := exec.CommandContext(ctx, cmp.Or(d.python, "python3"), args...)
	cmd.Stdout, cmd.Stderr = d.log, d.log
	// pip unpacks in TMPDIR and moves the result: on the same file system that is
	// a rename, and a small /tmp is not filled.
	cmd.Env = append(os.Environ(), "TMPDIR="+scratch, "PIP_DISABLE_PIP_VERSION_CHECK=1",
		"PIP_NO_INPUT=1", "PIP_ROOT_USER_ACTION=ignore", "PIP_USER=0")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, exec.ErrNotFound) {
			return fmt.Errorf("%w: install python3 with pip, or %s", err, d.instead)
		}
		return fmt.Errorf("pip: %w: see its output above; without a network, %s", err, d.instead)
	}
	if err := d.complete(target); err != nil {
		return err
	}
	return swap(target, dir, filepath.Join(work, "old"))
}

// pipArgs is the part of pip's arguments before the requirements. It asks for the wheel of a fixed Python: only the C++
// half is used, and so the machine's own Python may be newer or older than those torch is built for.
func pipArgs(cuda bool) []string {
	args := []string{"-m", "pip", "install", "--progress-bar", "off", "--no-compile",
		"--only-binary=:all:", "--python-version", "3.12"}
	if !cuda {
		args = append(args, "--no-deps")
	}
	return args
}

// requirements lists what pip is asked for.
func (p Pin) requirements() []string {
	list := []string{"torch==" + p.Version}
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		list = append(list, p.Packages...)
	}
	return list
}

// hashed returns the requirements as pip's file with the hash of each wheel. It reports
// false on systems whose wheels' hashes are not known.
func (p Pin) hashed() (string, bool) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "", false
	}
	return withHashes(p.requirements())
}

// withHashes returns requirements as pip's file with the hash of each wheel. It reports
// false where one is not known.
func withHashes(requirements []string) (text string, ok bool) {
	for _, r := range requirements {
		if hashes[r] == "" {
			return "", false
		}
		text += r + " --hash=sha256:" + hashes[r] + "\n"
	}
	return text, true
}

// swap puts from in the place of to, whose former content goes to aside.
func swap(from, to, aside string) error {
	if err := os.Rename(to, aside); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Rename(from, to)
}

// lock waits for the lock file name and returns what releases it.
func lock(ctx context.Context, name string, log io.Writer) (func(), error) {
	say := sync.OnceFunc(func() { _, _ = fmt.Fprintf(log, "waiting for another process that holds %s\n", name) })
	l, err := files.Lock(ctx, name, say)
	if err != nil {
		return nil, err
	}
	return func() { _ = l.Unlock() }, nil
}
