package runner

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func planned() Planned {
	return Planned{ID: "0123456789ab", Config: Config{
		Dataset: "mnist", Loss: "forward", Noise: Noise{Kind: "symmetric", Level: .2}, Seed: 1, Epochs: 4, Batch: 100,
	}}
}

// A run of four epochs of 10 s, ten batches each, reports its first epoch, then
// nothing for 30 s; the times are the test's own.
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
			at = at.Add(time.Second)
		}
		track.Epoch(Epoch{Epoch: epoch, TrainLoss: 1 / float64(epoch), ValAccuracy: 90})
	}
	last := Epoch{Epoch: 4, TestAccuracy: 96}
	track.End(Outcome{Planned: run, State: Done, Result: Result{
		Selected: Epoch{Epoch: 2, TestAccuracy: 97}, Last: last, Seconds: 40,
	}})
	track = p.Begin(run)
	track.End(Outcome{Planned: run, State: Failed, Err: errors.New("disk full")})
	p.Note("a note")
	p.Close()
	want := []string{
		"3 runs, 1 finished before",
		"0123456789ab mnist symmetric .2 forward seed 1  epoch 1/4, loss 1.0000, val 90.00 %, 100 examples/s, 30s left",
		"0123456789ab mnist symmetric .2 forward seed 1  epoch 4/4, loss 0.2500, val 90.00 %, 100 examples/s, 0s left",
		"[2/3] 0123456789ab mnist symmetric .2 forward seed 1  done, test 97.00 % selected (epoch 2), 96.00 % last, 40s; 40s left for the others",
		"[3/3] 0123456789ab mnist symmetric .2 forward seed 1  failed: disk full",
		"a note",
	}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(out.String()), "\n")); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// An epoch that lasts long shows its batches.
func TestLinesWithinAnEpoch(t *testing.T) {
	var out bytes.Buffer
	at := time.Unix(0, 0)
	p := &linesProgress{w: &out, clock: func() time.Time { return at }}
	track := p.Begin(planned())
	for b := range 10 {
		track.Batch(b, 10)
		at = at.Add(7 * time.Second)
	}
	want := "epoch 1/4, batch 5/10, 14 examples/s, 4m05s left"
	if got := strings.Split(strings.TrimSpace(out.String()), "\n"); len(got) != 1 || !strings.HasSuffix(got[0], want) {
		t.Errorf("lines are %q, want one that ends %q", got, want)
	}
}

// A run that goes on from a checkpoint must not count the epochs of an earlier
// attempt as its own speed.
func TestRateAfterResume(t *testing.T) {
	var r rate
	at := time.Unix(0, 0)
	r.epoch(at, 20)
	r.epoch(at.Add(10*time.Second), 21)
	if got := r.text(at.Add(10*time.Second), Config{Epochs: 25}); got != ", 40s left" {
		t.Errorf("got %q, want 40 s for four epochs of ten seconds", got)
	}
	r = rate{}
	r.batch(at, 0, 0, 10)
	r.epoch(at.Add(time.Second), 20)
	r.epoch(at.Add(11*time.Second), 21)
	if got := r.text(at.Add(11*time.Second), Config{Epochs: 25, Batch: 1}); !strings.HasSuffix(got, ", 40s left") {
		t.Errorf("got %q, want 40 s left after a jump", got)
	}
}

// Bars end, whether the plan was done or stopped early, and reports that come
// while they are drawn (ten times a second) do not wait for ever.
func TestBars(t *testing.T) {
	for _, runs := range []int{2, 1} {
		var out bytes.Buffer
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			p := newBars(&out)
			p.Plan(2, 0)
			var all sync.WaitGroup
			for range runs {
				all.Go(func() {
					run := planned()
					run.Config.Epochs = 1 << 12
					track := p.Begin(run)
					for begun, epoch := time.Now(), 1; time.Since(begun) < 700*time.Millisecond; epoch = min(epoch+1, 1<<11) {
						track.Batch(5, 10)
						track.Epoch(Epoch{Epoch: epoch, TrainLoss: .5})
					}
					track.End(Outcome{Planned: run, State: Done, Result: Result{Seconds: 1}})
				})
			}
			all.Wait()
			p.Note("a note")
			p.Close()
		}()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Fatalf("%d of 2 runs: the bars hang", runs)
		}
		for _, want := range []string{"all runs", " left", "loss 0.500", "mnist symmetric .2 forward seed 1  done", "a note"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%d of 2 runs: no %q among what was drawn:\n%s", runs, want, out.String())
			}
		}
	}
}

func TestInteractive(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	env := func(string) string { return "xterm" }
	if interactive(file, env) {
		t.Error("a file counts as a terminal")
	}
	if interactive(&bytes.Buffer{}, env) {
		t.Error("a buffer counts as a terminal")
	}
	if _, lines := NewProgress(file, false).(*linesProgress); !lines {
		t.Error("a file does not get plain lines")
	}
}

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

func TestParseCPUInfo(t *testing.T) {
	intel := "processor\t: 0\nmodel name\t: Intel(R) Xeon(R)\nflags\t\t: fpu avx2 avx512f\n\nprocessor\t: 1\nmodel name\t: other\n"
	if diff := cmp.Diff(CPU{Model: "Intel(R) Xeon(R)", Flags: []string{"fpu", "avx2", "avx512f"}}, parseCPUInfo(strings.NewReader(intel))); diff != "" {
		t.Errorf("x86 (-want +got):\n%s", diff)
	}
	if got := parseCPUInfo(strings.NewReader("processor : 0\nFeatures : fp asimd\n")); len(got.Flags) != 2 {
		t.Errorf("ARM gives %+v", got)
	}
}

func TestParseNoise(t *testing.T) {
	for text, want := range map[string]Noise{
		"none":          {Kind: "none"},
		"asymmetric:.6": {Kind: "asymmetric", Level: .6},
		"matrix:T.csv":  {Kind: "matrix", File: "T.csv"},
	} {
		if got, err := ParseNoise(text); err != nil || got != want {
			t.Errorf("ParseNoise(%q) = %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"symetric:.2":   `did you mean "symmetric"?`,
		"symmetric:20":  `"20" is not a number in [0, 1)`,
		"symmetric:nan": `"nan" is not a number in [0, 1)`,
	} {
		if _, err := ParseNoise(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseNoise(%q): %v, want %q", text, err, want)
		}
	}
}
