package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// Write replaces a file atomically: after a crash or on a full disk it holds the old
// content or the new one, never a part. A new file gets perm, less the umask.
func Write(path string, data []byte, perm os.FileMode) error {
	f, err := Create(path, perm)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Cleanup())
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return errors.Join(err, f.Cleanup())
	}
	return nil
}

// Pending is a file that is to replace another. It is written under a hidden name beside
// the target and is locked, so that those that a kill has left can be told from those that
// others write: the next Create of the path removes the former.
type Pending struct {
	*renameio.PendingFile
	lock *flock.Flock
}

// Create begins a file that replaces path atomically with CloseAtomicallyReplace, as
// Write does. Its Cleanup removes the temporary file if that was not called.
func Create(path string, perm os.FileMode) (*Pending, error) {
	sweep(path)
	for {
		f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(perm))
		if err != nil {
			return nil, err
		}
		lock := locker(f.Name())
		_ = lock.Lock() // where nothing can be locked, nothing is swept
		if _, err := os.Lstat(f.Name()); !errors.Is(err, fs.ErrNotExist) {
			return &Pending{f, lock}, nil
		}
		_, _ = lock.Close(), f.Close() // swept before it was locked
	}
}

// CloseAtomicallyReplace makes the file durable and gives it the name of its target.
func (p *Pending) CloseAtomicallyReplace() error {
	defer p.lock.Close()
	return p.PendingFile.CloseAtomicallyReplace()
}

// Cleanup removes the file unless it has replaced its target.
func (p *Pending) Cleanup() error {
	defer p.lock.Close()
	return p.PendingFile.Cleanup()
}

// sweep removes the files that killed processes have left beside path.
func sweep(path string) {
	found, _ := os.ReadDir(filepath.Dir(path)) // Create reports what is wrong with the folder
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
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Sync(); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", folder.Name(), err)
	}
	return nil
}
