package files

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// TryLock locks a file against other processes of this machine, until it is unlocked or the process ends. It creates
// the file if necessary, and returns nil if another process holds the lock.
func TryLock(path string) (*flock.Flock, error) {
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
	free, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !free {
		return nil, nil
	}
	return lock, nil
}

// Lock locks a file like TryLock, but waits for another process. It tries five times a second, and calls waiting,
// unless it is nil, each time the file is still locked.
func Lock(ctx context.Context, path string, waiting func()) (*flock.Flock, error) {
	for {
		lock, err := TryLock(path)
		if lock != nil || err != nil {
			return lock, err
		}
		if waiting != nil {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lock %s: %w", path, context.Cause(ctx))
		case <-time.After(200 * time.Millisecond):
		}
	}
}
