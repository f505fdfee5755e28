package report

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report/reporttest"
	"github.com/losscorr/losscorr/internal/report/tensorboard"
	"github.com/losscorr/losscorr/internal/store"
)

// The events of a run are its metrics, its wall time ends with the last epoch, and a folder names the run.
func TestWriteEvents(t *testing.T) {
	root, out := t.TempDir(), t.TempDir()
	r := reporttest.Result("forward", "asymmetric", .6, 3, 97, 96)
	reporttest.PutJSON(t, filepath.Join(root, r.ID, store.ResultFile), r)
	metrics := filepath.Join(root, r.ID, store.MetricsFile)
	reporttest.Put(t, metrics,
		`{"epoch":1,"train_loss":2,"val_loss":"NaN","learning_rate":0.1,"test_accuracy":90,"seconds":1.5}
{"epoch":2,"train_loss":1,"val_loss":3,"learning_rate":0.1,"test_accuracy":95,"seconds":2}
`)
	ended := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	expect.OK(t, os.Chtimes(metrics, ended, ended))
	study, err := Load(root)
	expect.OK(t, err)
	if n, err := WriteEvents(out, study); n != 1 || err != nil {
		t.Fatalf("%d runs, %v", n, err)
	}
	folder := filepath.Join(out, "mnist-mlp-code", "forward-asymmetric-0.6-seed-3-"+r.ID[:4])
	event := func(at time.Duration, step int64, loss, validation, accuracy float64) tensorboard.Event {
		return tensorboard.Event{Time: ended.Add(at), Step: step, Scalars: []tensorboard.Scalar{
			{Tag: "train/loss", Value: loss}, {Tag: "train/learning_rate", Value: .1},
			{Tag: "validation/loss", Value: validation}, {Tag: "validation/accuracy"}, {Tag: "test/accuracy", Value: accuracy},
		}}
	}
	expected := filepath.Join(t.TempDir(), "expected")
	expect.OK(t, tensorboard.Write(expected, ended.Add(-3500*time.Millisecond),
		event(-2*time.Second, 1, 2, math.NaN(), 90), event(0, 2, 1, 3, 95)))
	want, err := os.ReadFile(expected)
	expect.OK(t, err)
	got, err := os.ReadFile(filepath.Join(folder, "events.out.tfevents.losscorr"))
	expect.OK(t, err)
	expect.Same(t, want, got, "events")
}
