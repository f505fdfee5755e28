package store_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/tensorboard"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/training/metrics"
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
	if problems, err := f.ReviseEpochs(epochs); len(problems) > 0 || err != nil {
		t.Fatalf("%q, %v", problems, err)
	}
}

func course(epochs int) []metrics.Epoch {
	all := make([]metrics.Epoch, epochs)
	for i := range all {
		all[i] = metrics.Epoch{Epoch: i + 1, TrainLoss: 1 / float64(i+1), TestAccuracy: 90}
	}
	return all
}

// Lines that were lost or damaged come back from what the run remembers. Nothing is silent,
// and nothing stops the run.
func TestReviseEpochs(t *testing.T) {
	all := course(9)
	line := func(e int) string {
		text, err := store.EncodeEpoch(all[e-1])
		if err != nil {
			t.Fatal(err)
		}
		return string(text) + "\n"
	}
	lines := func(of ...int) (s string) {
		for _, e := range of {
			s += line(e)
		}
		return s
	}
	for _, tt := range []struct {
		name string
		text string
		say  string // "; " between problems
	}{
		{name: "whole", text: lines(1, 2, 3, 4, 5, 6)},
		{name: "further than the checkpoint", text: lines(1, 2, 3, 4, 5, 6, 7, 8) + `{"epo`},
		{name: "lines lost", text: lines(1, 2, 5), say: "metrics.jsonl lacked epochs 3-4,6; the run knows them, and they are written again"},
		{name: "deleted", say: "metrics.jsonl lacked epochs 1-6; the run knows them, and they are written again"},
		{name: "damaged", text: lines(1) + "{\n" + lines(3, 4, 5, 6),
			say: "metrics.jsonl:2 is damaged: unexpected end of JSON input; metrics.jsonl lacked epochs 2; the run knows them, and they are written again"},
		{name: "damaged after the last", text: lines(1, 2, 3, 4, 5, 6) + "{}\n", say: "metrics.jsonl:7 is damaged: it has no epoch"},
		{name: "damaged in many places", text: strings.Repeat("x\n", 9) + lines(1, 2, 3, 4, 5, 6),
			say: "metrics.jsonl:1 is damaged: invalid character 'x' looking for beginning of value; " +
				"metrics.jsonl:2 is damaged: invalid character 'x' looking for beginning of value; " +
				"metrics.jsonl:3 is damaged: invalid character 'x' looking for beginning of value; 6 more damaged lines"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := create(t, t.TempDir(), settings(t))
			if tt.text != "" {
				if err := f.Write(store.MetricsFile, []byte(tt.text)); err != nil {
					t.Fatal(err)
				}
			}
			problems, err := f.ReviseEpochs(all[:6])
			if err != nil {
				t.Fatal(err)
			}
			if say := strings.Join(problems, "; "); say != tt.say {
				t.Errorf("says %q, want %q", say, tt.say)
			}
			epochs, err := f.Epochs()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(all[:6], epochs); diff != "" {
				t.Errorf("epochs (-want +got):\n%s", diff)
			}
			events, err := tensorboard.Read(f.Path(store.EventsFile))
			if err != nil || len(events.Events) != 6 {
				t.Errorf("%v events, %v; want 6", events, err)
			}
		})
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
			if err == nil {
				err = os.Remove(f.Path(store.EventsFile)) // to be written from the metrics
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
