package audit

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Names that spreadsheets would calculate are text in every file, and come back as they were.
func TestNamesOfFormulas(t *testing.T) {
	dir := t.TempDir()
	f := &Folder{dir: dir}
	names := []string{"=1+1", "+a", "-b", "@c", "-0.5", "'=d", "'e", "-1.png"}
	labels := make([]Label, len(names))
	for k, name := range names {
		labels[k] = Label{ID: name, Label: names[len(names)-1-k]}
	}
	if err := f.WriteLabels(labels); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Labels(); err != nil || !slices.Equal(got, labels) {
		t.Errorf("labels %q, %v", got, err)
	}
	log, _, err := f.Decide()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range labels {
		d := Decision{ID: l.ID, Given: l.Label, Label: l.Label, Action: Accept, Time: time.Unix(0, 0)}
		if err := log.Append(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	trusted, err := ReadTrusted(f.Path(DecisionsFile), own.Source{})
	if err != nil {
		t.Fatal(err)
	}
	fromLabels, err := ReadTrusted(f.Path(LabelsFile), own.Source{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range labels {
		if trusted[l.ID].Label != l.Label || fromLabels[l.ID].Label != l.Label {
			t.Errorf("%q: %q by the decisions, %q by the labels, want %q", l.ID, trusted[l.ID].Label, fromLabels[l.ID].Label, l.Label)
		}
	}
	for _, name := range []string{LabelsFile, DecisionsFile} {
		data, err := f.read(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			for cell := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), ",") {
				if cell != "-0.5" && strings.ContainsAny(cell[:min(1, len(cell))], "=+-@") {
					t.Errorf("%s: the cell %s is a formula", name, cell)
				}
			}
		}
	}
}
