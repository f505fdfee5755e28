package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/losscorr/losscorr/report/reporttest"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/store"
)

func listed(t *testing.T) *Sheet {
	t.Helper()
	root := reporttest.Folders(t, func(r *store.Result) {
		r.Config.Optimizer = config.Optimizer{Name: "sgd", LearningRate: .1, Milestones: []int{40, 80}}
		if r.Config.Seed == 2 {
			r.Config.Optimizer.LearningRate = .01
			r.Selected.TrainLoss = math.NaN()
		}
	})
	study, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return List(study)
}

// entries is one column as text.
func entries(l *Sheet, name string) []string {
	var out []string
	for _, row := range l.Rows {
		out = append(out, exact(row[l.Index(name)]))
	}
	return out
}

func TestList(t *testing.T) {
	l := listed(t)
	if len(l.Rows) != 17 {
		t.Fatalf("%d rows, want 15 finished runs and 2 others", len(l.Rows))
	}
	l.Keep(func(entry func(string) string) bool {
		return entry("noise.kind") == "asymmetric" && entry("seed") != "1"
	})
	if diff := cmp.Diff([]string{"cross-entropy", "cross-entropy", "forward", "forward", "forward-estimated", "forward-estimated"}, entries(l, "loss")); diff != "" {
		t.Errorf("losses in the order of the paper's rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"", "", "", "", "0.12", "0.12"}, entries(l, "estimate_error")); diff != "" {
		t.Errorf("errors of estimates (-want +got):\n%s", diff)
	}
	// noise.kind and noise.level are the same in what is left, loss and seed not.
	if diff := cmp.Diff([]string{"loss", "seed", "optimizer.learning_rate"}, l.Changed()); diff != "" {
		t.Errorf("settings that differ (-want +got):\n%s", diff)
	}
	l.Sort([]string{"-seed", "selected"})
	if diff := cmp.Diff([]string{"2", "2", "2", "0", "0", "0"}, entries(l, "seed")); diff != "" {
		t.Errorf("seeds (-want +got):\n%s", diff)
	}
	if got := entries(l, "selected"); got[0] != "54.5" || got[2] != "97.39999999999999" {
		t.Errorf("accuracies of seed 2: %v", got[:3])
	}
	if got := l.Select([]string{"seed", "optimizer.milestones"}).Lines()[0]; !slices.Equal(got, []string{"2", "[40 80]"}) {
		t.Errorf("line %q", got)
	}
}

// What a run lacks is sorted last, whichever way.
func TestListSortsTheUnfinishedLast(t *testing.T) {
	for _, by := range []string{"selected", "-selected"} {
		l := listed(t)
		l.Sort([]string{by})
		states := entries(l, "state")
		if got := states[15:]; !slices.Equal(got, []string{"failed", "stopped"}) {
			t.Errorf("by %s: the last two are %v", by, got)
		}
	}
}

func TestListJSON(t *testing.T) {
	var b bytes.Buffer
	if err := listed(t).WriteRows(&b); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Schema int
		Runs   []map[string]any
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil || doc.Schema != 1 || len(doc.Runs) != 17 {
		t.Fatalf("schema %d, %d runs, %v", doc.Schema, len(doc.Runs), err)
	}
	var diverged, unfinished bool
	for _, r := range doc.Runs {
		diverged = diverged || r["train_loss"] == "NaN"
		unfinished = unfinished || r["state"] == "stopped" && r["selected"] == nil && r["seconds"] == 3600.
	}
	if !diverged || !unfinished {
		t.Errorf("a loss that is no number %v, an unfinished run %v", diverged, unfinished)
	}
}

// A Parquet file holds what the CSV file does.
func TestListParquet(t *testing.T) {
	l := listed(t)
	var file, text bytes.Buffer
	if err := errors.Join(l.WriteParquet(&file), l.WriteCSV(&text)); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, field := range f.Schema().Fields() {
		names = append(names, field.Name())
	}
	if diff := cmp.Diff(lines[0], names); diff != "" {
		t.Errorf("columns (-csv +parquet):\n%s", diff)
	}
	rows := f.RowGroups()[0].Rows()
	defer func() { _ = rows.Close() }()
	read := make([]parquet.Row, 20)
	n, err := rows.ReadRows(read)
	if n != 17 || err != nil && !errors.Is(err, io.EOF) {
		t.Fatalf("%d rows, %v", n, err)
	}
	for i, row := range read[:n] {
		for k, v := range row {
			var got any
			switch {
			case v.IsNull():
			case v.Kind() == parquet.Double:
				got = v.Double()
			case v.Kind() == parquet.Boolean:
				got = v.Boolean()
			case v.Kind() == parquet.Int64:
				got = v.Int64()
			default:
				got = string(v.ByteArray())
			}
			if exact(got) != lines[i+1][k] {
				t.Errorf("row %d, %s: %q, in CSV %q", i, names[k], exact(got), lines[i+1][k])
			}
		}
	}
}
