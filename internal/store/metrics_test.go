package store_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// revise leaves the first epochs in metrics in which nothing is wrong.
func revise(t *testing.T, f *store.Folder, last int) {
	t.Helper()
	var epochs []metrics.Epoch
	if last > 0 {
		all, err := f.Epochs()
		if err != nil {
			t.Fatal(err)
		}
		epochs = all[:last]
	}
	if err := f.ReviseEpochs(epochs); err != nil {
		t.Fatal(err)
	}
}

func course(epochs int) []metrics.Epoch {
	all := make([]metrics.Epoch, epochs)
	for i := range all {
		all[i] = metrics.Epoch{Epoch: i + 1, TrainLoss: 1 / float64(i+1), TestAccuracy: 90}
	}
	return all
}

// A run that resumes from a checkpoint keeps the epochs that it knows, whatever the file has.
func TestReviseEpochs(t *testing.T) {
	f := create(t, t.TempDir(), settings(t))
	all := course(9)
	for _, e := range all {
		if err := f.AppendEpoch(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.ReviseEpochs(all[:6]); err != nil {
		t.Fatal(err)
	}
	epochs, err := f.Epochs()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all[:6], epochs); diff != "" {
		t.Errorf("epochs (-want +got):\n%s", diff)
	}
}

// Readers of a finished run get the lines that are good beside the error, and a run
// continues beside a line that was damaged.
func TestDamagedMetrics(t *testing.T) {
	f := create(t, t.TempDir(), settings(t))
	for _, e := range course(3) {
		if err := f.AppendEpoch(e); err != nil {
			t.Fatal(err)
		}
		if e.Epoch == 1 {
			data, err := os.ReadFile(f.Path(store.MetricsFile))
			if err == nil {
				err = os.WriteFile(f.Path(store.MetricsFile), append(data, "nonsense\n"...), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	epochs, err := f.Epochs()
	if len(epochs) != 3 || err == nil || !strings.Contains(err.Error(), f.ID+": metrics.jsonl:2 is damaged") {
		t.Errorf("%d epochs, %v; want 3 and line 2 named", len(epochs), err)
	}
}

// The metrics are synced before a checkpoint: here they are a device that cannot be.
func TestBeforeCheckpoint(t *testing.T) {
	f := create(t, t.TempDir(), settings(t))
	if err := f.BeforeCheckpoint(); err != nil {
		t.Errorf("without metrics: %v", err)
	}
	if err := f.AppendEpoch(course(1)[0]); err != nil {
		t.Fatal(err)
	}
	if err := f.BeforeCheckpoint(); err != nil {
		t.Error(err)
	}
	if err := os.Remove(f.Path(store.MetricsFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/null", f.Path(store.MetricsFile)); err != nil {
		t.Fatal(err)
	}
	if err := f.BeforeCheckpoint(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("run %s: write its metrics", f.ID)) {
		t.Errorf("metrics that cannot be synced: %v", err)
	}
}
