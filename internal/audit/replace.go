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

// Replace replaces the files of the folder by those that fill writes into another one. All are written
// beside the old ones first, so that a full disk leaves the old result whole. Then the old summary.json
// and report.html go, which would describe other files, with the old files that the audit has not written
// again, and the new summary.json comes last. A file that no audit wrote stays; it is an error where it has the
// name of one that is written.
func (f *Folder) Replace(fill func(next *Folder) error) (err error) {
	next := At(f.Path(savingDir))
	if err := os.RemoveAll(next.dir); err != nil { // of a process that was killed
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
	for name := range optional {
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
		if slices.Contains(sometimes, name) && errors.Is(err, fs.ErrNotExist) {
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

// saved are the files that Replace replaces, in this order.
var saved = []string{ConsensusFile, AnswersFile, AnnotatorsFile, AnnotatorsTFile, LikelihoodsFile, AskFile,
	DuplicatesFile, UnreadableFile, IssuesFile, TransitionFile, ProbabilitiesFile, NoisyFile, LabelsFile, SumsFile,
	SummaryFile}

// sometimes are the files that not every audit writes: none has the hashes of numbers, nor
// T-hat where the networks are too weak, nor the people where there are no answers of several, nor ask.csv where nobody
// asks for it, nor duplicates.csv and unreadable.csv where there are no such examples.
var sometimes = []string{SumsFile, TransitionFile, ConsensusFile, AnswersFile, AnnotatorsFile, AnnotatorsTFile,
	LikelihoodsFile, AskFile, DuplicatesFile, UnreadableFile}

// optional are the tables among them, with their columns, by which those of an audit are told from files that
// people have put into the folder.
var optional = map[string][]string{
	ConsensusFile: consensusHeader, AnswersFile: answersHeader, AnnotatorsFile: annotatorsHeader, AskFile: askHeader,
	DuplicatesFile: duplicatesHeader, UnreadableFile: unreadableHeader,
}

// Spare returns an error if the folder has a table of the name that no audit wrote.
func (f *Folder) Spare(name string) error {
	columns, ok := optional[name]
	if _, err := os.Lstat(f.Path(name)); err != nil || !ok || hasHeader(f.Path(name), columns) {
		return nil //nolint:nilerr // there is nothing to replace
	}
	return fmt.Errorf("the audit would replace %s, which no audit wrote: move it away, or choose another folder "+
		"with --out", f.Path(name))
}

// Free returns an error if a file that people name is there, or would have the name of one of the audit's files.
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
		return fmt.Errorf("%s has the name of a file of the audit: choose another one", path)
	}
	return nil
}
