package relabel

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// A table gets two more columns, and keeps its rows and cells. Other data becomes a table of its names and labels.
func TestExportTable(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "t.csv")
	datasettest.Put(t, table, "text,label,note\n\"a, \"\"b\"\"\",cat,=1\nb,,x\n\nc,cat,\"two\nlines\"\n")
	rows := []audit.Issue{{ID: "0", Given: "cat", Suggested: "dog", PWrong: .9}, {ID: "2", Given: "cat", Suggested: "cat",
		PWrong: .1, Row: 1}} // row 1 has no label
	lines := "json.jsonl"
	datasettest.Put(t, filepath.Join(dir, lines), `{"text":"a","label":"cat"}`+"\n"+`{"text":"b","label":null}`+"\n"+
		`{"text":"c","label":"cat"}`+"\n")
	coco := filepath.Join(dir, "coco.json")
	datasettest.Put(t, coco, `{"images":[],"annotations":[],"categories":[]}`)
	for _, tt := range []struct {
		source              own.Source
		all, byPeople, name string
	}{
		{own.Source{Path: table, Text: "text"}, "text,label,note,label_corrected,p_wrong\n" +
			"\"a, \"\"b\"\"\",cat,=1,dog,0.900000\nb,,x,,\nc,cat,\"two\nlines\",+1,0.100000\n",
			"text,label,note,label_corrected\n\"a, \"\"b\"\"\",cat,=1,cat\nb,,x,\nc,cat,\"two\nlines\",+1\n", "out.csv"},
		{own.Source{Path: filepath.Join(dir, lines), Text: "text"}, "text\tlabel\tlabel_corrected\tp_wrong\n" +
			"a\tcat\tdog\t0.900000\nb\t\t\t\nc\tcat\t+1\t0.100000\n",
			"text\tlabel\tlabel_corrected\na\tcat\tcat\nb\t\t\nc\tcat\t+1\n", "out.tsv"},
		{own.Source{Path: filepath.Join(dir, "X.npy")}, "id,given,label_corrected,p_wrong\n0,cat,dog,0.900000\n" +
			"2,cat,+1,0.100000\n", "id,given,label_corrected\n0,cat,cat\n2,cat,+1\n", "out.csv"},
		{own.Source{Path: coco}, "id,given,label_corrected,p_wrong\n0,cat,dog,0.900000\n2,cat,+1,0.100000\n",
			"id,given,label_corrected\n0,cat,cat\n2,cat,+1\n", "out.csv"},
	} {
		f := audit.At(filepath.Join(t.TempDir(), "audit"))
		s := audit.Summary{Source: tt.source, Classes: []audit.Class{{Name: "cat"}, {Name: "dog"}, {Name: "+1"}}}
		expect.OK(t, f.WriteIssues(rows), f.WriteSummary(&s),
			f.WriteLabels([]audit.Label{{ID: "0", Label: "dog"}, {ID: "2", Label: "cat"}}))
		audittest.Decide(t, f, audit.Decision{ID: "2", Given: "cat", Label: "+1", Action: audit.Other})
		for decisionsOnly, want := range map[bool]string{false: tt.all, true: tt.byPeople} {
			out := filepath.Join(t.TempDir(), tt.name)
			e := expect.Got(Export(t.Context(), f, TableForm, out, Options{DecisionsOnly: decisionsOnly}))(t)
			corrections := map[bool]int{false: 2, true: 1}[decisionsOnly]
			expect.Same(t, []int{corrections, 1}, []int{e.Corrections, e.ByPeople})
			expect.Same(t, want, string(expect.Got(os.ReadFile(out))(t)))
			expect.Says(t, expect.Err(Export(t.Context(), f, TableForm, out, Options{})), "exists: choose another file")
		}
	}
	f := audit.At(filepath.Join(t.TempDir(), "audit")) // an audit of other rows
	s := audit.Summary{Source: own.Source{Path: table, Text: "text"}, Classes: []audit.Class{{Name: "cat"}, {Name: "dog"}},
		Files: []dataset.File{{Path: table, SHA256: "other"}}}
	expect.OK(t, f.WriteIssues(rows), f.WriteSummary(&s), f.WriteLabels([]audit.Label{{ID: "0"}, {ID: "2"}}))
	out := filepath.Join(t.TempDir(), "out.csv")
	expect.Is(t, expect.Err(Export(t.Context(), f, TableForm, out, Options{})), dataset.ErrData)
}
