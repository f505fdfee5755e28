package audit

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/gofrs/flock"

	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/rows"
)

// DecisionLog appends to decisions.csv. It holds a lock on the file until Close, which
// the system releases when the process dies.
type DecisionLog struct {
	// Repaired says what was repaired of the file when it was opened, and where its copy
	// is; "" if nothing was.
	Repaired string

	path string
	file *os.File
	size int64 // of the file as this process knows it
	lock *flock.Flock
}

// Decide opens decisions.csv for appending, and returns the decisions that it holds. A last
// line that is cut off is removed and line ends of CR alone are replaced, after the file has
// been copied to decisions.csv.before-repair-N. It is an error if another process has it open.
func (f *Folder) Decide() (*DecisionLog, []Decision, error) {
	log := &DecisionLog{path: f.Path(DecisionsFile)}
	log.lock = flock.New(log.path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
	free, err := log.lock.TryLock()
	if err == nil && !free {
		err = fmt.Errorf("%s: another losscorr review is open on this folder", log.path)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open the decisions: %w", err)
	}
	list, err := log.open()
	if err != nil {
		return nil, nil, fmt.Errorf("open the decisions: %w", errors.Join(err, log.Close()))
	}
	return log, list, nil
}

func (l *DecisionLog) open() ([]Decision, error) {
	now, err := readDecisions(l.path)
	if err != nil {
		return nil, err
	}
	if l.file, err = os.OpenFile(l.path, os.O_RDWR|os.O_APPEND, 0); err != nil {
		return nil, err
	}
	if err := l.repair(now); err != nil {
		return nil, err
	}
	l.size = int64(len(now.lines))
	switch {
	case l.size == 0:
		err = l.write(decisionsHeader)
	case now.lines[l.size-1] != '\n':
		var n int
		n, err = l.file.WriteString("\n")
		l.size += int64(n)
	}
	return now.list, err
}

// repair makes the file hold the lines that were read of it.
func (l *DecisionLog) repair(now decisionsFile) error {
	if bytes.Equal(now.raw, now.lines) {
		return nil
	}
	copied, err := l.copy(now.raw)
	if err != nil {
		return fmt.Errorf("copy %s before it is repaired: %w", l.path, err)
	}
	if n := len(now.lines); !bytes.Equal(now.raw[:n], now.lines) {
		l.Repaired = fmt.Sprintf("%s had line ends of CR alone, which are replaced; the file as it was: %s", l.path, copied)
		file, err := os.OpenFile(l.path, os.O_WRONLY, 0) // not to append
		if err != nil {
			return err
		}
		_, err = file.WriteAt(now.lines, 0)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	if cut := now.raw[len(now.lines):]; len(cut) > 0 {
		l.Repaired = fmt.Sprintf("the last line of %s is cut off (%.60q) and was removed; the file as it was: %s", l.path, cut, copied)
	}
	return errors.Join(l.file.Truncate(int64(len(now.lines))), l.file.Sync())
}

// copy saves what the file held under the first free name.
func (l *DecisionLog) copy(raw []byte) (path string, err error) {
	for n := 1; ; n++ {
		path = l.path + ".before-repair-" + strconv.Itoa(n)
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path, files.Write(path, raw, 0o666)
		} else if err != nil {
			return path, err
		}
	}
}

// Append writes decisions, all or none. It returns when they are on the disk.
func (l *DecisionLog) Append(decisions ...Decision) error {
	var records [][]string
	for _, d := range decisions {
		if err := d.check(); err != nil {
			return fmt.Errorf("save the decision: %w", err)
		}
		records = append(records, []string{rows.Cell(d.ID), rows.Cell(d.Given), rows.Cell(d.Label), string(d.Action), d.Time.UTC().Format(time.RFC3339)})
	}
	if err := l.write(records...); err != nil {
		return fmt.Errorf("save the decision: %w", err)
	}
	return nil
}

// write appends lines whole or not at all.
func (l *DecisionLog) write(records ...[]string) error {
	var b bytes.Buffer
	_ = csv.NewWriter(&b).WriteAll(records) // to a buffer
	if err := l.unchanged(); err != nil {
		return err
	}
	_, err := l.file.Write(b.Bytes())
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil { // such as of a full disk
		return errors.Join(err, l.file.Truncate(l.size))
	}
	l.size += int64(b.Len())
	return l.unchanged() // else the lines are in a file that nobody will find
}

// unchanged returns an error if the path is no longer that of the file that was opened, or
// if another program has written to it.
func (l *DecisionLog) unchanged() error {
	const advice = "end this review with Ctrl-C and start it again: it reads the file as it is then"
	own, err := l.file.Stat()
	if err != nil {
		return err
	}
	now, err := os.Stat(l.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s is no longer there: it was removed or moved since this review began: put it back if you can, %s", l.path, advice)
	case err != nil:
		return err
	case !os.SameFile(own, now):
		return fmt.Errorf("%s was replaced by another program since this review began: %s", l.path, advice)
	case now.Size() != l.size:
		return fmt.Errorf("%s was changed by another program since this review began: %s", l.path, advice)
	}
	return nil
}

// Close releases the file.
func (l *DecisionLog) Close() error {
	var err error
	if l.file != nil {
		err = l.file.Close()
	}
	return errors.Join(err, l.lock.Unlock())
}
