package store

import (
	"fmt"
	"os"
	"strings"

	"github.com/losscorr/losscorr/internal/files"
)

// Log opens the run's log for appending.
func (f *Folder) Log() (*os.File, error) {
	file, err := os.OpenFile(f.Path(LogFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("run %s: open its log: %w", f.ID, err)
	}
	return file, nil
}

// LogTail returns the last lines of the run's log, none if it cannot be read.
func (f *Folder) LogTail() []string {
	const most = 20
	text, err := files.Read(f.Path(LogFile), mostText)
	if err != nil {
		return nil
	}
	tail := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return tail[max(0, len(tail)-most):]
}
