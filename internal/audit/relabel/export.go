package relabel

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"golang.org/x/text/unicode/norm"

	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/annotations"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/rows"
)

// Exported counts what Export has written.
type Exported struct {
	Schema      int    `json:"schema"` // 1
	Form        string `json:"form"`
	Tasks       int    `json:"tasks"`             // labels, or images of FolderForm that were audited
	Predictions int    `json:"predictions"`       // tasks that got the likelier class and 1 - p_wrong
	Corrections int    `json:"corrections"`       // annotations with people's decisions, or changed classes
	ByPeople    int    `json:"by_people"`         // of Corrections
	Undecided   int    `json:"undecided"`         // people found that several classes fit, or none
	Conflicts   int    `json:"conflicts"`         // undecided, since reviewers disagree
	Answers     int    `json:"answers,omitempty"` // reviewers' answers, for AnswersForm
	// tasks left alone, since their label has changed since the audit or the decision
	Stale int `json:"stale"`

	// of FolderForm
	Files    int `json:"files,omitempty"`    // copied; those that were not audited, such as a test set, are unchanged
	Renamed  int `json:"renamed,omitempty"`  // of Corrections, since their names were taken
	Missing  int `json:"missing,omitempty"`  // audited, but deleted since
	Replaced int `json:"replaced,omitempty"` // label kept, since another file has the name by now
}

// countOpen counts a decision that settles nothing.
func (e *Exported) countOpen(how audit.Settled) {
	switch how {
	case audit.Stale:
		e.Stale++
	case audit.Undecided:
		e.Undecided++
	case audit.Disputed:
		e.Conflicts++
	}
}

// Export writes the audited data in a form, with the results of the audit and its review, or only people's decisions.
// An export of Label Studio gets predictions and annotations, other annotations get the corrected classes, a folder of
// images is copied, Parquet and tables get a column of corrected classes and one of p_wrong. Everything else stays as
// it was. Export does not replace a file. The error is dataset.ErrData if the data has changed.
func Export(ctx context.Context, f *audit.Folder, form, out string, o Options) (Exported, error) {
	s, err := f.Summary()
	if err != nil {
		return Exported{}, err
	}
	if form == AnswersForm {
		return exportAnswers(f, s, out)
	}
	named := slices.Contains([]string{FolderForm, TableForm, parquetForm}, form)
	if len(s.Source.ClassNames) > 0 && !named {
		return Exported{}, dataset.Errorf("the audit renamed the classes of %s with --class-names, which the label tool "+
			"cannot read: audit without --class-names", s.Source.Path)
	}
	e := exporter{Exported: Exported{Schema: 1, Form: form}, folder: f, audited: s, decisionsOnly: o.DecisionsOnly}
	if e.found, err = readFound(f, s.Source); err != nil {
		return Exported{}, err
	}
	switch form {
	case FolderForm:
		err = e.images(ctx, out, o.Link)
	case TableForm:
		err = e.table(out)
	case parquetForm:
		err = e.parquet(out)
	case TasksForm:
		err = e.tasks(out)
	default:
		err = e.annotations(out)
	}
	return e.Exported, err
}

// tasks adds predictions and annotations to the audited tasks of Label Studio.
func (e *exporter) tasks(out string) error {
	s := e.audited
	if err := s.Source.Unchanged(s.Files); err != nil {
		return dataset.Errorf("%w: run the audit again", err)
	}
	if err := audit.Free(out); err != nil {
		return err
	}
	text, err := os.ReadFile(s.Source.Path)
	if err != nil {
		return err
	}
	items := gjson.ParseBytes(text).Array()
	e.question = studioQuestion(items, s)
	var written bytes.Buffer
	at, same := 0, rows.SameTasks(items)
	for k, item := range items {
		changed, err := e.task(item, same[k])
		if err != nil {
			return fmt.Errorf("%s: object %d, counted from 0: %w", s.Source.Path, k, err)
		}
		written.Write(text[at:item.Index])
		written.Write(changed)
		at = item.Index + len(item.Raw)
	}
	written.Write(text[at:])
	return files.Write(out, written.Bytes(), 0o666)
}

// Names of further forms. FolderForm is a copy of a folder of images.
const (
	FolderForm = "folder"
	TasksForm  = "label-studio"
)

// Forms returns the names of the forms that Export writes.
func Forms() []string {
	return append(append([]string{TasksForm}, annotations.All.Names()...), parquetForm, FolderForm, TableForm)
}

// FormOf returns the form for an audit: the form of its data, or a table if the data is arrays or the labels are in
// another file than the images.
func FormOf(s audit.Summary) string {
	path := s.Source.Path
	if form, ok := annotations.Of(path); ok {
		return form.Name
	}
	if isParquet(path) || own.IsEmbedded(path) || len(rows.Shards(path)) > 0 {
		return parquetForm
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() && !labelledByFile(s) {
		return FolderForm
	}
	if rows.IsTasks(path) {
		return TasksForm
	}
	return TableForm
}

// labelledByFile reports whether the labels of a folder of images are in a file, not in the names of folders.
func labelledByFile(s audit.Summary) bool {
	inside := files.Glob(s.Source.Path, "metadata.*")
	return s.Source.Labels != "" && s.Crowd == nil || slices.ContainsFunc(inside, func(path string) bool {
		return own.IsMetadata(filepath.Base(path))
	})
}

// annotations writes the audited annotations with corrected classes.
func (e *exporter) annotations(out string) error {
	s := e.audited
	set, err := annotations.Read(s.Source.Path)
	if err != nil {
		return dataset.Errorf("%w", err)
	}
	e.Tasks = len(set.Labels)
	names := s.Source.Naming()
	classes := map[string]string{}
	for _, l := range set.Labels {
		issue, judged := e.byID[l.Name]
		label := names.ClassName(annotations.Key(l.Class))
		if !judged || e.other(issue, label) {
			continue
		}
		if class := e.settle(issue, label, e.decisionsOnly); class != label {
			classes[l.Name] = class
		}
	}
	return set.Write(out, classes)
}

// exporter adds the results of an audit and its review to the data.
type exporter struct {
	Exported
	folder        *audit.Folder
	audited       audit.Summary
	decisionsOnly bool
	found
	question string // Label Studio's control for the labels
}

// consensus reports whether the audited labels are the consensus of answers.
func (e *exporter) consensus() bool { return e.audited.Crowd != nil }

// predicted returns the suggested class if the label is more likely wrong than right, else the given one.
func predicted(issue audit.Issue) string {
	if issue.PWrong > judging.LikelyWrong {
		return issue.Suggested
	}
	return issue.Given
}

// settle returns the new class of an example with the label now, and counts the outcome.
func (e *exporter) settle(issue audit.Issue, now string, decisionsOnly bool) string {
	class, how := e.class(issue, now, decisionsOnly)
	e.countOpen(how)
	if class != now {
		e.Corrections++
		if how == audit.ByPeople {
			e.ByPeople++
		}
	}
	return class
}

// other reports whether a label differs from the audited one, and counts it.
func (e *exporter) other(issue audit.Issue, label string) bool {
	if e.consensus() || norm.NFC.String(strings.TrimSpace(label)) == issue.Given {
		return false
	}
	e.Stale++
	return true
}
