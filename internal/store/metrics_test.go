package store

import (
	"fmt"
	"os"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
)

func course(epochs int) []metrics.Epoch {
	all := make([]metrics.Epoch, epochs)
	for i := range all {
		all[i] = metrics.Epoch{Epoch: i + 1, TrainLoss: 1 / float64(i+1), TestAccuracy: 90}
	}
	return all
}

// Readers of a finished run get its good lines and an error, and a run continues despite a damaged line.
func TestDamagedMetrics(t *testing.T) {
	f := create(t, t.TempDir(), settings(t))
	for _, e := range course(3) {
		expect.OK(t, f.AppendEpoch(e))
		if e.Epoch == 1 {
			data := expect.Got(os.ReadFile(f.Path(MetricsFile)))(t)
			expect.OK(t, os.WriteFile(f.Path(MetricsFile), append(data, "nonsense\n"...), 0o644))
		}
	}
	epochs, err := f.Epochs()
	expect.Fails(t, err, f.ID+": metrics.jsonl:2 is damaged", "epochs")
	expect.Same(t, course(3), epochs, "epochs")
}

// Metrics are synced before a checkpoint; here they are a device that cannot be synced.
func TestBeforeCheckpoint(t *testing.T) {
	f := create(t, t.TempDir(), settings(t))
	expect.OK(t, f.BeforeCheckpoint()) // without metrics
	expect.OK(t, f.AppendEpoch(course(1)[0]))
	expect.OK(t, f.BeforeCheckpoint())
	expect.OK(t, os.Remove(f.Path(MetricsFile)))
	expect.OK(t, os.Symlink("/dev/null", f.Path(MetricsFile)))
	expect.Fails(t, f.BeforeCheckpoint(), fmt.Sprintf("run %s: write its metrics", f.ID), "metrics that cannot be synced")
}
