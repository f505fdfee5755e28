package audit

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/gofrs/flock"

	"github.com/losscorr/losscorr/internal/files"
)

// DecisionLog appends to decisions.csv. It holds a lock on the file until Close, which
// the system releases when the process dies.
type DecisionLog struct {
	// Repaired says what was repaired of the file when it was opened, and where its copy
	// is; "" if nothing was.
	Repaired string

	path  string
	file  *os.File
	named bool  // the file has the columns of reviewers
	size  int64 // of the file as this process knows it
	locks []*flock.Flock
}

// Decide opens decisions.csv for appending, and returns the decisions that it holds. A last
// line that is cut off is removed and line ends of CR alone are replaced, after the file has
// been copied to decisions.csv.before-repair-N. It is an error if another process has it open.
func (f *Folder) Decide() (*DecisionLog, []Decision, error) {
	log := &DecisionLog{path: f.Path(DecisionsFile)}
	if err := log.hold(log.path); err != nil {
		return nil, nil, fmt.Errorf("open the decisions: %w", err)
	}
	list, err := log.open()
	if err != nil {
		return nil, nil, fmt.Errorf("open the decisions: %w", errors.Join(err, log.Close()))
	}
	return log, list, nil
}

// hold locks a file until Close.
func (l *DecisionLog) hold(path string) error {
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
	free, err := lock.TryLock()
	if err == nil && !free {
		err = fmt.Errorf("%s: another losscorr review is open on this folder", l.path)
	}
	if err == nil {
		l.locks = append(l.locks, lock)
	}
	return err
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
	l.size, l.named = int64(len(now.lines)), now.named
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
		l.Repaired = fmt.Sprintf("the last line of %s is cut off (%.60q) and was removed; the file as it was: %s", l.path,
			cut, copied)
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
	for _, d := range decisions {
		if err := d.check(); err != nil {
			return fmt.Errorf("save the decision: %w", err)
		}
		if (d.Reviewer != "" || d.Settles) && !l.named {
			if err := l.widen(); err != nil {
				return fmt.Errorf("save the decision: give %s the columns of reviewers: %w", l.path, err)
			}
		}
	}
	var records [][]string
	for _, d := range decisions {
		records = append(records, d.record(l.named))
	}
	if err := l.write(records...); err != nil {
		return fmt.Errorf("save the decision: %w", err)
	}
	return nil
}

// widen gives the file the columns of reviewers. A new file takes the place of the old one at once; both
// are locked until Close, so that no other review opens either.
func (l *DecisionLog) widen() (err error) {
	if err := l.unchanged(); err != nil {
		return err
	}
	now, err := readDecisions(l.path)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	_ = w.Write(reviewersHeader) // to a buffer
	for _, d := range now.list {
		_ = w.Write(d.record(true))
	}
	w.Flush()
	wide := l.path + ".new"
	if err := l.hold(wide); err != nil {
		return err
	}
	file, err := os.OpenFile(wide, os.O_RDWR|os.O_APPEND|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = file.Write(text.Bytes())
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		err = os.Rename(wide, l.path)
	}
	if err != nil {
		return errors.Join(err, file.Close(), os.Remove(wide))
	}
	_ = l.file.Close() // all of it was read
	l.file, l.size, l.named = file, int64(text.Len()), true
	return files.Sync(l.path) // its name: the lines that follow are in it
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
	own, err := l.file.Stat()
	if err != nil {
		return err
	}
	now, err := os.Stat(l.path)
	if err != nil || !os.SameFile(own, now) || now.Size() != l.size {
		return fmt.Errorf("%s was changed, replaced or removed by another program since this review began: end this review "+
			"with Ctrl-C and start it again: it reads the file as it is then", l.path)
	}
	return nil
}

// Close releases the file.
func (l *DecisionLog) Close() error {
	var err error
	if l.file != nil {
		err = l.file.Close()
	}
	for _, lock := range l.locks {
		err = errors.Join(err, lock.Unlock())
	}
	return err
}
