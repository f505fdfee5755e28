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

// OutFolder returns the folder for the runs: --out, else the default for name.
func OutFolder(c *cli.Context, name string) string {
	if out := c.String("out"); out != "" {
		return out
	}
	return filepath.Join("runs", name)
}

// IsThere returns an error if a path does not exist.
func IsThere(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return dataset.Errorf("%s: no such file or folder", path)
	}
	return nil
}

// Writable returns an error if a path is a folder or its parent folder is missing. Call it before the work that the
// file is for.
func Writable(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("--out %s is a folder; name a file in it", path)
	}
	folder := filepath.Dir(path)
	switch info, err := os.Stat(folder); {
	case err != nil:
		return fmt.Errorf("--out %s: make the folder %s first", path, folder)
	case !info.IsDir():
		return fmt.Errorf("--out %s: %s is not a folder", path, folder)
	}
	return nil
}

// WriteFile writes a file whole or not at all.
func WriteFile(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, b.Bytes(), 0o666) // a device or a pipe must not be replaced
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // keep the link
	}
	if err := files.Write(path, b.Bytes(), 0o666); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
