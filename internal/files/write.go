package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// Write replaces a file atomically: after a crash or on a full disk it holds the old
// or the new content, never a part. A new file gets perm, less the umask.
func Write(path string, data []byte, perm os.FileMode) error {
	return WriteParts(path, perm, bytes.NewReader(data))
}

// WriteParts is Write for content in several parts, which are not read into memory at once.
func WriteParts(path string, perm os.FileMode, parts ...io.Reader) error {
	f, err := Create(path, perm)
	if err != nil {
		return err
	}
	if _, err = io.Copy(f, io.MultiReader(parts...)); err == nil {
		err = f.CloseAtomicallyReplace()
	}
	if err != nil {
		return errors.Join(err, f.Cleanup())
	}
	return nil
}

// Pending is a file that will replace another. It has a hidden name beside the target and is
// locked while a process writes it; the next Create of the path removes unlocked ones, which
// killed processes left behind.
type Pending struct {
	*renameio.PendingFile
	lock *flock.Flock
}

// Create starts a file that CloseAtomicallyReplace moves to path, as Write does. Cleanup
// removes the temporary file otherwise.
func Create(path string, perm os.FileMode) (*Pending, error) {
	sweep(path)
	for {
		f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(perm))
		if err != nil {
			if _, none := os.Stat(filepath.Dir(path)); none != nil {
				return nil, fmt.Errorf("the folder of %s: %w", path, none) // renameio names a temporary file
			}
			return nil, err
		}
		lock := locker(f.Name())
		_ = lock.Lock() // without locks, sweep removes nothing
		if _, err := os.Lstat(f.Name()); !errors.Is(err, fs.ErrNotExist) {
			return &Pending{f, lock}, nil
		}
		_, _ = lock.Close(), f.Close() // another process swept it before it was locked
	}
}

// CloseAtomicallyReplace makes the file durable and renames it to its target.
func (p *Pending) CloseAtomicallyReplace() error {
	defer p.lock.Close()
	return p.PendingFile.CloseAtomicallyReplace()
}

// Cleanup removes the file unless CloseAtomicallyReplace has renamed it.
func (p *Pending) Cleanup() error {
	defer p.lock.Close()
	return p.PendingFile.Cleanup()
}

// sweep removes files left beside path by killed processes.
func sweep(path string) {
	found, _ := os.ReadDir(filepath.Dir(path)) // Create reports errors of the folder
	for _, e := range found {
		number, ours := strings.CutPrefix(e.Name(), "."+filepath.Base(path))
		if _, err := strconv.ParseUint(number, 10, 64); !ours || err != nil || !e.Type().IsRegular() {
			continue
		}
		name := filepath.Join(filepath.Dir(path), e.Name())
		lock := locker(name)
		if locked, err := lock.TryLock(); locked && err == nil {
			_ = os.Remove(name)
		}
		_ = lock.Close()
	}
}

func locker(name string) *flock.Flock { return flock.New(name, flock.SetFlag(os.O_RDWR)) }

// Sync makes a file and its name durable.
func Sync(path string) error {
	for _, name := range []string{path, filepath.Dir(path)} {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		if err := errors.Join(file.Sync(), file.Close()); err != nil {
			return err
		}
	}
	return nil
}
