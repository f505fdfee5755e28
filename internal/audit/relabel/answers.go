package relabel

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/rows"
)

// AnswersForm is the export form of a table of reviewers' answers.
const AnswersForm = "answers"

// ExportAnswers writes a table of each reviewer's answers, without settlements and skips. An audit reads it as the
// answers of several people (--answers) or as known labels (--answers-from).
func ExportAnswers(f *audit.Folder, out string) (Exported, error) {
	s, err := f.Summary()
	if err != nil {
		return Exported{}, err
	}
	if err := f.Free(out); err != nil {
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
