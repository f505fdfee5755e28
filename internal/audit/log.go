package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/files"
)

// Log is the content of decisions.jsonl.
type Log struct {
	Answers []Decision // oldest first
	Draws   Draws      // oldest first
	Plans   []Plan     // oldest first
}

// Draw is a label that was drawn for a random check. A label can be drawn more than once.
type Draw struct {
	ID     string  `json:"draw"`   // of the example
	Given  string  `json:"given"`  // its label
	Chance float64 `json:"chance"` // probability that one draw picks it
	Labels string  `json:"labels"` // hash of all names and labels at the time
}

// Plan begins the acceptance of a set of labels (checking.Acceptance). They are checked in the order of the seed,
// which was drawn after the labels and the probabilities w were fixed.
type Plan struct {
	Limit   float64   `json:"accept"`      // accept with a smaller share of wrong labels
	Reject  float64   `json:"reject"`      // reject with a larger share
	Risk    float64   `json:"risk"`        //
	Seed    uint64    `json:"seed,string"` //
	Labels  string    `json:"labels"`      // hash of the examples: names, labels and contents
	Weights string    `json:"weights"`     // hash of w, which is in acceptance.npy
	Time    time.Time `json:"time"`
}

// logSchema is the version in the first line of decisions.jsonl.
const logSchema = 1

type logHeader struct {
	Schema int `json:"schema"`
}

// Said returns all answers of people about the labels of a source, oldest first.
func (f *Folder) Said(s own.Source) ([]Decision, error) {
	log, err := f.Log()
	return log.Said(s), err
}

// Said returns the answers, with the classes named as in a source.
func (l Log) Said(s own.Source) []Decision { return withNames(slices.Clone(l.Answers), s) }

// Log reads decisions.jsonl or, if it is missing, the decisions.csv and random_checks.json of older versions.
func (f *Folder) Log() (Log, error) {
	data, err := files.Read(f.Path(DecisionsFile), 1<<32)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.readLegacy()
	case err != nil:
		return Log{}, fmt.Errorf("read the decisions: %w", err)
	}
	log, _, err := parseLog(data)
	if err != nil {
		return Log{}, f.damaged(DecisionsFile, "%w", err)
	}
	return log, nil
}

// parseLog reads decisions.jsonl, and returns the length of its complete lines. It ignores a last line without an
// end, which a killed process may leave. Any other damage is an error, since an answer could be lost.
func parseLog(data []byte) (log Log, whole int, err error) {
	for n := 1; ; n++ {
		line, _, ended := bytes.Cut(data[whole:], []byte("\n"))
		if !ended {
			return log, whole, nil
		}
		if err := log.add(line, n == 1); err != nil {
			return log, whole, fmt.Errorf("line %d: %w", n, err)
		}
		whole += len(line) + 1
	}
}

// add reads a line.
func (l *Log) add(line []byte, first bool) (err error) {
	switch {
	case first:
		var h logHeader
		if err := strict(line, &h); err != nil || h.Schema != logSchema {
			return fmt.Errorf("schema %d, want %d: written by another version of the program", h.Schema, logSchema)
		}
	case bytes.HasPrefix(line, []byte(`{"draw"`)):
		var d Draw
		if err = strict(line, &d); err == nil && !(d.Chance > 0 && d.Chance <= 1) {
			err = fmt.Errorf("example %q was drawn with probability %v", d.ID, d.Chance)
		}
		l.Draws = append(l.Draws, d)
	case bytes.HasPrefix(line, []byte(`{"accept"`)):
		var p Plan
		err = strict(line, &p)
		l.Plans = append(l.Plans, p)
	default:
		var d Decision
		if err = strict(line, &d); err == nil {
			err = d.check()
		}
		l.Answers = append(l.Answers, d)
	}
	return err
}

func strict(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// LogWriter appends to decisions.jsonl. It holds a lock on the file until Close or the death of the process.
type LogWriter struct {
	Log // the content of the file, with appended lines

	path string
	file *os.File
	size int64 // of the file after this process's last write
	lock *flock.Flock
}

// Write opens decisions.jsonl for appending, and removes a last line without an end. A new file begins with the
// content of an older version's decisions.csv and random_checks.json. It is an error if another process has the log
// open.
func (f *Folder) Write() (*LogWriter, error) {
	w := &LogWriter{path: f.Path(DecisionsFile)}
	if err := w.open(f); err != nil {
		return nil, fmt.Errorf("open the decisions: %w", errors.Join(err, w.Close()))
	}
	return w, nil
}

func (w *LogWriter) open(f *Folder) (err error) {
	if w.lock, err = files.TryLock(w.path); err != nil {
		return err
	}
	if w.lock == nil {
		return fmt.Errorf("%s: another losscorr review has this folder open: end it first", w.path)
	}
	if w.file, err = os.OpenFile(w.path, os.O_RDWR|os.O_APPEND, 0); err != nil {
		return err
	}
	data, err := files.Read(w.path, 1<<32)
	if err != nil {
		return err
	}
	log, whole, err := parseLog(data)
	if err != nil {
		return f.damaged(DecisionsFile, "%w", err)
	}
	if w.Log, w.size = log, int64(whole); whole < len(data) {
		if err := w.file.Truncate(w.size); err != nil {
			return err
		}
	}
	if whole > 0 {
		return nil
	}
	if w.Log, err = f.readLegacy(); err != nil {
		return err
	}
	return w.write(slices.Concat([]any{logHeader{logSchema}}, anys(w.Draws), anys(w.Answers)))
}

// anys returns the elements of a list as lines of the log.
func anys[T any](list []T) (lines []any) {
	for _, x := range list {
		lines = append(lines, x)
	}
	return lines
}

// Append writes answers, all or none. It returns once they are on the disk.
func (w *LogWriter) Append(answers ...Decision) error {
	for _, d := range answers {
		if err := d.check(); err != nil {
			return fmt.Errorf("save the answer: %w", err)
		}
	}
	return save(w, &w.Answers, answers...)
}

// AppendDraws writes draws, all or none.
func (w *LogWriter) AppendDraws(draws ...Draw) error { return save(w, (*[]Draw)(&w.Draws), draws...) }

// AppendPlan writes the beginning of an acceptance.
func (w *LogWriter) AppendPlan(p Plan) error { return save(w, &w.Plans, p) }

// save appends lines to the file and then to a list of the log.
func save[T any](w *LogWriter, list *[]T, lines ...T) error {
	if err := w.write(anys(lines)); err != nil {
		return fmt.Errorf("save in %s: %w", w.path, err)
	}
	*list = append(*list, lines...)
	return nil
}

// write appends lines whole or not at all.
func (w *LogWriter) write(lines []any) error {
	if len(lines) == 0 {
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, line := range lines {
		if err := e.Encode(line); err != nil {
			return err
		}
	}
	if err := w.unchanged(); err != nil {
		return err
	}
	_, err := w.file.Write(b.Bytes())
	if err == nil {
		err = w.file.Sync()
	}
	if err != nil { // such as a full disk
		return errors.Join(err, w.file.Truncate(w.size))
	}
	w.size += int64(b.Len())
	return w.unchanged() // otherwise the lines may be in a deleted file
}

// unchanged returns an error if the path names another file by now, or if another program has written to it.
func (w *LogWriter) unchanged() error {
	own, err := w.file.Stat()
	if err != nil {
		return err
	}
	now, err := os.Stat(w.path)
	if err != nil || !os.SameFile(own, now) || now.Size() != w.size {
		return fmt.Errorf("another program changed, replaced or removed %s: end this review with Ctrl-C and start it "+
			"again", w.path)
	}
	return nil
}

// Close releases the file.
func (w *LogWriter) Close() error {
	var err error
	if w.file != nil {
		err = w.file.Close()
	}
	if w.lock != nil {
		err = errors.Join(err, w.lock.Unlock())
	}
	return err
}
