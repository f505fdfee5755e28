package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/losscorr/losscorr/internal/files"
)

// savingDir holds the files of an audit until all are written.
const savingDir = ".saving"

// Replace replaces the files of the folder by those that fill writes into another one. All are written
// beside the old ones first, so that a full disk leaves the old result whole. Then the old summary.json
// and report.html go, which would describe other files, with the files that not every audit writes, and
// the new summary.json comes last.
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
	for _, name := range append([]string{SummaryFile, ReportFile}, sometimes...) {
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
var saved = []string{ConsensusFile, AnswersFile, AnnotatorsFile, AnnotatorsTFile, LikelihoodsFile, AskFile, DuplicatesFile, UnreadableFile, IssuesFile, TransitionFile, ProbabilitiesFile, NoisyFile, LabelsFile, SumsFile, SummaryFile}

// sometimes are the files that not every audit writes: none has the hashes of numbers, nor
// T-hat where the networks are too weak, nor the people where there are no answers of several, nor ask.csv where nobody asks for it, nor
// duplicates.csv and unreadable.csv where there are no such examples.
var sometimes = []string{SumsFile, TransitionFile, ConsensusFile, AnswersFile, AnnotatorsFile, AnnotatorsTFile, LikelihoodsFile, AskFile, DuplicatesFile, UnreadableFile}
