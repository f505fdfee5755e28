package progress

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

func planned() store.Planned {
	c := config.Config{
		Dataset: "mnist", Loss: "forward", Noise: config.Noise{Kind: "symmetric", Level: .2}, Seed: 1, Epochs: 4,
		BatchSize: 100,
	}
	return store.Planned{ID: "0123456789ab", Name: c.Name(), Config: c}
}

// A run of four epochs of 3.4 s, ten batches each, reports its first epoch, then nothing for 10 s by the test's clock.
func TestLines(t *testing.T) {
	var out bytes.Buffer
	at := time.Unix(0, 0)
	p := &linesProgress{w: &out, clock: func() time.Time { return at }}
	p.Plan(3, 1)
	run := planned()
	track := p.Begin(run)
	for epoch := 1; epoch <= 4; epoch++ {
		for b := 1; b <= 10; b++ {
			track.Batch(b-1, 10)
			at = at.Add(340 * time.Millisecond)
		}
		track.Epoch(metrics.Epoch{Epoch: epoch, TrainLoss: 1 / float64(epoch), ValAccuracy: 90})
	}
	last := metrics.Epoch{Epoch: 4, TestAccuracy: 96}
	track.End(grid.Outcome{Planned: run, State: store.Done, Result: store.Result{
		Selected: metrics.Epoch{Epoch: 2, TestAccuracy: 97}, Last: last, Seconds: 40,
	}})
	track = p.Begin(run)
	track.End(grid.Outcome{Planned: run, State: store.Failed, Err: errors.New("disk full")})
	p.Note("a note")
	p.Close()
	want := []string{
		"3 runs, 1 finished before",
		"0123456789ab mnist symmetric .2 forward seed 1  epoch 1/4, loss 1.0000, val 90.00 %, 294 examples/s, 10s left",
		"0123456789ab mnist symmetric .2 forward seed 1  epoch 4/4, loss 0.2500, val 90.00 %, 294 examples/s, 0s left",
		"[2/3] 0123456789ab mnist symmetric .2 forward seed 1  done, test 97.00 % selected (epoch 2), 96.00 % last, 40s; " +
			"14s left for the others",
		"[3/3] 0123456789ab mnist symmetric .2 forward seed 1  failed: disk full",
		"a note",
	}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(out.String()), "\n")); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// A long epoch shows its batches, also in a resumed run.
func TestLinesWithinAnEpoch(t *testing.T) {
	for done, want := range map[int]string{
		0: "epoch 1/4, batch 5/10, 48 examples/s, 1m14s left",
		2: "epoch 3/4, batch 5/10, 48 examples/s, 32s left",
	} {
		var out bytes.Buffer
		at := time.Unix(0, 0)
		p := &linesProgress{w: &out, clock: func() time.Time { return at }}
		track := p.Begin(planned())
		track.Resumed(done)
		for b := range 10 {
			track.Batch(b, 10)
			at = at.Add(2100 * time.Millisecond)
		}
		if got := strings.Split(strings.TrimSpace(out.String()), "\n"); len(got) != 1 || !strings.HasSuffix(got[0], want) {
			t.Errorf("after %d epochs lines are %q, want one that ends %q", done, got, want)
		}
	}
}

// A resumed run must not count the epochs of an earlier attempt towards its own speed, with or without batches.
func TestRateAfterResume(t *testing.T) {
	at := time.Unix(0, 0)
	var epochs, batches rate
	batches.batch(at.Add(-time.Second), 0, 0, 10)
	for want, r := range map[string]*rate{", 40s left": &epochs, ", 1 examples/s, 40s left": &batches} {
		r.epoch(at, 20)
		r.epoch(at.Add(10*time.Second), 21)
		if got := r.text(at.Add(10*time.Second), config.Config{Epochs: 25, BatchSize: 1}); got != want {
			t.Errorf("%q, want %q for four epochs of ten seconds", got, want)
		}
	}
}

// Only a terminal is interactive.
func TestInteractive(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	env := func(string) string { return "xterm" }
	if interactive(file, env) || interactive(&bytes.Buffer{}, env) {
		t.Error("a file or a buffer counts as a terminal")
	}
}

// clocked returns a reading with its own clock, its output, and a function that sets the clock.
func clocked(over bool) (r *reading, b *strings.Builder, at func(seconds float64)) {
	b = &strings.Builder{}
	now := time.Unix(1000, 0)
	r = &reading{w: b, clock: func() time.Time { return now }, over: over}
	return r, b, func(seconds float64) { now = time.Unix(1000, 0).Add(time.Duration(seconds * float64(time.Second))) }
}

// Without a terminal there are lines from the first second on, less and less often, with the time left.
func TestReadingOffATerminal(t *testing.T) {
	r, b, at := clocked(false)
	const total = 2000
	for done := 1; done <= total; done++ {
		at(float64(done-1) / 10)
		r.show("decoding images", done, total)
	}
	want := "11 of 2000, 3m19s left|31 of 2000, 3m17s left|101 of 2000, 3m10s left|201 of 2000, 3m00s left|" +
		"301 of 2000, 2m50s left|401 of 2000, 2m40s left|501 of 2000, 2m30s left|601 of 2000, 2m20s left|" +
		"901 of 2000, 1m50s left|1201 of 2000, 1m20s left|1501 of 2000, 50s left|1801 of 2000, 20s left|2000 in 3m20s|"
	if got := strings.NewReplacer("decoding images: ", "", "\n", "|").Replace(b.String()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if NewReading(b, true) != nil {
		t.Error("quiet shows something")
	}
}

// Fast work shows no line, potentially slow work is announced at once, and each reading is timed separately. On a
// terminal the line is overwritten ten times a second.
func TestReading(t *testing.T) {
	type step struct {
		at          float64
		what        string
		done, total int
	}
	for _, test := range []struct {
		over  bool
		steps []step
		want  string
	}{
		{false, []step{
			{0, "images", 1, 9}, {0, "images", 5, 9}, {0, "images", 9, 9},
			{5, "images", 3, 9}, {5, "images", 6, 9}, {5, "images", 9, 9}, // the test set, a second later
			{5, "features", 0, 64}, {12, "features", 16, 64}, {12.5, "features", 32, 64}, {13, "features", 64, 64},
		}, "features: 0 of 64\nfeatures: 16 of 64, 21s left\nfeatures: 64 in 8s\n"},
		{true, []step{
			{0, "features", 1, 5}, {.05, "features", 2, 5}, {.1, "features", 3, 5}, {2, "features", 4, 5},
			{2.05, "features", 5, 5},
		}, "\rfeatures: 1 of 5\033[K\rfeatures: 3 of 5\033[K\rfeatures: 4 of 5, 1s left\033[K\rfeatures: 5 in 2s\033[K\n"},
	} {
		r, b, at := clocked(test.over)
		for _, s := range test.steps {
			at(s.at)
			r.show(s.what, s.done, s.total)
		}
		if got := b.String(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
