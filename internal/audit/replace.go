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
// so that a full disk does not damage the old result. Then it removes the old summary.json and report.html, which
// would describe other files, and the old files that were not written again; the new summary.json comes last. A file
// that no audit wrote stays, and is an error if a new file has its name.
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
	old := []string{SummaryFile, ReportFile, SumsFile, TransitionFile}
	for name := range optionalTables {
		err := f.Spare(name)
		if err == nil {
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
	for _, name := range saved {
		err := os.Rename(next.Path(name), f.Path(name))
		if slices.Contains(optionalFiles, name) && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("replace the audit: %w", err)
		}
		if err := files.Sync(f.Path(name)); err != nil {
			return fmt.Errorf("replace the audit: %w", err)
		}
	}
	return nil
}

// saved are the files that Replace replaces, in order.
var saved = []string{ConsensusFile, AnswersFile, AnnotatorsFile, AnnotatorsTFile, LikelihoodsFile, AskFile,
	DuplicatesFile, UnreadableFile, IssuesFile, TransitionFile, ProbabilitiesFile, NoisyFile, LabelsFile, SumsFile,
	SummaryFile}

// optionalFiles are the files that not every audit writes: hashes (not for numbers), T-hat (not from weak networks),
// the files about people, ask.csv, duplicates.csv and unreadable.csv.
var optionalFiles = []string{SumsFile, TransitionFile, ConsensusFile, AnswersFile, AnnotatorsFile, AnnotatorsTFile,
	LikelihoodsFile, AskFile, DuplicatesFile, UnreadableFile}

// optionalTables are the tables among them, with their columns, which show whether an audit wrote a table or people
// put it into the folder.
var optionalTables = map[string][]string{
	ConsensusFile: consensusHeader, AnswersFile: answersHeader, AnnotatorsFile: annotatorsHeader, AskFile: askHeader,
	DuplicatesFile: duplicatesHeader, UnreadableFile: unreadableHeader,
}

// Spare returns an error if the folder has a table with this name that no audit wrote.
func (f *Folder) Spare(name string) error {
	columns, ok := optionalTables[name]
	if _, err := os.Lstat(f.Path(name)); err != nil || !ok || hasHeader(f.Path(name), columns) {
		return nil //nolint:nilerr // nothing to replace
	}
	return fmt.Errorf("the audit would replace %s, which was not written by an audit: move it away, or choose another "+
		"folder with --out", f.Path(name))
}

// Free returns an error if a user's output file exists, or has the name of one of the audit's files.
func (f *Folder) Free(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s exists: choose another file", path)
	}
	here, err := os.Stat(f.dir)
	if err != nil {
		return fmt.Errorf("the folder of the audit: %w", err)
	}
	names := slices.Concat(saved, []string{ReportFile, PeopleFile, DecisionsFile, ConflictsFile, SourceFile,
		AcceptanceFile})
	if in, err := os.Stat(filepath.Dir(path)); err == nil && os.SameFile(here, in) &&
		slices.Contains(names, filepath.Base(path)) {
		return fmt.Errorf("%s has the name of one of the audit's files: choose another name", path)
	}
	return nil
}
