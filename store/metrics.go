package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// EventsFile holds the metrics for TensorBoard, which reads files with tfevents in
// their name.
const EventsFile = "events.out.tfevents.losscorr"

// AppendEpoch adds a line to MetricsFile and an event to EventsFile.
func (f *Folder) AppendEpoch(e Epoch) error {
	line, err := EncodeEpoch(e)
	if err != nil {
		return fmt.Errorf("run %s: encode epoch %d: %w", f.ID, e.Epoch, err)
	}
	if err := f.Check(); err != nil {
		return err
	}
	file, err := os.OpenFile(f.Path(MetricsFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("run %s: open its metrics: %w", f.ID, err)
	}
	_, err = file.Write(append(line, '\n'))
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("run %s: write its metrics: %w", f.ID, err)
	}
	return f.appendEvent(e)
}

// Epochs reads the run's metrics, none if there is no file. In a run that was resumed
// an epoch may appear twice; its last line counts. A last line that was cut short by
// a crash is left out; damage before it is an error.
func (f *Folder) Epochs() ([]Epoch, error) {
	data, err := os.ReadFile(f.Path(MetricsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", f.name(), err)
	}
	var out []Epoch
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	n := 0
	for line := range bytes.Lines(whole) {
		n++
		var e jsonEpoch // losses that are not finite are strings
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("run %s: %s:%d is damaged: %w", f.name(), MetricsFile, n, err)
		}
		for len(out) > 0 && out[len(out)-1].Epoch >= e.Epoch {
			out = out[:len(out)-1]
		}
		out = append(out, e.decode())
	}
	return out, nil
}

// EncodeEpoch returns an epoch as a line of a run's metrics, without the newline.
func EncodeEpoch(e Epoch) ([]byte, error) { return json.Marshal(encodeEpoch(e)) }

// TruncateEpochs drops the metrics of epochs after the given one, so that a run that
// resumes from a checkpoint of that epoch writes each epoch once. It writes the events
// again to match.
func (f *Folder) TruncateEpochs(last int) error {
	epochs, err := f.Epochs()
	if err != nil {
		return err
	}
	var keep bytes.Buffer
	enc := json.NewEncoder(&keep)
	for _, e := range epochs {
		if e.Epoch > last {
			break
		}
		if err := enc.Encode(encodeEpoch(e)); err != nil {
			return fmt.Errorf("run %s: encode epoch %d: %w", f.ID, e.Epoch, err)
		}
	}
	if err := f.Write(MetricsFile, keep.Bytes()); err != nil {
		return err
	}
	return f.writeEvents()
}
