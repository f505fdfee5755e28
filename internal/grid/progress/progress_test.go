package progress

import (
	"strings"
	"testing"
	"time"
)

// clocked returns a reading with its own clock, its output, and a function that sets the clock.
func clocked() (r *reading, b *strings.Builder, at func(seconds float64)) {
	b = &strings.Builder{}
	now := time.Unix(1000, 0)
	r = &reading{w: b, clock: func() time.Time { return now }}
	return r, b, func(seconds float64) { now = time.Unix(1000, 0).Add(time.Duration(seconds * float64(time.Second))) }
}

// There is a line after a second and then every ten, with the time left.
func TestLongReading(t *testing.T) {
	r, b, at := clocked()
	const total = 300
	for done := 1; done <= total; done++ {
		at(float64(done-1) / 10)
		r.show("decoding images", done, total)
	}
	want := "11 of 300, 29s left|111 of 300, 19s left|211 of 300, 9s left|300 in 30s|"
	if got := strings.NewReplacer("decoding images: ", "", "\n", "|").Replace(b.String()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if NewReading(b, true) != nil {
		t.Error("quiet shows something")
	}
}

// Fast work shows no line, potentially slow work is announced at once, and each reading is timed separately.
func TestReading(t *testing.T) {
	type step struct {
		at          float64
		what        string
		done, total int
	}
	for _, test := range []struct {
		steps []step
		want  string
	}{
		{[]step{
			{0, "images", 1, 9}, {0, "images", 5, 9}, {0, "images", 9, 9},
			{5, "images", 3, 9}, {5, "images", 6, 9}, {5, "images", 9, 9}, // the test set, a second later
			{5, "features", 0, 64}, {12, "features", 16, 64}, {12.5, "features", 32, 64}, {13, "features", 64, 64},
		}, "features: 0 of 64\nfeatures: 64 in 8s\n"},
	} {
		r, b, at := clocked()
		for _, s := range test.steps {
			at(s.at)
			r.show(s.what, s.done, s.total)
		}
		if got := b.String(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
