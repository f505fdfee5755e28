package guard

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
)

// A panic in a group of goroutines becomes the group's error, with the stack; errors stay unchanged, or are wrapped.
func TestFunc(t *testing.T) {
	var group errgroup.Group
	group.Go(Func(func() error { panic("boom") }))
	var e *PanicError
	if err := group.Wait(); !errors.As(err, &e) || e.Value != "boom" || !strings.Contains(err.Error(), "guard_test.go") {
		t.Errorf("%v", err)
	}
	plain := errors.New("plain")
	wrapped, none := plain, error(nil)
	Wrap(&wrapped, "read %s", "a.csv")
	Wrap(&none, "read")
	if none != nil || !errors.Is(wrapped, plain) || wrapped.Error() != "read a.csv: plain" {
		t.Errorf("%v and %v", wrapped, none)
	}
	if err := Call(func() error { return plain }); err != plain { //nolint:errorlint // it is not wrapped
		t.Errorf("%v", err)
	}
}
