package relabel

import (
	"fmt"
	"io"
	"strings"

	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/shell"
)

// WriteText writes what was exported to out.
func (e Exported) WriteText(w io.Writer, out string) error {
	switch e.Form {
	case AnswersForm:
		head := fmt.Sprintf("%s: %s to %s", out, humanize.Count(e.Answers, "answer"), humanize.Count(e.Tasks, "example"))
		return writeCounts(w, head, "then: losscorr audit DATA --answers "+shell.Word(out)+"\n",
			counted{e.Undecided, "more decisions name no class, since several fit or none"})
	case TasksForm:
		out = fmt.Sprintf("%s: %s, %s, %s", out, humanize.Count(e.Tasks, "task"), humanize.Count(e.Predictions, "prediction"),
			humanize.Count(e.Corrections, "corrected annotation"))
	default:
		out = fmt.Sprintf("%s: %s, %d with another class, %d of these by people", out, humanize.Count(e.Tasks, "label"),
			e.Corrections, e.ByPeople)
	}
	return writeCounts(w, out, "",
		counted{e.Undecided, "keep their label, since several classes fit or none: look at them"},
		counted{e.Conflicts, "count as undecided, since reviewers disagree: losscorr review settles them"},
		counted{e.Stale, "have another label than when they were audited or decided: audit again"},
	)
}

// WriteText writes what was copied to the folder dir.
func (a Applied) WriteText(w io.Writer, dir string) error {
	head := fmt.Sprintf("%s: %s, of which %d have another class than before (%d decided by people)", dir,
		humanize.Count(a.Files, "file"), a.Moved, a.ByPeople)
	return writeCounts(w, head, "",
		counted{a.Files - a.Judged, "were not audited, such as a test set, and are as they were"},
		counted{a.Undecided, "keep their label, since several classes fit or none: look at them"},
		counted{a.Renamed, "have a new name, since theirs was taken in the folder of their class"},
		counted{a.Missing, "are missing since the audit"},
		counted{a.Replaced, "keep their label, since other files have their names since the audit: audit again"},
		counted{a.Conflicts, "count as undecided, since reviewers disagree: losscorr review settles them"},
		counted{a.Stale, "have another label than when a person decided: those decisions do not count"},
	)
}

// counted is what a number of examples have in common.
type counted struct {
	count int
	text  string
}

// writeCounts writes a line, one for each count that is not 0, and the end.
func writeCounts(w io.Writer, head, end string, counts ...counted) error {
	var b strings.Builder
	fmt.Fprintln(&b, head)
	for _, c := range counts {
		if c.count > 0 {
			fmt.Fprintf(&b, "  %d %s\n", c.count, c.text)
		}
	}
	_, err := io.WriteString(w, b.String()+end)
	return err
}
