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

// DefaultLeaseTime is how long the owner of a run's folder may give no sign of
// life before another process takes the run over.
const DefaultLeaseTime = time.Minute

// beatsPerLease is how many signs of life an owner gives in a lease's time, so
// that a few may be late.
const beatsPerLease = 6

// leasePrefix begins the names of lease files: lease.1, lease.2, ...
const leasePrefix = "lease."

// lease is the right to write into a run's folder, on any file system that
// creates a file once: the file lease.N of the highest N names the owner, and
// creating lease.N+1 takes the run over. Two lines are in it, who the owner is,
// as JSON, and a counter, by whose change others see that the owner lives.
//
// An owner looks whether it still is one before whatever it writes. Between the
// look and the write another may still take over, after a pause of a minute, say:
// then both write whole files of the same content, for runs are reproducible.
type lease struct {
	dir        string
	generation int
	head       []byte // first line
	time       time.Duration
	lost       chan struct{} // closed when another has taken over
	stop, done chan struct{}
	once       sync.Once
}

// Watch is what one process has seen of a lease, by its own steady clock: wrong
// clocks, here or there, and times of files do not matter.
type Watch struct {
	generation int
	text       []byte
	owner      owner
	since      time.Time // when text was first seen
	changed    bool      // the owner has given a sign of life since
}

// Look reports whether the lease of a folder may be taken over.
func (w *Watch) Look(dir string, limit time.Duration) (free bool, err error) {
	generation, err := highest(dir)
	if err != nil || generation == 0 {
		w.generation = 0
		return err == nil, err
	}
	text, err := os.ReadFile(leasePath(dir, generation))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // a new owner is clearing up
	}
	if err != nil {
		return false, fmt.Errorf("read a lease: %w", err)
	}
	if generation != w.generation || !bytes.Equal(text, w.text) {
		w.changed = generation == w.generation && w.text != nil
		head, _, _ := bytes.Cut(text, []byte("\n"))
		var o owner
		if json.Unmarshal(head, &o) != nil {
			o = owner{} // one that is being written, or was cut short
		}
		w.generation, w.text, w.owner, w.since = generation, text, o, time.Now()
	}
	return bytes.HasSuffix(text, freeLine) || w.owner.dead(me()) || time.Since(w.since) >= limit, nil
}

// Alive reports whether the owner was seen to be alive.
func (w *Watch) Alive() bool {
	if w.changed {
		return true
	}
	return w.owner.here(me()) && !w.owner.dead(me())
}

// Owner names the owner that was seen last: its process and machine.
func (w *Watch) Owner() string { return w.owner.String() }

// WatchInterval is how often to look at a lease of that time, so that none of its
// owner's signs of life is missed.
func WatchInterval(lease time.Duration) time.Duration { return lease / (2 * beatsPerLease) }

// beatLine is the counter; freeLine, as long, stands in its place when the owner
// has let go.
const beatLine = "%012d\n"

var freeLine = []byte("free        \n")

// take takes the lease of a folder that w has found to be free. It reports false
// where another was faster.
func (w *Watch) take(dir string, limit time.Duration) (*lease, bool, error) {
	head, err := json.Marshal(newOwner())
	if err != nil {
		return nil, false, fmt.Errorf("encode a lease: %w", err)
	}
	l := &lease{
		dir: dir, generation: w.generation + 1, head: append(head, '\n'), time: limit,
		lost: make(chan struct{}), stop: make(chan struct{}), done: make(chan struct{}),
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
		_ = os.Remove(l.path()) // nobody has taken it for one that lasts
		return nil, false, fmt.Errorf("write a lease: %w", err)
	}
	// Another may have taken this generation, let go of it and cleared it up
	// since w looked: then a later one is there.
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

// highest is the newest generation of the leases in a folder, 0 where there is
// none. The folder is read as a whole: network file systems remember for a while
// that a file was not there.
func highest(dir string) (int, error) {
	files.Delay()
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
	tick := time.NewTicker(l.time / beatsPerLease)
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
		// One that cannot be written now can be later, and the next check tells
		// if another took the silence for the end.
		_ = l.mark(fmt.Appendf(nil, beatLine, n))
	}
}

// mark replaces the second line.
func (l *lease) mark(line []byte) error {
	files.Delay()
	file, err := os.OpenFile(l.path(), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(line, int64(len(l.head)))
	return errors.Join(err, file.Close())
}

// check is ErrTaken where the lease is another's by now.
func (l *lease) check() error {
	top, err := highest(l.dir)
	if err != nil {
		return err
	}
	if top != l.generation {
		return ErrTaken
	}
	return nil
}

// release lets go of the lease. One that cannot be marked as free is taken over
// once the process has ended.
func (l *lease) release() {
	l.once.Do(func() {
		close(l.stop)
		<-l.done
		if l.check() == nil {
			_ = l.mark(freeLine)
		}
	})
}
