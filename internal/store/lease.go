package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/losscorr/losscorr/internal/files"
)

// DefaultLeaseTime is how long the owner of a run's folder may give no sign of life before another process takes the
// run over.
const DefaultLeaseTime = time.Minute

// beatsPerLease is the number of signs of life that an owner gives per lease time, so a few may be late.
const beatsPerLease = 6

// mostLease is the maximum size of a lease file, in bytes.
const mostLease = 1 << 20

// leasePrefix begins the names of lease files: lease.1, lease.2, ...
const leasePrefix = "lease."

// lease is the right to write into a run's folder. It works on any file system with exclusive creation of files: the
// file lease.N with the highest N names the owner, and creating lease.N+1 takes the run over. The file has two lines:
// the owner as JSON, and a counter that changes while the owner is alive.
//
// An owner checks its lease before each write. Another process may still take over between the check and the write, for
// example if the owner was suspended for a minute. Both then write whole files with the same content, since runs are
// reproducible.
type lease struct {
	dir        string
	generation int
	head       []byte        // first line
	interval   time.Duration // between signs of life
	lost       chan struct{} // closed when another process has taken over
	stop, done chan struct{}
	once       sync.Once
	slow       func() // of the Watch
}

// Watch is what one process has seen of a lease. It uses the process's monotonic clock, so wrong wall clocks and file
// times do no harm.
type Watch struct {
	generation int
	text       []byte
	owner      owner
	since      time.Time // when text was first seen
	changed    bool      // the owner has given a sign of life since
	slow       func()    // called before each use of the lease's files; only in the test of a slow file system
}

// Look reports whether the lease of a folder may be taken over. An owner that gives signs of life less often than limit
// needs gets more time.
func (w *Watch) Look(dir string, limit time.Duration) (free bool, err error) {
	generation, err := highest(dir, w.slow)
	if err != nil || generation == 0 {
		w.generation = 0
		return err == nil, err
	}
	text, err := files.Read(leasePath(dir, generation), mostLease)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // a new owner is removing old leases
	}
	if err != nil {
		return false, fmt.Errorf("read a lease: %w", err)
	}
	if generation != w.generation || !bytes.Equal(text, w.text) {
		w.changed = generation == w.generation && w.text != nil
		head, _, _ := bytes.Cut(text, []byte("\n"))
		var o owner
		if json.Unmarshal(head, &o) != nil {
			o = owner{} // a lease that is being written or is incomplete
		}
		w.generation, w.text, w.owner, w.since = generation, text, o, time.Now()
	}
	return bytes.HasSuffix(text, freeLine) || w.owner.dead(me()) || time.Since(w.since) >= w.owner.patience(limit), nil
}

// Alive reports whether the owner has shown that it is alive.
func (w *Watch) Alive() bool {
	if w.changed {
		return true
	}
	return w.owner.here(me()) && !w.owner.dead(me())
}

// Owner returns the process and machine of the last owner seen.
func (w *Watch) Owner() string { return w.owner.String() }

// WatchInterval returns the time to wait between calls of Look for a lease, short enough to see every sign of life.
func WatchInterval(lease time.Duration) time.Duration { return lease / (2 * beatsPerLease) }

// beatLine is the counter's line. freeLine, which has the same length, replaces it when the owner releases the lease.
const beatLine = "%012d\n"

var freeLine = []byte("free        \n")

// take takes a lease that w found to be free. It reports false if another process was faster.
func (w *Watch) take(dir string, limit time.Duration) (*lease, bool, error) {
	interval := max(limit/beatsPerLease, time.Millisecond)
	self := newOwner()
	self.Interval = interval.Seconds()
	head, err := json.Marshal(self)
	if err != nil {
		return nil, false, fmt.Errorf("encode a lease: %w", err)
	}
	l := &lease{
		dir: dir, generation: w.generation + 1, head: append(head, '\n'), interval: interval,
		lost: make(chan struct{}), stop: make(chan struct{}), done: make(chan struct{}), slow: w.slow,
	}
	file, err := os.OpenFile(l.path(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("make a lease: %w", err)
	}
	_, err = file.Write(fmt.Appendf(l.head, beatLine, 0))
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(l.path()) // nobody has seen a complete lease in it
		return nil, false, fmt.Errorf("write a lease: %w", err)
	}
	// Since w looked, another process may have taken, released and removed this generation; then a later one exists.
	if err := l.check(); err != nil {
		_ = os.Remove(l.path())
		if errors.Is(err, ErrTaken) {
			err = nil
		}
		return nil, false, err
	}
	for n := w.generation; n > 0 && os.Remove(leasePath(dir, n)) == nil; n-- {
	}
	go l.beat()
	return l, true, nil
}

func leasePath(dir string, generation int) string {
	return filepath.Join(dir, leasePrefix+strconv.Itoa(generation))
}

func (l *lease) path() string { return leasePath(l.dir, l.generation) }

// highest returns the newest generation of the leases in a folder, or 0. It lists the folder because
// network file systems may cache for a while that a file does not exist.
func highest(dir string, slow func()) (int, error) {
	if slow != nil {
		slow()
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, fmt.Errorf("look for a lease: %w", err)
	}
	top := 0
	for _, e := range entries {
		if text, ok := strings.CutPrefix(e.Name(), leasePrefix); ok {
			if n, err := strconv.Atoi(text); err == nil {
				top = max(top, n)
			}
		}
	}
	return top, nil
}

// beat gives signs of life until the lease ends.
func (l *lease) beat() {
	defer close(l.done)
	tick := time.NewTicker(l.interval)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-l.stop:
			return
		case <-tick.C:
		}
		if errors.Is(l.check(), ErrTaken) {
			close(l.lost)
			return
		}
		// A failed write is tried again at the next tick; the next check finds out whether another process took over.
		_ = l.mark(fmt.Appendf(nil, beatLine, n))
	}
}

// mark replaces the second line.
func (l *lease) mark(line []byte) error {
	if l.slow != nil {
		l.slow()
	}
	file, err := os.OpenFile(l.path(), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(line, int64(len(l.head)))
	return errors.Join(err, file.Close())
}

// check returns ErrTaken if another process has the lease now.
func (l *lease) check() error {
	top, err := highest(l.dir, l.slow)
	if err != nil {
		return err
	}
	if top != l.generation {
		return ErrTaken
	}
	return nil
}

// release releases the lease. If it cannot be marked as free, others can take it once this process has ended.
func (l *lease) release() {
	l.once.Do(func() {
		close(l.stop)
		<-l.done
		if l.check() == nil {
			_ = l.mark(freeLine)
		}
	})
}
