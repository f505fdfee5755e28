package files

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// Open opens a regular file for reading, and refuses anything else: opening a pipe would wait for
// its writer, and a device may have no end.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := Regular(info.Mode()); err != nil && !info.IsDir() { // reading a folder returns its own error
		return nil, &os.PathError{Op: "read", Path: path, Err: err}
	}
	return os.Open(path)
}

// Regular returns an error with the kind of a file if it is not regular.
func Regular(mode os.FileMode) error {
	if mode.IsRegular() {
		return nil
	}
	return fmt.Errorf("it is not a regular file but %s", kind(mode))
}

// Read returns the content of a regular file of at most most bytes. It refuses larger files,
// and devices, pipes or links to them, which may have no end.
func Read(path string, most int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, &os.PathError{Op: "read", Path: path, Err: fmt.Errorf("it is larger than %s", size(most))}
	}
	return data, nil
}

func kind(mode os.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&os.ModeNamedPipe != 0:
		return "a pipe"
	case mode&os.ModeDevice != 0:
		return "a device"
	case mode&os.ModeSocket != 0:
		return "a socket"
	}
	return "a special file"
}

func size(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

// SHA256 returns the hash of a file's content, in hexadecimal.
func SHA256(path string) (string, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
