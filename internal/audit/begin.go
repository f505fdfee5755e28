package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/shell"
)

// ErrBusy is returned for a folder in which another audit is running.
var ErrBusy = errors.New("another audit is running in this folder")

// lockFile is locked while an audit runs in its folder.
const lockFile = ".lock"

// UsageError means that what was asked for does not suit the data or the folder.
type UsageError struct{ Text string }

// Error returns the text.
func (e *UsageError) Error() string { return e.Text }

// Lock makes the folder and locks it until Unlock or the end of the process. The error is
// ErrBusy if another audit is running in it.
func (f *Folder) Lock() error {
	if f.lock != nil {
		return nil // locked by f already
	}
	if err := f.make(); err != nil {
		return err
	}
	lock, err := files.TryLock(f.Path(lockFile))
	if err == nil && lock == nil {
		err = fmt.Errorf("%s: %w: wait until it ends, or choose another folder with --out", f.dir, ErrBusy)
	}
	f.lock = lock
	return err
}

// Unlock releases the folder.
func (f *Folder) Unlock() error {
	lock := f.lock
	f.lock = nil
	if lock == nil {
		return nil
	}
	return lock.Unlock()
}

// schema is the version of source.json.
const schema = 1

// begun is source.json, the first file that an audit writes.
type begun struct {
	Schema int            `json:"schema"` // 1
	Source own.Source     `json:"source"`
	Files  []dataset.File `json:"files"` // of the source when the audit began
}

// CheckSource returns a *UsageError if the folder has a begun or finished audit of
// other data, with other decisions and networks.
func (f *Folder) CheckSource(s own.Source) error {
	var sources []own.Source
	if old, err := f.Summary(); err == nil {
		sources = append(sources, old.Source)
	}
	if data, err := f.read(SourceFile); err == nil {
		var b begun
		if err := json.NewDecoder(bytes.NewReader(data)).Decode(&b); err != nil || b.Schema != schema {
			return f.damaged(SourceFile, "not written by an audit: choose another folder with --out")
		}
		sources = append(sources, b.Source)
	} else if !errors.Is(err, dataset.ErrData) {
		return err
	}
	for _, old := range sources {
		if dataOf(old) != dataOf(s) {
			return &UsageError{fmt.Sprintf("%s holds the audit of %s: choose another folder with --out", f.dir, dataOf(old))}
		}
	}
	return nil
}

// Begin writes source.json: the source, and the files it was read from.
func (f *Folder) Begin(s own.Source, files []dataset.File) error {
	if err := f.CheckSource(s); err != nil {
		return err
	}
	data, err := json.MarshalIndent(begun{Schema: schema, Source: s, Files: files}, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", f.Path(SourceFile), err)
	}
	return f.write(SourceFile, append(data, '\n'))
}

// dataOf names the data, the labels and the id column of a source. They are the same for
// all audits in one folder.
func dataOf(s own.Source) string {
	if s.Label == "label" { // the default
		s.Label = ""
	}
	text := s.Path
	for _, flag := range []struct{ name, value string }{{"labels", s.Labels}, {"label", s.Label}, {"id", s.ID}} {
		if flag.value != "" {
			text += " --" + flag.name + " " + shell.Word(flag.value)
		}
	}
	return strings.TrimSpace(text)
}
