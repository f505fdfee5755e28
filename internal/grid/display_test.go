package grid

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/config"
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
func TestDisplay(t *testing.T) {
	var out bytes.Buffer
	at := time.Unix(0, 0)
	p := &Display{Out: &out, clock: func() time.Time { return at }}
	p.plan(3, 1)
	run := planned()
	track := p.begin(run)
	for epoch := 1; epoch <= 4; epoch++ {
		for b := 1; b <= 10; b++ {
			track.Batch(b-1, 10)
			at = at.Add(340 * time.Millisecond)
		}
		track.Epoch(metrics.Epoch{Epoch: epoch, TrainLoss: 1 / float64(epoch), ValAccuracy: 90})
	}
	last := metrics.Epoch{Epoch: 4, TestAccuracy: 96}
	track.end(Outcome{Planned: run, State: store.Done, Result: store.Result{
		Selected: metrics.Epoch{Epoch: 2, TestAccuracy: 97}, Last: last, Seconds: 40,
	}})
	track = p.begin(run)
	track.end(Outcome{Planned: run, State: store.Failed, Err: errors.New("disk full")})
	p.note("a note")
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
func TestDisplayWithinAnEpoch(t *testing.T) {
	for done, want := range map[int]string{
		0: "epoch 1/4, batch 5/10, 48 examples/s, 1m14s left",
		2: "epoch 3/4, batch 5/10, 48 examples/s, 32s left",
	} {
		var out bytes.Buffer
		at := time.Unix(0, 0)
		p := &Display{Out: &out, clock: func() time.Time { return at }}
		track := p.begin(planned())
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
