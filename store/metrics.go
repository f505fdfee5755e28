package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/training/metrics"
)

// EventsFile holds the metrics for TensorBoard, which reads files with tfevents in
// their name.
const EventsFile = "events.out.tfevents.losscorr"

// AppendEpoch adds a line to MetricsFile and an event to EventsFile.
func (f *Folder) AppendEpoch(e metrics.Epoch) error {
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

// BeforeCheckpoint makes the metrics durable, so that a checkpoint on the disk has its
// epochs there too. The error is ErrTaken if another process has taken the run over.
func (f *Folder) BeforeCheckpoint() error {
	if err := f.Check(); err != nil {
		return err
	}
	if err := files.Sync(f.Path(MetricsFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("run %s: write its metrics: %w", f.ID, err)
	}
	return nil
}

// Epochs reads the run's metrics, none if there is no file. In a run that was resumed
// an epoch may appear twice; its last line counts. A last line that was cut short by
// a crash is left out. Damaged lines before it are left out too and named in the error,
// beside which the other epochs are returned.
func (f *Folder) Epochs() ([]metrics.Epoch, error) {
	epochs, damaged, err := f.readEpochs()
	if err == nil && len(damaged) > 0 {
		err = fmt.Errorf("run %s: %s", f.name(), strings.Join(damaged, "; "))
	}
	return epochs, err
}

// readEpochs returns the epochs of the lines that can be read, and what is wrong with
// the others.
func (f *Folder) readEpochs() (epochs []metrics.Epoch, damaged []string, err error) {
	data, err := files.Read(f.Path(MetricsFile), mostText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("run %s: %w", f.name(), err)
	}
	const most = 3 // damaged lines that are named
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	n, bad := 0, 0
	for line := range bytes.Lines(whole) {
		n++
		var e jsonEpoch // losses that are not finite are strings
		err := json.Unmarshal(line, &e)
		if err == nil && e.Epoch < 1 {
			err = errors.New("it has no epoch")
		}
		if err != nil {
			if bad++; bad <= most {
				damaged = append(damaged, fmt.Sprintf("%s:%d is damaged: %v", MetricsFile, n, err))
			}
			continue
		}
		for len(epochs) > 0 && epochs[len(epochs)-1].Epoch >= e.Epoch {
			epochs = epochs[:len(epochs)-1]
		}
		epochs = append(epochs, e.decode())
	}
	if bad > most {
		damaged = append(damaged, fmt.Sprintf("%d more damaged lines", bad-most))
	}
	return epochs, damaged, nil
}

// EncodeEpoch returns an epoch as a line of a run's metrics, without the newline.
func EncodeEpoch(e metrics.Epoch) ([]byte, error) { return json.Marshal(encodeEpoch(e)) }

// ReviseEpochs makes MetricsFile hold the epochs that the run has done, and EventsFile the
// same. A run does it when it starts, since a run that resumes from a checkpoint does the
// later epochs again, and at its end. It returns what was wrong with the file.
func (f *Folder) ReviseEpochs(done []metrics.Epoch) (problems []string, err error) {
	found, problems, err := f.readEpochs()
	if err != nil {
		return nil, err
	}
	inFile := map[int]bool{}
	for _, e := range found {
		inFile[e.Epoch] = true
	}
	var text bytes.Buffer
	var restored []int
	enc := json.NewEncoder(&text)
	for _, e := range done {
		if !inFile[e.Epoch] {
			restored = append(restored, e.Epoch)
		}
		if err := enc.Encode(encodeEpoch(e)); err != nil {
			return problems, fmt.Errorf("run %s: encode epoch %d: %w", f.ID, e.Epoch, err)
		}
	}
	if restored != nil {
		problems = append(problems, fmt.Sprintf("%s lacked epochs %s; the run knows them, and they are written again", MetricsFile, humanize.Ranges(restored)))
	}
	if err := f.Write(MetricsFile, text.Bytes()); err != nil {
		return problems, err
	}
	return problems, f.writeEvents()
}
