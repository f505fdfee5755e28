package files

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// Write replaces a file atomically: after a crash or on a full disk it holds the old
// content or the new one, never a part. The temporary file has a hidden name
// beside the target, so that it is found there after a kill; a new file gets perm, less
// the umask.
func Write(path string, data []byte, perm os.FileMode) error {
	return renameio.WriteFile(path, data, perm, renameio.WithTempDir(filepath.Dir(path)))
}

// Create begins a file that replaces path atomically with CloseAtomicallyReplace, as
// Write does. Its Cleanup removes the temporary file if that was not called.
func Create(path string, perm os.FileMode) (*renameio.PendingFile, error) {
	return renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(perm))
}

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
