package audit

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/rows"
)

// ReadAnswers reads people's answers by the names of the examples. path is the folder of an audit or its
// decisions.jsonl, an export of answers, a decisions.csv of an older version, a spreadsheet of random checks
// (WriteSheet), or a table or label tool's export with the columns id and label. Where people disagree the action is
// Conflict; an empty cell of a spreadsheet is Undo. A class may be given by its name or its number in the source.
func ReadAnswers(path string, s own.Source, classes []string) (map[string]Decision, error) {
	if log, ok := logOf(path); ok {
		said, err := log.Said(s)
		return Outcomes(said), err
	}
	header := columnsOf(path)
	switch {
	case slices.Contains(header, "id") && slices.Contains(header, "true"):
		return readSheet(path, s, classes)
	case isDecisions(header):
		list, err := readDecisionsCSV(path)
		return Outcomes(withNames(list, s)), err
	}
	labels, err := own.ReadLabels(path)
	if err != nil {
		return nil, dataset.Errorf("answers: %w", err)
	}
	names := s.Naming()
	answers := make(map[string]Decision, len(labels))
	for id, label := range labels {
		answers[id] = Decision{ID: id, Label: names.ClassName(label), Action: Other}
	}
	return answers, nil
}

// NamesExamples reports whether an audit wrote the names of the examples in a file of answers. Other tables may have
// names from a column that the audit does not use.
func NamesExamples(path string) bool {
	_, log := logOf(path)
	return log || isDecisions(columnsOf(path))
}

// logOf returns the folder of an audit; path is the folder or its log.
func logOf(path string) (*Folder, bool) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return At(path), true
	}
	switch filepath.Base(path) {
	case DecisionsFile:
		return At(filepath.Dir(path)), true
	case csvDecisions: // of an older version, or of another table with this name
		f := At(filepath.Dir(path))
		return f, f.Begun()
	}
	return nil, false
}

// columnsOf returns the columns of a table, or nil.
func columnsOf(path string) []string {
	r, err := rows.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = r.Close() }()
	return r.Columns()
}

// sheetStates are the answers in a spreadsheet that are not classes.
var sheetStates = []Action{Ambiguous, None, Skip}

// readSheet reads a spreadsheet of WriteSheet that people have filled in. A class named like one of sheetStates takes
// precedence over it. Errors name the line.
func readSheet(path string, s own.Source, classes []string) (map[string]Decision, error) {
	r, err := rows.Open(path)
	if err != nil {
		return nil, dataset.Errorf("the random checks: %w", err)
	}
	defer func() { _ = r.Close() }()
	id, given, truth := r.Index("id"), r.Index("given"), r.Index("true")
	names := s.Naming()
	answers := map[string]Decision{}
	err = r.Each(func(row []string) error {
		answer := rows.Original(strings.TrimSpace(row[truth]))
		d := Decision{ID: rows.Original(row[id]), Action: Action(strings.ToLower(answer))}
		if given >= 0 {
			d.Given = names.ClassName(rows.Original(row[given]))
		}
		switch class := names.ClassName(answer); {
		case answer == "":
			d.Action = Undo
		case slices.Contains(classes, class):
			d.Label, d.Action = class, Other
			if d.Label == d.Given {
				d.Action = Accept
			}
		case !slices.Contains(sheetStates, d.Action):
			return fmt.Errorf("%s: unknown answer %q: use a class (%s), ambiguous, none or skip", r.Where(), answer,
				humanize.Listed(classes, 5))
		}
		answers[d.ID] = d
		return nil
	})
	if err != nil {
		return nil, dataset.Errorf("%w", err)
	}
	return answers, nil
}

// Import appends the answers of a file to the log of the folder. Answers without a given label get the present one.
// Reading a file again adds only what is new: an answer that has gone from the file is taken back, and one that a
// later answer replaced does not come back. The error is dataset.ErrData if no answer is about an example of the
// data, or if one names an unknown class.
func (f *Folder) Import(data *dataset.Dataset, s own.Source, path string) error {
	answers, err := ReadAnswers(path, s, data.Classes)
	if err != nil {
		return err
	}
	if err := fits(answers, data, path); err != nil {
		return err
	}
	log, err := f.Write()
	if err != nil {
		return err
	}
	if path, err = filepath.Abs(path); err == nil {
		err = log.Append(newLines(log.Said(s), answers, data, path)...)
	}
	return errors.Join(err, log.Close())
}

// ImportJudged is Import for a finished audit, with the labels in its files.
func (f *Folder) ImportJudged(path string) error {
	s, err := f.Summary()
	if err != nil {
		return err
	}
	j, err := f.Judged()
	if err != nil {
		return err
	}
	data := &dataset.Dataset{Classes: j.Classes, Train: dataset.Split{IDs: j.IDs, Labels: j.Given}}
	return f.Import(data, s.Source, path)
}

// fits returns an error unless the answers are about the data.
func fits(answers map[string]Decision, data *dataset.Dataset, path string) error {
	there := false
	for i := range data.Train.Len() {
		d, ok := answers[data.Train.ID(i)]
		there = there || ok
		if d.Decides() && !slices.Contains(data.Classes, d.Label) {
			return dataset.Errorf("%s: unknown class %q as the label of %s: use a class of the data", path, d.Label, d.ID)
		}
	}
	if len(answers) > 0 && !there {
		return dataset.Errorf("%s: none of its %d answers is about an example of the data: names such as %q do not match "+
			"names such as %q", path, len(answers), slices.Min(slices.Collect(maps.Keys(answers))), data.Train.ID(0))
	}
	return nil
}

// newLines are the lines to append so that the log agrees with a file as it is now.
func newLines(said []Decision, answers map[string]Decision, data *dataset.Dataset, path string) (lines []Decision) {
	verdicts, before := Last(said), map[string]imported{}
	for _, d := range said {
		m := before[d.ID]
		m.add(d, path)
		before[d.ID] = m
	}
	for i := range data.Train.Len() {
		id, given := data.Train.ID(i), data.Classes[data.Train.Labels[i]]
		now, old := answers[id], before[id]
		if now.Action == "" || now.Action == Undo || now.Action == Conflict {
			lines = append(lines, old.takenBack(path)...)
			continue
		}
		if now.Given == "" {
			now.Given = given
		}
		if old.has(now, verdicts[id], given) {
			continue
		}
		if now.Label == now.Given && now.Decides() {
			now.Action = Accept
		}
		lines = append(lines, now.inFile(path))
	}
	return lines
}

// inFile marks a decision as read from a file at this moment.
func (d Decision) inFile(path string) Decision {
	d.Time, d.Reviewer, d.Why, d.From, d.Seconds = Now(), "", InFile, path, 0
	return d
}

// imported is what a log holds about an example before a file is read.
type imported struct {
	files  []Decision // read from files
	ours   Decision   // the last one from this file
	last   Decision   // without a reviewer's name and not taken back
	before Decision   // the one before last that last, if it was read from a file, does not repeat
}

func (m *imported) add(d Decision, path string) {
	if d.Why == InFile {
		m.files = append(m.files, d)
		if d.From == path {
			m.ours = d
		}
	}
	switch {
	case d.Reviewer != "" || d.Settles():
		return
	case d.Action == Undo:
		m.last = Decision{} // the next line repeats the answer before it, if there was one
		return
	case d.Why != InFile || m.last.Why != InFile || !m.last.agrees(d):
		m.before = m.last
	}
	m.last = d
}

// has reports whether the log already has an answer of the file: it came from the file before, or it agrees with the
// verdict, or a later answer replaced the same one of another file. An earlier answer about another given label does
// not count if the file's answer is about the present one.
func (m *imported) has(d, verdict Decision, given string) bool {
	same := func(x Decision) bool { return x.agrees(d) && (x.Holds(given) || !d.Holds(given)) }
	if m.ours.Action != "" {
		return same(m.ours)
	}
	return same(verdict) ||
		verdict.Action != "" && slices.ContainsFunc(m.files, func(x Decision) bool { return x.agrees(d) })
}

// takenBack are the lines that take back the file's earlier answer and repeat the answer before it.
func (m *imported) takenBack(path string) []Decision {
	if m.ours.Action == "" || m.ours.Action == Undo || m.last.Why != InFile || !m.last.agrees(m.ours) {
		return nil // or a later answer has replaced it
	}
	undo := Decision{ID: m.last.ID, Given: m.last.Given, Action: Undo}.inFile(path)
	if m.before.Action == "" {
		return []Decision{undo}
	}
	before := m.before
	before.Time = Now()
	return []Decision{undo, before}
}
