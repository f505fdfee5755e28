package audit

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/rows"
	"github.com/losscorr/losscorr/store"
)

// Action is what a person has done with an example.
type Action string

// The actions. The last one of an example counts.
const (
	Accept    Action = "accept"    // the given label is right
	Suggested Action = "suggested" // the suggested label is right
	Other     Action = "other"     // another label is right
	Skip      Action = "skip"      // the person does not know
	Undo      Action = "undo"      // the example is undecided again
)

// Decision is a line of decisions.csv.
type Decision struct {
	ID     string
	Given  string // label of the data; empty where it is not known
	Label  string // that is right; empty for Skip and Undo
	Action Action
	Time   time.Time // in seconds
}

// Decides reports whether the decision names the right label.
func (d Decision) Decides() bool { return d.Label != "" }

// Holds reports whether the decision is on an example whose label is given now: it was
// then, or has been corrected to the right one. Where it is neither, the name is that of
// another example by now.
func (d Decision) Holds(given string) bool {
	return d.Given == "" || given == d.Given || given == d.Label
}

// check returns why a line of decisions.csv cannot be understood.
func (d Decision) check() error {
	if strings.ContainsAny(d.ID+d.Given+d.Label, "\r\n") {
		return fmt.Errorf("example %q: a name with a line end", d.ID)
	}
	switch d.Action {
	case Accept, Suggested, Other:
		if d.Label == "" {
			return fmt.Errorf("example %q: decision %q without a label", d.ID, d.Action)
		}
		if (d.Action == Accept) != (d.Label == d.Given) {
			return fmt.Errorf("example %q: decision %q with the label %q where %q is given", d.ID, d.Action, d.Label, d.Given)
		}
	case Skip, Undo:
		if d.Label != "" {
			return fmt.Errorf("example %q: decision %q with a label", d.ID, d.Action)
		}
	default:
		return fmt.Errorf("example %q: unknown decision %q", d.ID, d.Action)
	}
	return nil
}

var decisionsHeader = []string{"id", "given", "label", "decision", "time"}

// ReadDecisions reads a decisions.csv, every line in the order of the file. A last line
// that has no end, which a process killed while writing leaves, is not read. Without a
// file there are no decisions.
func ReadDecisions(path string) ([]Decision, error) {
	list, _, err := readDecisions(path)
	return list, err
}

// readDecisions also returns the length of the lines that are whole; the last one may lack its
// line end, as some editors leave it.
func readDecisions(path string) (list []Decision, whole int64, err error) {
	data, err := files.Read(path, 1<<30)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the decisions: %w", err)
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	bad := func(line int, err error) error {
		return fmt.Errorf("%w: %s: line %d: %w", store.ErrData, path, line, err)
	}
	for n := 0; ; n++ {
		record, err := r.Read()
		end := r.InputOffset()
		if errors.Is(err, io.EOF) {
			return list, whole, nil
		}
		// No name has a line end, so what follows the last line end is torn unless it is a
		// whole decision. Any other damage is an error, so that nothing a person wrote is cut off.
		if !bytes.Contains(data[whole:], []byte("\n")) {
			if d, broken := parseDecision(record); err == nil && broken == nil && n > 0 {
				list, whole = append(list, d), end
			}
			return list, whole, nil
		}
		if err != nil {
			return nil, 0, fmt.Errorf("%w: %s: %w", store.ErrData, path, err)
		}
		line, _ := r.FieldPos(0)
		switch {
		case n == 0 && !slices.Equal(record, decisionsHeader):
			return nil, 0, bad(line, fmt.Errorf("the header is not %q", strings.Join(decisionsHeader, ",")))
		case n > 0:
			d, err := parseDecision(record)
			if err != nil {
				return nil, 0, bad(line, err)
			}
			list = append(list, d)
		}
		whole = end
	}
}

// parseDecision reads a line of decisions.csv.
func parseDecision(record []string) (Decision, error) {
	if len(record) != len(decisionsHeader) {
		return Decision{}, fmt.Errorf("%d columns, want %d", len(record), len(decisionsHeader))
	}
	d := Decision{ID: rows.Original(record[0]), Given: rows.Original(record[1]), Label: rows.Original(record[2]), Action: Action(record[3])}
	var err error
	d.Time, err = time.Parse(time.RFC3339, record[4])
	return d, errors.Join(err, d.check())
}

// TrustedLabels returns the decisions that name labels, by the names of the examples: each
// example's last one. A skipped or undone example has none.
func TrustedLabels(decisions []Decision) map[string]Decision {
	labels := make(map[string]Decision)
	for _, d := range decisions {
		delete(labels, d.ID)
		if d.Decides() {
			labels[d.ID] = d
		}
	}
	return labels
}

// DecisionLog appends to decisions.csv. It holds a lock on the file until Close, which
// the system releases when the process dies.
type DecisionLog struct {
	file *os.File
	lock *flock.Flock
}

// Decide opens decisions.csv for appending, and returns the decisions that it holds. A
// torn last line is cut off. It is an error if another process has it open.
func (f *Folder) Decide() (*DecisionLog, []Decision, error) {
	path := f.Path(DecisionsFile)
	fail := func(err error) (*DecisionLog, []Decision, error) {
		return nil, nil, fmt.Errorf("open the decisions: %w", err)
	}
	log := &DecisionLog{lock: flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))}
	free, err := log.lock.TryLock()
	if err == nil && !free {
		err = fmt.Errorf("%s: another losscorr review is open on this folder", path)
	}
	if err != nil {
		return fail(err)
	}
	list, whole, err := readDecisions(path)
	if err == nil {
		log.file, err = os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	}
	if err == nil {
		err = log.end(whole)
	}
	if err == nil && whole == 0 {
		err = log.write(decisionsHeader)
	}
	if err != nil {
		return fail(errors.Join(err, log.Close()))
	}
	return log, list, nil
}

// end cuts off what follows the whole lines and ends the last of them.
func (l *DecisionLog) end(whole int64) error {
	if err := l.file.Truncate(whole); err != nil || whole == 0 {
		return err
	}
	var last [1]byte
	_, err := l.file.ReadAt(last[:], whole-1)
	if err == nil && last[0] != '\n' {
		_, err = l.file.WriteString("\n")
	}
	return err
}

// Append writes a decision. It returns when the line is on the disk.
func (l *DecisionLog) Append(d Decision) error {
	err := d.check()
	if err == nil {
		err = l.write([]string{rows.Cell(d.ID), rows.Cell(d.Given), rows.Cell(d.Label), string(d.Action), d.Time.UTC().Format(time.RFC3339)})
	}
	if err != nil {
		return fmt.Errorf("save the decision: %w", err)
	}
	return nil
}

// write appends a line whole or not at all.
func (l *DecisionLog) write(record []string) error {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(record) // to a buffer
	w.Flush()
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	if _, err = l.file.Write(b.Bytes()); err == nil {
		err = l.file.Sync()
	}
	if err != nil { // such as of a full disk
		err = errors.Join(err, l.file.Truncate(info.Size()))
	}
	return err
}

// Close releases the file.
func (l *DecisionLog) Close() error {
	var err error
	if l.file != nil {
		err = l.file.Close()
	}
	return errors.Join(err, l.lock.Unlock())
}
