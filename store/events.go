package store

import (
	"fmt"
	"time"

	"github.com/losscorr/losscorr/internal/tensorboard"
	"github.com/losscorr/losscorr/training/metrics"
)

// appendEvent adds an epoch to the events file, which is read once. If its last event
// is not the epoch before, as after a crash between the writes of the two files, the
// file is written again from the metrics.
func (f *Folder) appendEvent(e metrics.Epoch) error {
	if f.events == nil {
		file, err := tensorboard.Read(f.Path(EventsFile))
		if err != nil {
			return f.writeEvents()
		}
		f.events = file
	}
	at, last := f.events.Start, int64(0)
	if n := len(f.events.Events); n > 0 {
		at, last = f.events.Events[n-1].Time, f.events.Events[n-1].Step
	}
	if last != int64(e.Epoch)-1 {
		return f.writeEvents()
	}
	if err := f.events.Append(f.Path(EventsFile), event(e, at)); err != nil {
		return fmt.Errorf("run %s: %w", f.ID, err)
	}
	return nil
}

// writeEvents writes the settings and the events of all metrics, and links the run under
// a name for people. It keeps the start time of an existing file, so that the same
// metrics give the same bytes.
func (f *Folder) writeEvents() error {
	f.events = nil
	epochs, err := f.Epochs()
	if err != nil {
		return err
	}
	start := time.Now().UTC().Truncate(time.Microsecond)
	if file, err := tensorboard.Read(f.Path(EventsFile)); err == nil {
		start = file.Start
	} else {
		for _, e := range epochs {
			start = start.Add(-took(e))
		}
	}
	events := make([]tensorboard.Event, len(epochs))
	at := start
	for k, e := range epochs {
		events[k] = event(e, at)
		at = events[k].Time
	}
	var settings tensorboard.HParams
	c, unread := f.Config()
	if unread == nil {
		settings = hparams(c)
	}
	if err := tensorboard.Write(f.Path(EventsFile), start, settings, events...); err != nil {
		return fmt.Errorf("run %s: %w", f.ID, err)
	}
	if unread == nil {
		f.link(c)
	}
	return nil
}

// event returns the event of an epoch that began at the given time. Times count
// training only, not the time between two attempts.
func event(e metrics.Epoch, begun time.Time) tensorboard.Event {
	return tensorboard.Event{Time: begun.Add(took(e)), Step: int64(e.Epoch), Scalars: []tensorboard.Scalar{
		{Tag: "train/loss", Value: e.TrainLoss},
		{Tag: "train/learning_rate", Value: e.LearningRate},
		{Tag: "validation/loss", Value: e.ValLoss},
		{Tag: "validation/accuracy", Value: e.ValAccuracy},
		{Tag: "test/accuracy", Value: e.TestAccuracy},
	}}
}

// took returns the duration of an epoch in whole microseconds, the resolution of
// events.
func took(e metrics.Epoch) time.Duration {
	return time.Duration(e.Seconds*1e6) * time.Microsecond
}
