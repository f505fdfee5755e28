package audit

import (
	"errors"
	"fmt"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
)

// BadError means that more files of the data are unusable than allowed.
type BadError struct {
	Bad     []dataset.Skipped // all unusable files
	Data    string
	Allowed int
}

// shownBad is the number of files in the text of a BadError.
const shownBad = 5

// Error names the first files.
func (e *BadError) Error() string {
	n, limit, more := len(e.Bad), "", ""
	if e.Allowed > 0 {
		limit = fmt.Sprintf(", more than the %d that --max-bad allows", e.Allowed)
	}
	shown := e.Bad[:min(n, shownBad)]
	if n > len(shown) {
		more = fmt.Sprintf("; and %d more", n-len(shown))
	}
	return fmt.Sprintf("%v: %s: %d files or labels are missing, broken or without a match%s: fix or remove them, or "+
		"leave them out with --max-bad %d: %s%s",
		dataset.ErrData, e.Data, n, limit, n, strings.Join(dataset.SkippedLines(shown), "; "), more)
}

// Unwrap returns dataset.ErrData.
func (e *BadError) Unwrap() error { return dataset.ErrData }

// WriteUnreadable writes unreadable.csv, the unusable files and labels of the data, or nothing if there are none.
func (f *Folder) WriteUnreadable(list []dataset.Skipped) error {
	if len(list) == 0 {
		return nil
	}
	return writeTable(f, UnreadableFile, list, func(s dataset.Skipped) []string { return []string{s.Name, s.Why} })
}

// ListBad writes unreadable.csv if err is a BadError, and adds the file's path to the error.
func (f *Folder) ListBad(err error) error {
	var bad *BadError
	if !errors.As(err, &bad) {
		return err
	}
	if failed := f.WriteUnreadable(bad.Bad); failed != nil {
		return errors.Join(err, failed)
	}
	return fmt.Errorf("%w (all: %s)", err, f.Path(UnreadableFile))
}
