package tensorboard

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/losscorr/losscorr/internal/files"
)

// File is the content of an event file.
type File struct {
	Start  time.Time // of its first record
	Events []Event
	whole  int64 // bytes up to the end of the last whole record
}

// Read reads an event file up to the first truncated record, which a crash leaves. The
// error wraps fs.ErrNotExist if there is no file. A file whose first record is not that
// of an event file is an error, too.
func Read(path string) (*File, error) {
	all, err := files.Read(path, 1<<30)
	if err != nil {
		return nil, fmt.Errorf("tensorboard: read events: %w", err)
	}
	f := &File{}
	for rest := all; len(rest) > 0; {
		data, next, err := nextRecord(rest)
		if err != nil {
			break
		}
		e, fileVersion, err := decode(data)
		switch {
		case err != nil:
			return nil, fmt.Errorf("tensorboard: read events: %s: %w", path, err)
		case f.whole == 0 && fileVersion != version:
			return nil, fmt.Errorf("tensorboard: read events: %s: version %q, want %s", path, fileVersion, version)
		case f.whole == 0:
			f.Start = e.Time
		case e.Scalars != nil: // else the hparams
			f.Events = append(f.Events, e)
		}
		rest = next
		f.whole = int64(len(all) - len(rest))
	}
	if f.whole == 0 {
		return nil, fmt.Errorf("tensorboard: read events: %s: %w: it has no whole record", path, errTorn)
	}
	return f, nil
}

// Write replaces an event file atomically. Settings are written where there are some.
func Write(path string, start time.Time, settings HParams, events ...Event) error {
	b := appendRecord(nil, encodeVersion(start))
	if len(settings) > 0 {
		b = appendRecord(b, settings.encode(start))
	}
	for _, e := range events {
		b = appendRecord(b, e.encode())
	}
	if err := files.Write(path, b, 0o644); err != nil {
		return fmt.Errorf("tensorboard: write events: %w", err)
	}
	return nil
}

// Append adds events to the end of a file that Read has read, and removes a truncated
// record before. It writes in place, so that a TensorBoard that follows the file keeps
// reading it.
func (f *File) Append(path string, events ...Event) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("tensorboard: append events: %w", err)
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			err = fmt.Errorf("tensorboard: append events: %w", err)
		}
	}()
	var b []byte
	for _, e := range events {
		b = appendRecord(b, e.encode())
	}
	if err := file.Truncate(f.whole); err != nil {
		return err
	}
	if _, err := file.WriteAt(b, f.whole); err != nil {
		return err
	}
	f.whole += int64(len(b))
	f.Events = append(f.Events, events...)
	return nil
}
