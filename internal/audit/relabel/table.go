package relabel

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/rows"
)

// TableForm is a CSV table, a form for the labels of any data.
const TableForm = "csv"

// table writes the audited table with two more columns: the corrected class and, unless decisionsOnly is set,
// p_wrong. Both are empty in rows that were not audited. For other data it writes a line for each example with its
// name and given label, in the order of the data.
func (e *exporter) table(out string) error {
	if err := audit.Free(out); err != nil {
		return err
	}
	lines, names, err := e.lines()
	if err != nil {
		return err
	}
	e.Tasks = len(names)
	lines[0] = append(lines[0], correctedColumn)
	if !e.decisionsOnly {
		lines[0] = append(lines[0], wrongColumn)
	}
	for k, name := range names {
		corrected, wrong := "", ""
		if issue, audited := e.byID[name]; audited {
			corrected = rows.Cell(e.settle(issue, issue.Given, e.decisionsOnly))
			wrong = strconv.FormatFloat(issue.PWrong, 'f', 6, 64)
		}
		if lines[k+1] = append(lines[k+1], corrected); !e.decisionsOnly {
			lines[k+1] = append(lines[k+1], wrong)
		}
	}
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	if strings.EqualFold(filepath.Ext(out), ".tsv") {
		w.Comma = '\t'
	}
	_ = w.WriteAll(lines) // to a buffer
	return files.Write(out, text.Bytes(), 0o666)
}

// lines returns the columns and rows of the audited table or, for other data, of names and given labels; names has
// the example of each row.
func (e *exporter) lines() (lines [][]string, names []string, err error) {
	s := e.audited
	if form := FormOf(s); form != TableForm && form != parquetForm || !rows.Is(s.Source.Path) {
		lines = [][]string{{"id", "given"}}
		byRow := slices.SortedFunc(slices.Values(e.issues), func(x, y audit.Issue) int { return x.Row - y.Row })
		for _, i := range byRow {
			lines, names = append(lines, []string{rows.Cell(i.ID), rows.Cell(i.Given)}), append(names, i.ID)
		}
		return lines, names, nil
	}
	if err := s.Source.Unchanged(s.Files); err != nil {
		return nil, nil, dataset.Errorf("%w: run the audit again", err)
	}
	if names, err = s.Source.Names(context.Background()); err != nil {
		return nil, nil, dataset.Errorf("%w", err)
	}
	r, err := rows.Open(s.Source.Path)
	if err != nil {
		return nil, nil, dataset.Errorf("%w", err)
	}
	defer func() { _ = r.Close() }()
	lines = [][]string{slices.Clone(r.Columns())}
	err = r.Each(func(row []string) error {
		line := make([]string, len(row))
		for k, value := range row {
			line[k] = strings.Clone(value)
		}
		lines = append(lines, line)
		return nil
	})
	if err == nil && len(lines) != len(names)+1 {
		err = dataset.Errorf("%s has %d rows, but %d names: run the audit again", s.Source.Path, len(lines)-1, len(names))
	}
	return lines, names, err
}

// AnswersForm is the export form of a table of reviewers' answers.
const AnswersForm = "answers"

// exportAnswers writes a table of each reviewer's answers, without settlements and skips. An audit reads it as the
// answers of several people (--answers) or as known labels (--answers-from).
func exportAnswers(f *audit.Folder, s audit.Summary, out string) (Exported, error) {
	if err := audit.Free(out); err != nil {
		return Exported{}, err
	}
	said, err := f.Said(s.Source)
	if err != nil {
		return Exported{}, err
	}
	e := Exported{Schema: 1, Form: AnswersForm}
	tally := audit.TallyOf(said)
	records := [][]string{{"id", "worker", "label", "given", "decision", "why", "time"}}
	for _, id := range slices.Sorted(maps.Keys(tally)) {
		e.Tasks++
		for _, x := range tally[id].Told() {
			if !x.Decides() {
				e.Undecided++
			}
			records = append(records, []string{rows.Cell(id), rows.Cell(audit.NameOf(x.Reviewer)), rows.Cell(x.Label),
				rows.Cell(x.Given), string(x.Action), string(x.Why), x.Time.UTC().Format(time.RFC3339)})
		}
	}
	if e.Answers = len(records) - 1 - e.Undecided; e.Answers == 0 {
		return e, fmt.Errorf("nobody has decided a label of %s: run losscorr review %s", f.Dir(), f.Dir())
	}
	return e, files.Write(out, audit.CSV(records), 0o666)
}
