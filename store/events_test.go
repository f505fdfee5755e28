package store_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/internal/tensorboard"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/training/metrics"
)

// events is the events file of a run.
type events struct {
	f    *store.Folder
	path string
}

// add appends the metrics of epochs.
func (e events) add(t *testing.T, epochs ...int) {
	t.Helper()
	for _, n := range epochs {
		epoch := metrics.Epoch{Epoch: n, TrainLoss: 1 / float64(n), TestAccuracy: 90 + float64(n), LearningRate: .01, Seconds: 1.123456789 * float64(n)}
		if n == 3 {
			epoch.ValLoss = math.NaN()
		}
		if err := e.f.AppendEpoch(epoch); err != nil {
			t.Fatal(err)
		}
	}
}

func (e events) content(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile(e.path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// steps checks which epochs the file has, and returns it.
func (e events) steps(t *testing.T, want ...int64) *tensorboard.File {
	t.Helper()
	file, err := tensorboard.Read(e.path)
	if err != nil || len(file.Events) != len(want) {
		t.Fatalf("%v, %v, want steps %v", file, err, want)
	}
	for k, event := range file.Events {
		if event.Step != want[k] {
			t.Errorf("event %d is step %d, want %d", k, event.Step, want[k])
		}
	}
	return file
}

// However a run was stopped and went on, its events are its metrics, each epoch
// once, byte for byte as of a run that was left alone.
func TestEventsFollowTheMetrics(t *testing.T) {
	f := create(t, t.TempDir(), settings(t))
	e := events{f, f.Path(store.EventsFile)}
	revise(t, f, 0)
	e.add(t, 1, 2, 3, 4)
	file, undisturbed := e.steps(t, 1, 2, 3, 4), e.content(t)
	if got := file.Events[3].Time.Sub(file.Start).Seconds(); math.Abs(got-11.23456789) > 1e-5 {
		t.Errorf("the fourth epoch ended %v s after the start, want 11.234568", got)
	}
	if s := file.Events[3].Scalars[4]; s.Tag != "test/accuracy" || s.Value != 94 {
		t.Errorf("scalar %+v", s)
	}

	revise(t, f, 2) // goes on from a checkpoint
	e.steps(t, 1, 2)
	e.add(t, 3, 4)
	if !bytes.Equal(e.content(t), undisturbed) {
		t.Error("going on from epoch 2 gave other events")
	}

	revise(t, f, 3)
	if err := os.WriteFile(e.path, undisturbed[:len(undisturbed)-9], 0o644); err != nil { // killed in the middle of a record
		t.Fatal(err)
	}
	e.add(t, 4)
	if !bytes.Equal(e.content(t), undisturbed) {
		t.Error("a torn record gave other events")
	}

	revise(t, f, 3)
	if err := os.WriteFile(e.path, undisturbed, 0o644); err != nil { // killed between the two files, with the event there and the metrics not
		t.Fatal(err)
	}
	e.add(t, 4)
	if !bytes.Equal(e.content(t), undisturbed) {
		t.Error("an event without metrics gave other events")
	}
}

// TensorBoard finds a run under its loss, noise and seed, with its settings, and other
// settings have another name.
func TestTensorBoardNames(t *testing.T) {
	root := t.TempDir()
	c := settings(t)
	other := c
	other.BatchSize = 17
	links := map[string]string{}
	for _, c := range []config.Config{c, other} {
		f := create(t, root, c)
		for range 2 { // a run that is resumed
			if err := f.ReviseEpochs(nil); err != nil {
				t.Fatal(err)
			}
		}
		found, err := filepath.Glob(filepath.Join(root, store.TensorBoardDir, "*", "*"+c.ID()[:4]))
		if err != nil || len(found) != 1 {
			t.Fatalf("links %q, %v", found, err)
		}
		links[filepath.Base(found[0])] = found[0]
		want := fmt.Sprintf("%s-%s-%v-seed-%d-%s", c.Loss, c.Noise.Kind, c.Noise.Level, c.Seed, c.ID()[:4])
		if c.Noise.Level == 0 {
			want = fmt.Sprintf("%s-%s-seed-%d-%s", c.Loss, c.Noise.Kind, c.Seed, c.ID()[:4])
		}
		if got := filepath.Base(found[0]); got != want {
			t.Errorf("the link is %s, want %s", got, want)
		}
		text, err := os.ReadFile(filepath.Join(found[0], store.EventsFile))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"hparams", "optimizer.learning_rate", "noise.kind", c.Loss} {
			if !bytes.Contains(text, []byte(want)) {
				t.Errorf("the events lack %s", want)
			}
		}
		if bytes.Contains(text, []byte("workers")) {
			t.Error("the events say where the run was computed")
		}
	}
	if len(links) != 2 {
		t.Errorf("links %v, want two", links)
	}
}
