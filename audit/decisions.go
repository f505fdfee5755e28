package audit

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/own"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/rows"
)

// Action is what a person has done with an example.
type Action string

// The actions. The last one of an example counts.
const (
	Accept    Action = "accept"    // the given label is right
	Suggested Action = "suggested" // the suggested label is right
	Other     Action = "other"     // another label is right
	Ambiguous Action = "ambiguous" // several classes fit
	None      Action = "none"      // no class fits
	Skip      Action = "skip"      // the person does not know
	Undo      Action = "undo"      // the example is undecided again
)

// Decision is a line of decisions.csv.
type Decision struct {
	ID     string
	Given  string // label of the data; empty where it is not known
	Label  string // that is right; empty for Ambiguous, None, Skip and Undo
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
	case Ambiguous, None, Skip, Undo:
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
// that is cut off, which a process killed while writing leaves, is not read. Lines may end
// in CR alone, as old spreadsheets on a Mac write them. Without a file there are no
// decisions.
func ReadDecisions(path string) ([]Decision, error) {
	file, err := readDecisions(path)
	return file.list, err
}

// decisionsFile is a decisions.csv as it was read.
type decisionsFile struct {
	list  []Decision
	raw   []byte // the file
	lines []byte // raw with a line feed at the end of each line, without the last line if it is cut off
}

func readDecisions(path string) (file decisionsFile, err error) {
	file.raw, err = files.Read(path, 1<<30)
	if errors.Is(err, fs.ErrNotExist) {
		return decisionsFile{}, nil
	}
	if err != nil {
		return decisionsFile{}, fmt.Errorf("read the decisions: %w", err)
	}
	file.lines = file.raw
	if !bytes.Contains(file.raw, []byte("\n")) { // no name has a line end
		file.lines = bytes.ReplaceAll(file.raw, []byte("\r"), []byte("\n"))
	}
	whole, err := file.parse()
	if err != nil {
		return decisionsFile{}, dataset.Errorf("%s: %w", path, err)
	}
	file.lines = file.lines[:whole]
	return file, nil
}

// parse reads the lines and returns the length of those that are whole; the last one may
// lack its line end, as some editors leave it.
func (f *decisionsFile) parse() (whole int64, err error) {
	r := csv.NewReader(bytes.NewReader(f.lines))
	r.FieldsPerRecord = -1
	for n := 0; ; n++ {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return whole, nil
		}
		// Any damage but a cut is an error, so that nothing a person wrote is cut off.
		if rest := f.lines[whole:]; !bytes.Contains(rest, []byte("\n")) && cutOff(string(rest), record, err, n == 0) {
			return whole, nil
		}
		if err != nil {
			return 0, err
		}
		line, _ := r.FieldPos(0)
		switch {
		case n == 0 && !slices.Equal(record, decisionsHeader):
			return 0, fmt.Errorf("line 1: the header is not %q: save the file as CSV with commas, in UTF-8", strings.Join(decisionsHeader, ","))
		case n > 0:
			d, err := parseDecision(record)
			if err != nil {
				return 0, fmt.Errorf("line %d: %w", line, err)
			}
			f.list = append(f.list, d)
		}
		whole = r.InputOffset()
	}
}

// cutOff reports whether a last line without a line end is the beginning of one that
// DecisionLog writes: of the header, or of a decision up to a part of its time.
func cutOff(text string, record []string, failed error, header bool) bool {
	switch {
	case header:
		return strings.HasPrefix(strings.Join(decisionsHeader, ","), text)
	case failed != nil: // the closing quote is missing
		return errors.Is(failed, csv.ErrQuote)
	case len(record) < len(decisionsHeader):
		return true
	}
	const form = "dddd-dd-ddTdd:dd:ddZ"
	last := record[len(record)-1]
	if len(record) > len(decisionsHeader) || len(last) >= len(form) || newDecision(record).check() != nil {
		return false
	}
	for k := range len(last) {
		if digit := last[k] >= '0' && last[k] <= '9'; digit != (form[k] == 'd') || !digit && last[k] != form[k] {
			return false
		}
	}
	return true
}

// parseDecision reads a line of decisions.csv.
func parseDecision(record []string) (Decision, error) {
	if len(record) != len(decisionsHeader) {
		return Decision{}, fmt.Errorf("%d columns, want %d", len(record), len(decisionsHeader))
	}
	d := newDecision(record)
	var err error
	d.Time, err = time.Parse(time.RFC3339, record[4])
	return d, errors.Join(err, d.check())
}

// newDecision is a decision by the columns before its time.
func newDecision(record []string) Decision {
	return Decision{ID: rows.Original(record[0]), Given: rows.Original(record[1]), Label: rows.Original(record[2]), Action: Action(record[3])}
}

// WithNames gives the classes of decisions their names in the source: a person may have decided when they
// were numbers.
func WithNames(decisions []Decision, s own.Source) []Decision {
	names := s.Naming()
	for k := range decisions {
		d := &decisions[k]
		d.Given, d.Label = names.ClassName(d.Given), names.ClassName(d.Label)
	}
	return decisions
}

// TrustedLabels returns the decisions that name labels, by the names of the examples: each
// example's last one. Examples that are skipped or undone have none, nor have those that
// several classes fit, or none.
func TrustedLabels(decisions []Decision) map[string]Decision {
	labels := judged(decisions)
	maps.DeleteFunc(labels, func(_ string, d Decision) bool { return !d.Decides() })
	return labels
}

// judged returns the last decision on each example, unless that was skipped or undone.
func judged(decisions []Decision) map[string]Decision {
	last := Last(decisions)
	maps.DeleteFunc(last, func(_ string, d Decision) bool { return d.Action == Skip })
	return last
}

// Last returns the last decision on each example, unless that was undone.
func Last(decisions []Decision) map[string]Decision {
	last := make(map[string]Decision)
	for _, d := range decisions {
		delete(last, d.ID)
		if d.Action != Undo {
			last[d.ID] = d
		}
	}
	return last
}
