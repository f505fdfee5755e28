package files

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

// While one holds a lock, others wait for it or get none.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	lock := expect.Got(TryLock(path))(t)
	if other, err := TryLock(path); other != nil || err != nil {
		t.Errorf("a lock that is held: %v, %v", other, err)
	}
	waited := 0
	other, err := Lock(context.Background(), path, func() {
		waited++
		expect.OK(t, lock.Unlock())
	})
	if other == nil || err != nil || waited != 1 {
		t.Fatalf("a lock that was released: %v, %v, %d times waited", other, err, waited)
	}
	defer func() { _ = other.Unlock() }()
	ctx, cancel := context.WithCancelCause(context.Background())
	stopped := errors.New("stopped")
	expect.Is(t, expect.Err(Lock(ctx, path, func() { cancel(stopped) })), stopped)
}
