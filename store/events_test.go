package store_test

import (
	"bytes"
	"math"
	"os"
	"testing"

	"github.com/losscorr/losscorr/internal/tensorboard"
	"github.com/losscorr/losscorr/store"
)

// However a run was stopped and went on, its events are its metrics, each epoch
// once, byte for byte as of a run that was left alone.
func TestEventsFollowTheMetrics(t *testing.T) {
	f := create(t, t.TempDir(), settings(t))
	path := f.Path(store.EventsFile)
	add := func(epochs ...int) {
		t.Helper()
		for _, n := range epochs {
			e := store.Epoch{Epoch: n, TrainLoss: 1 / float64(n), TestAccuracy: 90 + float64(n), LearningRate: .01, Seconds: 1.123456789 * float64(n)}
			if n == 3 {
				e.ValLoss = math.NaN()
			}
			if err := f.AppendEpoch(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	truncate := func(last int) {
		t.Helper()
		revise(t, f, last)
	}
	content := func() []byte {
		t.Helper()
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	steps := func(want ...int64) {
		t.Helper()
		file, err := tensorboard.Read(path)
		if err != nil || len(file.Events) != len(want) {
			t.Fatalf("%v, %v, want steps %v", file, err, want)
		}
		for k, e := range file.Events {
			if e.Step != want[k] {
				t.Errorf("event %d is step %d, want %d", k, e.Step, want[k])
			}
		}
	}

	truncate(0)
	add(1, 2, 3, 4)
	steps(1, 2, 3, 4)
	undisturbed := content()
	file, err := tensorboard.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := file.Events[3].Time.Sub(file.Start).Seconds(); math.Abs(got-11.23456789) > 1e-5 {
		t.Errorf("the fourth epoch ended %v s after the start, want 11.234568", got)
	}
	if s := file.Events[3].Scalars[4]; s.Tag != "test/accuracy" || s.Value != 94 {
		t.Errorf("scalar %+v", s)
	}

	truncate(2) // goes on from a checkpoint
	steps(1, 2)
	add(3, 4)
	if !bytes.Equal(content(), undisturbed) {
		t.Error("going on from epoch 2 gave other events")
	}

	truncate(3)
	if err := os.WriteFile(path, undisturbed[:len(undisturbed)-9], 0o644); err != nil { // killed in the middle of a record
		t.Fatal(err)
	}
	add(4)
	if !bytes.Equal(content(), undisturbed) {
		t.Error("a torn record gave other events")
	}

	truncate(3)
	ahead := undisturbed // killed between the two files, with the event there and the metrics not
	if err := os.WriteFile(path, ahead, 0o644); err != nil {
		t.Fatal(err)
	}
	add(4)
	if !bytes.Equal(content(), undisturbed) {
		t.Error("an event without metrics gave other events")
	}

	if err := os.Remove(path); err != nil { // a run of an earlier version
		t.Fatal(err)
	}
	add(5)
	steps(1, 2, 3, 4, 5)
}
