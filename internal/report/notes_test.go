package report_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/html"
	"github.com/losscorr/losscorr/internal/report/reporttest"
)

// A note of the configuration stands below the table, once, in all formats that have room
// for a line.
func TestNotes(t *testing.T) {
	r := reporttest.Result("forward", "asymmetric", .6, 2, 97, 96)
	r.Config.Note = "seed 1 is stuck."
	other := r
	other.Config.Seed = 3
	runs := report.FromResults(r, other)
	table := report.Tables(runs)[0]
	for format, test := range map[string]struct {
		write func(io.Writer) error
		want  string
	}{
		"text":     {table.WriteText, "\nnote: seed 1 is stuck.\n"},
		"markdown": {table.WriteMarkdown, "\n\nnote: seed 1 is stuck.\n"},
		"latex":    {table.WriteLaTeX, " note: seed 1 is stuck.}\n\\label{"},
		"html": {func(w io.Writer) error { return html.Write(w, &report.Study{Runs: runs}, html.Options{}) },
			`<p class="notes">note: seed 1 is stuck.</p>`},
	} {
		var b bytes.Buffer
		if err := test.write(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), test.want) || strings.Count(b.String(), "is stuck") != 1 {
			t.Errorf("%s: want %q once in\n%s", format, test.want, b.String())
		}
	}
	if plain := reporttest.Result("forward", "asymmetric", .6, 2, 97, 96); plain.Config.ID() != r.Config.ID() {
		t.Error("the note changes the ID of the run")
	}
}
