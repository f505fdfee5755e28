package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/losscorr/losscorr/internal/files"
)

// savingDir holds the files of an audit until all are written.
const savingDir = ".saving"

// Replace replaces the files of the folder with those that fill writes into another one. It writes all of them first,
// so that a full disk does not damage the old result. Then it removes the old files, first summary.json and
// report.html, which describe the others, and moves the new ones into their place, summary.json last. A table that no
// audit wrote stays, and is an error if a new one has its name.
func (f *Folder) Replace(fill func(next *Folder) error) (err error) {
	next := At(f.Path(savingDir))
	if err := os.RemoveAll(next.dir); err != nil { // left by a killed process
		return fmt.Errorf("save the audit: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(next.dir)) }()
	if err := next.make(); err != nil {
		return err
	}
	if err := fill(next); err != nil {
		return err
	}
	old := []string{SummaryFile, ReportFile}
	for _, name := range saved {
		if err := f.Spare(name); err == nil {
			old = append(old, name)
		} else if _, failed := os.Stat(next.Path(name)); failed == nil {
			return err
		}
	}
	for _, name := range old {
		if err := os.Remove(f.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("replace the audit: %w", err)
		}
	}
	for _, name := range slices.Backward(saved) {
		err := os.Rename(next.Path(name), f.Path(name))
		if errors.Is(err, fs.ErrNotExist) { // not every audit writes all of them
			continue
		}
		if err == nil {
			err = files.Sync(f.Path(name))
		}
		if err != nil {
			return fmt.Errorf("replace the audit: %w", err)
		}
	}
	return nil
}

// saved are the files of an audit, summary.json first.
var saved = slices.Concat(Results, []string{UnreadableFile}, CrowdResults)

// Free returns an error if a user's output file exists, or has the name of one of the audit's files.
func (f *Folder) Free(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s exists: choose another file", path)
	}
	here, err := os.Stat(f.dir)
	if err != nil {
		return fmt.Errorf("the folder of the audit: %w", err)
	}
	names := slices.Concat(saved, []string{DecisionsFile, ConflictsFile, SourceFile, AcceptanceFile})
	if in, err := os.Stat(filepath.Dir(path)); err == nil && os.SameFile(here, in) &&
		slices.Contains(names, filepath.Base(path)) {
		return fmt.Errorf("%s has the name of one of the audit's files: choose another name", path)
	}
	return nil
}
