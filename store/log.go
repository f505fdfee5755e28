package store

import (
	"fmt"
	"os"
)

// Log is a run's log, to which its attempts append.
type Log struct {
	path string
	file *os.File
}

// Log opens the run's log for appending.
func (f *Folder) Log() (*Log, error) {
	l := &Log{path: f.Path(LogFile)}
	if err := l.open(); err != nil {
		return nil, fmt.Errorf("run %s: open its log: %w", f.ID, err)
	}
	return l, nil
}

func (l *Log) open() (err error) {
	l.file, err = os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	return err
}

// Write appends to the log. A log that was deleted meanwhile is begun again, and says so.
func (l *Log) Write(text []byte) (int, error) {
	if err := l.again(); err != nil {
		return 0, err
	}
	return l.file.Write(text)
}

func (l *Log) again() error {
	own, err := l.file.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(l.path); err == nil && os.SameFile(own, there) {
		return nil
	}
	if err := l.file.Close(); err != nil {
		return err
	}
	if err := l.open(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(l.file, "%s warning: the log was deleted, with what it said before\n", Timestamp())
	return err
}

// Close closes the file.
func (l *Log) Close() error { return l.file.Close() }
