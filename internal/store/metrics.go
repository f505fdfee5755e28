package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
)

// AppendEpoch adds a line to MetricsFile.
func (f *Folder) AppendEpoch(e metrics.Epoch) error {
	if err := f.Check(); err != nil {
		return err
	}
	file, err := os.OpenFile(f.Path(MetricsFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("run %s: open its metrics: %w", f.ID, err)
	}
	_, err = file.Write(encodeEpoch(e))
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("run %s: write its metrics: %w", f.ID, err)
	}
	return nil
}

// BeforeCheckpoint syncs the metrics to disk, so a checkpoint never outlives the metrics of its epochs. The error is
// ErrTaken if another process has taken the run over.
func (f *Folder) BeforeCheckpoint() error {
	if err := f.Check(); err != nil {
		return err
	}
	if err := files.Sync(f.Path(MetricsFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("run %s: write its metrics: %w", f.ID, err)
	}
	return nil
}

// Epochs reads the run's metrics. If a resumed run wrote an epoch twice, the later line
// counts. An incomplete last line, left by a crash, is ignored. Other damaged lines are skipped: Epochs returns the
// other epochs and an error that names the first damaged line.
func (f *Folder) Epochs() (epochs []metrics.Epoch, err error) {
	data, err := files.Read(f.Path(MetricsFile), mostText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", f.name(), err)
	}
	n := 0
	for line := range bytes.Lines(data[:bytes.LastIndexByte(data, '\n')+1]) {
		n++
		var e metrics.Epoch
		if bad := json.Unmarshal(line, &e); bad != nil {
			err = cmp.Or(err, fmt.Errorf("run %s: %s:%d is damaged: %w", f.name(), MetricsFile, n, bad))
			continue
		}
		for len(epochs) > 0 && epochs[len(epochs)-1].Epoch >= e.Epoch {
			epochs = epochs[:len(epochs)-1]
		}
		epochs = append(epochs, e)
	}
	return epochs, err
}

// encodeEpoch returns an epoch as a line of a run's metrics.
func encodeEpoch(e metrics.Epoch) []byte {
	line, _ := json.Marshal(e) // no error: it holds numbers and strings only
	return append(line, '\n')
}

// ReviseEpochs replaces MetricsFile by the epochs that the run has done. A run calls it at its end and at its start,
// where a resumed run repeats the epochs after its checkpoint.
func (f *Folder) ReviseEpochs(done []metrics.Epoch) error {
	var text []byte
	for _, e := range done {
		text = append(text, encodeEpoch(e)...)
	}
	return f.Write(MetricsFile, text)
}
