package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/report/tensorboard"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// eventsFile is where TensorBoard finds the metrics of a run: it reads files with tfevents in their names.
const eventsFile = "events.out.tfevents.losscorr"

// WriteEvents writes the metrics of a study's runs for TensorBoard, each below dir in a folder such as
// mnist-mlp-code/forward-asymmetric-0.6-seed-1-3f2a, and returns how many runs have metrics. The error
// names the metrics that could not be read, beside which the others are written.
func WriteEvents(dir string, s *Study) (n int, err error) {
	for _, r := range s.Runs {
		epochs, bad := r.Epochs()
		if err = errors.Join(err, bad); len(epochs) == 0 {
			continue
		}
		path := filepath.Join(dir, eventsFolder(r.Config, r.ID), eventsFile)
		if bad := os.MkdirAll(filepath.Dir(path), 0o755); bad != nil {
			return n, errors.Join(err, bad)
		}
		if bad := writeRun(path, r.Dir, epochs); bad != nil {
			return n, errors.Join(err, bad)
		}
		n++
	}
	return n, err
}

// writeRun writes the events of one run. Its wall time ends when its metrics were last written, and counts
// training only, not the time between two attempts.
func writeRun(path, folder string, epochs []metrics.Epoch) error {
	info, err := os.Stat(filepath.Join(folder, store.MetricsFile))
	if err != nil {
		return err
	}
	start := info.ModTime().UTC().Truncate(time.Microsecond)
	for _, e := range epochs {
		start = start.Add(-took(e))
	}
	events := make([]tensorboard.Event, len(epochs))
	at := start
	for k, e := range epochs {
		at = at.Add(took(e))
		events[k] = tensorboard.Event{Time: at, Step: int64(e.Epoch), Scalars: []tensorboard.Scalar{
			{Tag: "train/loss", Value: e.TrainLoss},
			{Tag: "train/learning_rate", Value: e.LearningRate},
			{Tag: "validation/loss", Value: e.ValLoss},
			{Tag: "validation/accuracy", Value: e.ValAccuracy},
			{Tag: "test/accuracy", Value: e.TestAccuracy},
		}}
	}
	return tensorboard.Write(path, start, events...)
}

// took returns the duration of an epoch in whole microseconds, the resolution of events.
func took(e metrics.Epoch) time.Duration { return time.Duration(e.Seconds*1e6) * time.Microsecond }

// eventsFolder names a run by data set, network and preset in a folder, then by loss, noise and seed, and
// by the first four digits of its ID, which depends on all settings.
func eventsFolder(c config.Config, id string) string {
	noise := c.Noise.Kind
	if c.Noise.Level != 0 {
		noise += "-" + strconv.FormatFloat(c.Noise.Level, 'g', -1, 64)
	}
	word := func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-._", r) {
			return r
		}
		return '-'
	}
	group := strings.Map(word, fmt.Sprintf("%s-%s-%s", c.Dataset, c.Network(), c.Preset))
	return filepath.Join(group, strings.Map(word, fmt.Sprintf("%s-%s-seed-%d-%.4s", c.Loss, noise, c.Seed, id)))
}
