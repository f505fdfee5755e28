package report

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report/reporttest"
	"github.com/losscorr/losscorr/internal/store"
)

// Cells do not change when read and written again: each kept file, and data without a test set whose
// estimates have errors.
func TestReadCells(t *testing.T) {
	top, _ := filepath.Glob("../../results/*.csv")
	below, _ := filepath.Glob("../../results/*/*.csv")
	texts := map[string]string{"no test set": line(t, "estimate_error=0.1234", "selected_mean=", "selected_std=",
		"last_mean=", "last_std=", "difference=")}
	for _, file := range append(top, below...) {
		text, err := os.ReadFile(file)
		expect.OK(t, err)
		if _, err := ReadCells(bytes.NewReader(text)); !errors.Is(err, ErrNoCells) {
			texts[file] = string(text)
		}
	}
	if len(texts) < 29 {
		t.Errorf("%d files of cells", len(texts))
	}
	for name, text := range texts {
		cells, err := ReadCells(strings.NewReader(text))
		expect.OK(t, err)
		expect.Same(t, text, reporttest.Written(t, CellsTable(Blocks(cells)).WriteCSV), name)
	}
}

// line returns the CSV of a cell with some fields changed.
func line(t *testing.T, fields ...string) string {
	t.Helper()
	var results []store.Result
	for seed := range uint64(2) {
		results = append(results, reporttest.Result("forward", "asymmetric", .2, seed, 97.7, 97.8))
	}
	table := CellsTable(blocksOf(FromResults(results...)))
	for _, field := range fields {
		name, text, _ := strings.Cut(field, "=")
		table.Rows[0][slices.IndexFunc(table.Headings, func(h Heading) bool { return h.Name == name })].Text = text
	}
	return reporttest.Written(t, table.WriteCSV)
}

// The paper's corrections use the true T or an estimate, so a correction by a T from a file has
// no paper's number beside it.
func TestNoPaperBesideOtherT(t *testing.T) {
	for fields, want := range map[string]bool{
		"loss=forward": true, "transition=T.csv": false, "loss=forward-estimated": true,
	} {
		cells, err := ReadCells(strings.NewReader(line(t, fields)))
		expect.OK(t, err)
		expect.Same(t, want, cells[0].Paper != nil, fields+" has a number of the paper")
	}
}

// A file of another kind is refused; a bad entry is named with its line.
func TestReadCellsRefuses(t *testing.T) {
	_, record, _ := strings.Cut(line(t), "\n")
	for _, test := range []struct{ text, want string }{
		{"", "not a table"},
		{"a,b\n1,2\n", "not a table"},
		{line(t, "epochs=forty"), "line 2: epochs"},
		{line(t) + "97,7" + record, "line 3"},
		{line(t, "seeds=1 b"), "line 2: seeds"},
		{line(t, "last_mean=high"), "line 2: last_mean"},
		{line(t) + record, "line 3: forward with asymmetric 0.2 appears twice"},
	} {
		_, err := ReadCells(strings.NewReader(test.text))
		kind := errors.Is(err, ErrNoCells) == (test.want == "not a table")
		if err == nil || !strings.Contains(err.Error(), test.want) || !kind {
			t.Errorf("%.40q: error %v, want one with %q", test.text, err, test.want)
		}
	}
}

// A folder of kept cells makes a report; a damaged one is named, other files are not.
func TestStudyOfKeptCells(t *testing.T) {
	dir := t.TempDir()
	kept, err := os.ReadFile("../../results/cifar10-precision.csv")
	expect.OK(t, err)
	reporttest.Put(t, filepath.Join(dir, "kept.csv"), string(kept))
	reporttest.Put(t, filepath.Join(dir, "other.csv"), "a,b\n1,2\n")
	study, err := Load(dir)
	if err != nil || len(study.Blocks()) != 2 {
		t.Fatalf("%d blocks, %v", len(study.Blocks()), err)
	}
	reporttest.Put(t, filepath.Join(dir, "broken.csv"), string(kept)+"cifar10,\n")
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "broken.csv: ") {
		t.Errorf("error %v, want one that names broken.csv", err)
	}
}
