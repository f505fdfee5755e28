package progress

import (
	"strings"
	"testing"
)

func TestReadingOffATerminal(t *testing.T) {
	var b strings.Builder
	show := NewReading(&b, false)
	for i := range 1000 {
		show("images of cifar10", i, 1000)
	}
	if got, want := b.String(), "images of cifar10: 0 of 1000\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if NewReading(&b, true) != nil {
		t.Error("quiet shows something")
	}
}
