package audit

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/rows"
)

// columns are the columns of each table in the folder of an audit. People open these files in spreadsheets, so every
// cell is written with [rows.Cell] and read with [rows.Original]. Only T_hat.csv has names as they are.
var columns = map[string][]string{
	IssuesFile:     {"rank", "id", "given", "suggested", "p_wrong", "unusual"},
	LabelsFile:     {"id", "label"},
	DuplicatesFile: {"kind", "similarity", "id", "split", "label", "other_id", "other_split", "other_label"},
	UnreadableFile: {"name", "reason"},
	ConsensusFile:  {"task", "label", "probability", "answers"},
	AnswersFile:    {"task", "worker", "label", "p_wrong"},
	AnnotatorsFile: {"worker", "answers", "accuracy", "low", "high", "chance", "agreement_others", "agreement_network",
		"verdict", "confuses"},
	AskFile:        {"task", "label", "probability", "answers", "worker", "gain", "gain_anyone"},
	ConflictsFile:  {"id", "given", "reviewer", "label", "decision", "time"},
	NamedVotesFile: {"id", "label"},
}

// writeTable writes a table with a line for each element of a list.
func writeTable[T any](f *Folder, name string, list []T, line func(T) []string) error {
	records := [][]string{columns[name]}
	for _, x := range list {
		cells := line(x)
		for k, cell := range cells {
			cells[k] = rows.Cell(cell)
		}
		records = append(records, cells)
	}
	return f.write(name, CSV(records))
}

// CSV returns a table as a CSV file.
func CSV(records [][]string) []byte {
	var b bytes.Buffer
	_ = csv.NewWriter(&b).WriteAll(records) // writing to a buffer cannot fail
	return b.Bytes()
}

// readTable calls line for each line after the header. Errors name the line.
func (f *Folder) readTable(name string, line func([]string) error) error {
	data, err := f.read(name)
	if err != nil {
		return err
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.ReuseRecord = true
	first, err := r.Read()
	if err != nil || !slices.Equal(first, columns[name]) {
		return f.damaged(name, "line 1: want the columns %q", strings.Join(columns[name], ","))
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return f.damaged(name, "%w", err)
		}
		for k, cell := range record {
			record[k] = rows.Original(cell)
		}
		if err := line(record); err != nil {
			at, _ := r.FieldPos(0)
			return f.damaged(name, "line %d: %w", at, err)
		}
	}
}

// Spare returns an error if the folder has a table with this name that no audit wrote. Every audit writes issues.csv
// and labels_corrected.csv, so these count as an audit's.
func (f *Folder) Spare(name string) error {
	_, err := os.Lstat(f.Path(name))
	if err != nil || columns[name] == nil || name == IssuesFile || name == LabelsFile {
		return nil //nolint:nilerr // nothing to replace
	}
	if file, err := os.Open(f.Path(name)); err == nil {
		defer file.Close()
		want := strings.Join(columns[name], ",")
		first, _ := bufio.NewReader(file).Peek(len(want) + 1)
		if strings.TrimRight(string(first), "\r\n") == want {
			return nil
		}
	}
	return fmt.Errorf("the audit would replace %s, which was not written by an audit: move it away, or choose another "+
		"folder with --out", f.Path(name))
}
