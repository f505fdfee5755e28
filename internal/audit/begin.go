package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gofrs/flock"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/shell"
)

// ErrBusy is the error of a folder in which another audit is under way.
var ErrBusy = errors.New("an audit is under way in this folder")

// lockFile is locked while an audit works in its folder.
const lockFile = ".lock"

// OtherDataError says that a folder is that of an audit of other data.
type OtherDataError struct{ Dir, Data string }

// Error names the data and says what to do.
func (e *OtherDataError) Error() string {
	return fmt.Sprintf("%s has the audit of %s: choose another folder with --out", e.Dir, e.Data)
}

// Lock makes the folder and locks it until Unlock or the end of the process. The error is
// ErrBusy if another audit is under way in it.
func (f *Folder) Lock() error {
	if f.lock != nil {
		return nil // it is ours
	}
	if err := f.make(); err != nil {
		return err
	}
	lock := flock.New(f.Path(lockFile), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
	free, err := lock.TryLock()
	switch {
	case err != nil:
		return fmt.Errorf("lock the folder of the audit: %w", err)
	case !free:
		return fmt.Errorf("%s: %w: wait for it, or choose another folder with --out", f.dir, ErrBusy)
	}
	f.lock = lock
	return nil
}

// Locked reports whether the folder is locked by f.
func (f *Folder) Locked() bool { return f.lock != nil }

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

// begun is source.json, which an audit writes before anything else.
type begun struct {
	Schema int            `json:"schema"` // 1
	Source own.Source     `json:"source"`
	Files  []dataset.File `json:"files"` // of the source, as they were
}

// CheckSource returns an *OtherDataError if an audit of other data has begun or finished in
// the folder: its decisions and networks are not this one's.
func (f *Folder) CheckSource(s own.Source) error {
	var sources []own.Source
	if old, err := f.Summary(); err == nil {
		sources = append(sources, old.Source)
	}
	if data, err := f.read(SourceFile); err == nil {
		var b begun
		if err := json.NewDecoder(bytes.NewReader(data)).Decode(&b); err != nil || b.Schema != schema {
			return f.damaged(SourceFile, "no audit wrote it: choose another folder with --out")
		}
		sources = append(sources, b.Source)
	} else if !errors.Is(err, dataset.ErrData) {
		return err
	}
	for _, old := range sources {
		if dataOf(old) != dataOf(s) {
			return &OtherDataError{Dir: f.dir, Data: dataOf(old)}
		}
	}
	return nil
}

// Begin marks the folder as that of an audit of the data, which was read from files.
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

// dataOf names the data and the labels of a source, and how examples are told apart. Audits
// of one folder have the same.
func dataOf(s own.Source) string {
	if s.Label == "label" { // where none is given
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
