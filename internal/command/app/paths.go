package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
)

// OutFolder is where runs go.
func OutFolder(c *cli.Context, name string) string {
	if out := c.String("out"); out != "" {
		return out
	}
	return filepath.Join("runs", name)
}

// Overwrites returns an error if the output would replace a file that is read.
func Overwrites(out string, inputs ...string) error {
	to, err := os.Stat(out)
	if err != nil {
		return nil //nolint:nilerr // there is nothing to replace
	}
	for _, path := range inputs {
		if from, err := os.Stat(path); path != "" && err == nil && os.SameFile(from, to) {
			return fmt.Errorf("%s is read, and would be replaced: choose another place with --out", out)
		}
	}
	return nil
}

// Foreign returns an error if a folder in which nothing of a kind has been written has files that
// it would replace.
func Foreign(folder, what, kind string, names ...string) error {
	for _, name := range names {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err == nil {
			return fmt.Errorf("the %s would replace %s, which is not one of %s: choose another folder with --out", what, path,
				kind)
		}
	}
	return nil
}

// IsRoot reports whether a folder is that of a whole file system.
func IsRoot(folder string) bool {
	abs, err := filepath.Abs(folder)
	return err == nil && abs == filepath.Dir(abs)
}

// IsThere is the error of a path that does not exist.
func IsThere(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return dataset.Errorf("%s: no such file or folder", path)
	}
	return nil
}

// Inside reports whether a folder is in another one, or is it.
func Inside(folder, other string) bool {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(other, abs)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Writable returns an error if no file can be written at a path because of its folder, before the
// work is done.
func Writable(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("--out %s: it is a folder: name a file in it", path)
	}
	folder := filepath.Dir(path)
	switch info, err := os.Stat(folder); {
	case err != nil:
		return fmt.Errorf("--out %s: no folder %s: make it first", path, folder)
	case !info.IsDir():
		return fmt.Errorf("--out %s: %s is not a folder", path, folder)
	}
	return nil
}

// NotWritten names the file that was to be written: the error names a temporary one beside it.
func NotWritten(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("write %s: %w: choose another place with --out", path, err)
	}
	return fmt.Errorf("write %s: %w", path, err)
}

// WriteFile writes a file whole or not at all.
func WriteFile(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, b.Bytes(), 0o666) // a device or a pipe, which nothing is to replace
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // so that a link stays one
	}
	if err := files.Write(path, b.Bytes(), 0o666); err != nil {
		return NotWritten(path, err)
	}
	return nil
}
