package audit

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
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

	// Conflict is what several reviewers say together who do not agree. No line of decisions.csv has it.
	Conflict Action = "conflict"
)

// Decision is a line of decisions.csv.
type Decision struct {
	ID     string
	Given  string // label of the data; empty where it is not known
	Label  string // that is right; empty for Ambiguous, None, Skip and Undo
	Action Action
	Time   time.Time // in seconds

	Reviewer string // who has decided; "" of one who reviews alone
	Settles  bool   // the decision settles a conflict of reviewers, and is no opinion beside theirs
	Sheet    bool   // it is an answer of a file to a random check, and no line of decisions.csv
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
	if strings.ContainsAny(d.ID+d.Given+d.Label+d.Reviewer, "\r\n") {
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

// decisionsHeader has the columns of decisions.csv, reviewersHeader those once a reviewer has a name. The
// time is the last one, by which a line that is cut off is known.
var (
	decisionsHeader = []string{"id", "given", "label", "decision", "time"}
	reviewersHeader = []string{"id", "given", "label", "decision", "reviewer", "settles", "time"}
)

// settles is the value of that column where it has one.
const settles = "yes"

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
	named bool   // it has the columns of reviewersHeader
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
		if rest := f.lines[whole:]; !bytes.Contains(rest, []byte("\n")) &&
			cutOff(string(rest), record, err, n == 0, f.header()) {
			return whole, nil
		}
		if err != nil {
			return 0, err
		}
		line, _ := r.FieldPos(0)
		switch {
		case n == 0 && slices.Equal(record, reviewersHeader):
			f.named = true
		case n == 0 && !slices.Equal(record, decisionsHeader):
			return 0, fmt.Errorf("line 1: the header is not %q: save the file as CSV with commas, in UTF-8",
				strings.Join(decisionsHeader, ","))
		case n > 0:
			d, err := parseDecision(record, f.header())
			if err != nil {
				return 0, fmt.Errorf("line %d: %w", line, err)
			}
			f.list = append(f.list, d)
		}
		whole = r.InputOffset()
	}
}

// header returns the columns of the file.
func (f *decisionsFile) header() []string {
	if f.named {
		return reviewersHeader
	}
	return decisionsHeader
}

// cutOff reports whether a last line without a line end is the beginning of one that
// DecisionLog writes: of a header, or of a decision up to a part of its time.
func cutOff(text string, record []string, failed error, first bool, header []string) bool {
	switch {
	case first:
		return strings.HasPrefix(strings.Join(decisionsHeader, ","), text) ||
			strings.HasPrefix(strings.Join(reviewersHeader, ","), text)
	case failed != nil: // the closing quote is missing
		return errors.Is(failed, csv.ErrQuote)
	case len(record) < len(header):
		return true
	}
	const form = "dddd-dd-ddTdd:dd:ddZ"
	last := record[len(record)-1]
	if len(record) > len(header) || len(last) >= len(form) {
		return false
	}
	if d, err := newDecision(record); err != nil || d.check() != nil {
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
func parseDecision(record, header []string) (Decision, error) {
	if len(record) != len(header) {
		return Decision{}, fmt.Errorf("%d columns, want %d", len(record), len(header))
	}
	d, err := newDecision(record)
	if err != nil {
		return d, err
	}
	d.Time, err = time.Parse(time.RFC3339, record[len(record)-1])
	return d, errors.Join(err, d.check())
}

// newDecision is a decision by the columns before its time.
func newDecision(record []string) (Decision, error) {
	d := Decision{ID: rows.Original(record[0]), Given: rows.Original(record[1]), Label: rows.Original(record[2]),
		Action: Action(record[3])}
	if len(record) == len(reviewersHeader) {
		d.Reviewer, d.Settles = rows.Original(record[4]), record[5] == settles
		if record[5] != "" && !d.Settles {
			return d, fmt.Errorf("settles %q, want %q or nothing", record[5], settles)
		}
	}
	return d, nil
}

// record is a line of decisions.csv.
func (d Decision) record(named bool) []string {
	r := []string{rows.Cell(d.ID), rows.Cell(d.Given), rows.Cell(d.Label), string(d.Action)}
	if named {
		settled := ""
		if d.Settles {
			settled = settles
		}
		r = append(r, rows.Cell(d.Reviewer), settled)
	}
	return append(r, d.Time.UTC().Format(time.RFC3339))
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
