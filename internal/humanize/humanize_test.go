package humanize

import (
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		400 * time.Millisecond:             "0s",
		59*time.Second + 600e6:             "1m00s",
		3*time.Minute + 7*time.Second:      "3m07s",
		2*time.Hour + 5*time.Minute + 29e9: "2h05m",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%v) = %s, want %s", d, got, want)
		}
	}
}
