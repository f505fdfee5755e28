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
	var b strings.Builder
	switch e.Form {
	case AnswersForm:
		fmt.Fprintf(&b, "%s: %s to %s; %d more decisions name no class\nthen: losscorr audit DATA --answers %s\n", out,
			humanize.Count(e.Answers, "answer"), humanize.Count(e.Tasks, "example"), e.Undecided, shell.Word(out))
		e = Exported{}
	case TasksForm:
		fmt.Fprintf(&b, "%s: %s, %s, %s\n", out, humanize.Count(e.Tasks, "task"),
			humanize.Count(e.Predictions, "prediction"), humanize.Count(e.Corrections, "corrected annotation"))
	default:
		fmt.Fprintf(&b, "%s: %s, %d with another class, %d of these by people\n", out, humanize.Count(e.Tasks, "label"),
			e.Corrections, e.ByPeople)
	}
	if n := e.Files - e.Tasks; n > 0 {
		fmt.Fprintf(&b, "  %s not audited, such as a test set: copied as before\n", humanize.Count(n, "more file"))
	}
	for _, x := range []struct {
		count int
		text  string
	}{
		{e.Renamed, "have a new name, since theirs was taken in the folder of their class"},
		{e.Missing, "are missing since the audit"},
		{e.Replaced, "keep their label, since other files have their names since the audit: audit again"},
		{e.Undecided, "keep their label, since several classes fit or none: look at them"},
		{e.Conflicts, "count as undecided, since reviewers disagree: losscorr review settles them"},
		{e.Stale, "have another label than when they were audited or decided: audit again"},
	} {
		if x.count > 0 {
			fmt.Fprintf(&b, "  %d %s\n", x.count, x.text)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
