package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
	"golang.org/x/text/unicode/norm"

	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/annotations"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/rows"
)

// Exported counts what Export has written.
type Exported struct {
	Form        string `json:"form"`
	Tasks       int    `json:"tasks"`       // of annotations: images and boxes
	Predictions int    `json:"predictions"` // tasks with the suggested class and 1 - p_wrong
	Corrections int    `json:"corrections"` // annotations of what people decided in a review, or changed classes
	ByPeople    int    `json:"by_people"`   // of Corrections
	Undecided   int    `json:"undecided"`   // people found that several classes fit, or none
	Stale       int    `json:"stale"`       // tasks whose label is another one than was audited, or decided about: nothing is added to them
}

// Export writes the Label Studio export that was audited with what the audit and its review found:
//
//   - to each judged task a prediction with the suggested class and the score 1 - p_wrong, by which
//     Label Studio sorts, unless decisionsOnly is set;
//   - to each task whose class a person has changed in a review, an annotation with that class.
//
// Other annotations it writes with the classes that the audit and its review have corrected, or those of
// decisions alone if decisionsOnly is set; Parquet with these in a further column, and one of p_wrong. All
// other bytes are as they were. It refuses to replace a file. The error is dataset.ErrData where the data
// was no such export, or has changed.
func (f *Folder) Export(out string, decisionsOnly bool) (Exported, error) {
	s, err := f.Summary()
	if err != nil {
		return Exported{}, err
	}
	form := FormOf(s.Source.Path)
	if form == "" {
		return Exported{}, dataset.Errorf("the data of the audit, %s, is of no label tool that is known (%s): use %s instead", s.Source.Path, strings.Join(Forms(), ", "), f.Path(LabelsFile))
	}
	if form == parquetForm {
		return f.exportParquet(s, out, decisionsOnly)
	}
	if len(s.Source.ClassNames) > 0 {
		return Exported{}, dataset.Errorf("the audit has names of its own for the classes of %s (--class-names), which its label tool does not know: audit without them", s.Source.Path)
	}
	if form != labelStudio {
		return f.exportAnnotations(s, out, decisionsOnly)
	}
	if err := s.Source.Unchanged(s.Files); err != nil {
		return Exported{}, dataset.Errorf("%w: do the audit again", err)
	}
	if _, err := os.Lstat(out); err == nil {
		return Exported{}, fmt.Errorf("%s is there: choose another file", out)
	}
	e := exporter{Exported: Exported{Form: labelStudio}, model: "losscorr " + s.Program, predict: !decisionsOnly && !s.Weak}
	if err := e.read(f, s); err != nil {
		return Exported{}, err
	}
	text, err := os.ReadFile(s.Source.Path)
	if err != nil {
		return Exported{}, err
	}
	var written bytes.Buffer
	at := 0
	for _, task := range gjson.ParseBytes(text).Array() {
		changed, err := e.task(task)
		if err != nil {
			return Exported{}, fmt.Errorf("%s: task %s: %w", s.Source.Path, task.Get("id"), err)
		}
		written.Write(text[at:task.Index])
		written.Write(changed)
		at = task.Index + len(task.Raw)
	}
	written.Write(text[at:])
	return e.Exported, files.Write(out, written.Bytes(), 0o666)
}

const labelStudio = "label-studio"

// Forms are the names of the forms that Export writes.
func Forms() []string {
	return append(append([]string{labelStudio}, annotations.All.Names()...), parquetForm)
}

// FormOf returns the form of the data at a path, "" if Export cannot write it.
func FormOf(path string) string {
	if form, ok := annotations.Of(path); ok {
		return form.Name
	}
	if strings.EqualFold(filepath.Ext(path), rows.LabelStudio) {
		return labelStudio
	}
	if isParquet(path) {
		return parquetForm
	}
	return ""
}

// exportAnnotations writes the annotations that were audited with other classes.
func (f *Folder) exportAnnotations(s Summary, out string, decisionsOnly bool) (Exported, error) {
	set, err := annotations.Read(s.Source.Path)
	if err != nil {
		return Exported{}, dataset.Errorf("%w", err)
	}
	e := exporter{Exported: Exported{Form: FormOf(s.Source.Path), Tasks: len(set.Labels)}}
	if err := e.read(f, s); err != nil {
		return Exported{}, err
	}
	labels, err := f.Labels()
	if err != nil {
		return Exported{}, err
	}
	names := s.Source.Naming()
	classes := map[string]string{}
	for _, l := range set.Labels {
		issue, judged := e.issues[l.Name]
		switch {
		case !judged:
			continue
		case names.ClassName(annotations.Key(l.Class)) != issue.Given:
			e.Stale++
			continue
		}
		if class := e.settle(issue, labels, decisionsOnly); class != issue.Given {
			classes[l.Name] = class
		}
	}
	return e.Exported, set.Write(out, classes)
}

// exporter adds to tasks what an audit and its review found.
type exporter struct {
	Exported
	model   string
	predict bool
	issues  map[string]Issue
	decided map[string]Decision
}

func (e *exporter) read(f *Folder, s Summary) error {
	issues, err := f.Issues()
	if err != nil {
		return err
	}
	decisions, err := ReadDecisions(f.Path(DecisionsFile))
	if err != nil {
		return err
	}
	e.issues, e.decided = make(map[string]Issue, len(issues)), judged(WithNames(decisions, s.Source))
	for _, i := range issues {
		e.issues[i.ID] = i
	}
	return nil
}

// settle returns the class of an example by people or, unless decisionsOnly is set, by labels, those of
// LabelsFile, and counts what it does.
func (e *exporter) settle(issue Issue, labels []Label, decisionsOnly bool) string {
	found := labels[issue.Row].Label
	if decisionsOnly {
		found = issue.Given
	}
	class, how := settled(issue, found, e.decided[issue.ID])
	switch how {
	case stale:
		e.Stale++
	case undecided:
		e.Undecided++
	}
	if class != issue.Given {
		e.Corrections++
		if how == byPeople {
			e.ByPeople++
		}
	}
	return class
}

// task returns a task with what is added to it.
func (e *exporter) task(task gjson.Result) ([]byte, error) {
	e.Tasks++
	out := []byte(task.Raw)
	issue, judged := e.issues[task.Get("id").String()]
	choices, err := rows.Choices(task)
	if err != nil || !judged || len(choices) == 0 {
		return out, err
	}
	place := choices[len(choices)-1]
	if norm.NFC.String(strings.TrimSpace(place.Label)) != issue.Given {
		e.Stale++
		return out, nil
	}
	if e.predict {
		e.Predictions++
		if out, err = add(out, "predictions", map[string]any{
			"model_version": e.model, "score": 1 - issue.PWrong, "result": result(place, issue.Suggested),
		}); err != nil {
			return nil, err
		}
	}
	switch d, there := e.decided[issue.ID]; {
	case !there || d.Action == Skip:
	case !d.Holds(issue.Given):
		e.Stale++
	case !d.Decides():
		e.Undecided++
	case d.Label != issue.Given:
		e.Corrections++
		e.ByPeople++
		out, err = add(out, "annotations", map[string]any{"was_cancelled": false, "result": result(place, d.Label)})
	}
	return out, err
}

// result is a choice as Label Studio has it in annotations and predictions.
func result(place rows.Choice, label string) []any {
	return []any{map[string]any{
		"from_name": place.From, "to_name": place.To, "type": "choices", "value": map[string]any{"choices": []string{label}},
	}}
}

// add appends an element to a list of a task.
func add(task []byte, list string, element any) ([]byte, error) {
	text, err := json.Marshal(element)
	if err != nil {
		return nil, err
	}
	if !gjson.GetBytes(task, list).IsArray() { // it has none, or null
		return sjson.SetRawBytes(task, list, append(append([]byte("["), text...), ']'))
	}
	return sjson.SetRawBytes(task, list+".-1", text)
}
