package audit

import (
	"errors"

	"github.com/losscorr/losscorr/internal/dataset"
)

// WriteUnreadable writes unreadable.csv, the unusable files and labels of the data, or nothing if there are none.
func (f *Folder) WriteUnreadable(list []dataset.Skipped) error {
	if len(list) == 0 {
		return nil
	}
	return writeTable(f, UnreadableFile, list, func(s dataset.Skipped) []string { return []string{s.Name, s.Why} })
}

// shownBad is the number of files in the text of TooManyBad.
const shownBad = 5

// TooManyBad lists unusable files of the data in unreadable.csv, and returns an error that names the first ones.
func (f *Folder) TooManyBad(bad []dataset.Skipped, data string) error {
	n := len(bad)
	return errors.Join(dataset.Errorf("%s: %d files or labels are missing, broken or without a match: fix or remove "+
		"them, or leave them out with --max-bad %d: %s (all: %s)", data, n, n,
		dataset.ListSkipped(bad, shownBad), f.Path(UnreadableFile)), f.WriteUnreadable(bad))
}
