package humanize

import (
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/expect"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		400 * time.Millisecond:             "0s",
		59*time.Second + 600e6:             "1m00s",
		3*time.Minute + 7*time.Second:      "3m07s",
		2*time.Hour + 5*time.Minute + 29e9: "2h05m",
	} {
		expect.Same(t, want, Duration(d), d)
	}
}

func TestRoughly(t *testing.T) {
	for d, want := range map[time.Duration]string{
		59 * time.Second: "under a minute", 25*time.Minute + 20*time.Second: "25 minutes",
		200 * time.Minute: "3 h 20 min", 12 * 24 * time.Hour: "12 days",
	} {
		expect.Same(t, want, Roughly(d), d)
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 60000: "60,000", 1234567: "1,234,567",
		-999: "-999", -1000: "-1,000", -123456: "-123,456"} {
		expect.Same(t, want, Number(n), n)
	}
	for v, want := range map[float64]string{0: "0", .4: "0", 11.6: "12", 999.7: "1,000", 11949: "11,900",
		1234567: "1,230,000"} {
		expect.Same(t, want, About(v), v)
	}
}

func TestQuoted(t *testing.T) {
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{nil, ""},
		{[]string{"a", "b c"}, `"a", "b c"`},
		{[]string{"a", "b", "c"}, `"a", "b" and 1 more`},
	} {
		expect.Same(t, tt.want, Quoted(tt.names, 2), tt.names, 2)
	}
}
