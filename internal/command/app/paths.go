package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

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

// IsThere is the error of a path that does not exist.
func IsThere(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return dataset.Errorf("%s: no such file or folder", path)
	}
	return nil
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
