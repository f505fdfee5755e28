package report

import (
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report/reporttest"
)

// A table that is read and written again does not change: each kept table, and one of data without a test set whose
// estimates have errors. Some kept tables have more columns, from comparisons that are no longer made.
func TestReadCSV(t *testing.T) {
	files, err := filepath.Glob("../../results/*.csv")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	texts := map[string]string{"no test set": head +
		"own,,mlp,fixed,,40,0,asymmetric,0.2,forward-estimated,1 2 3,0,,,,,0,0,0,0.1234,,,,2026-11-21,0.1.0,,,\n"}
	for _, file := range files {
		text, err := os.ReadFile(file)
		expect.OK(t, err)
		texts[file] = string(text)
	}
	for name, text := range texts {
		tables, err := ReadCSV(strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again := reporttest.Written(t, func(w io.Writer) error { return WriteCSV(w, tables, "0.1.0") })
		want, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		got, broken := csv.NewReader(strings.NewReader(again)).ReadAll()
		expect.OK(t, errors.Join(err, broken))
		for k := range want {
			want[k] = want[k][:len(csvHeader)]
		}
		expect.Same(t, want, got, name)
	}
}

var head = strings.Join(csvHeader, ",") + "\n"

// The paper's numbers for corrections hold for the true T and for estimates of it, so none
// stands beside a T from a file.
func TestNoPaperBesideOtherT(t *testing.T) {
	line := "mnist,,mlp,code,,40,0,asymmetric,0.2,LOSS,1 2,0,97.7,0.1,97.8,0.1,0,0,0,,,,,2026-11-21,0.1.0,,,\n"
	for loss, want := range map[string]bool{"forward": true, "forward (T from T.csv)": false, "forward-estimated": true} {
		tables, err := ReadCSV(strings.NewReader(head + strings.ReplaceAll(line, "LOSS", loss)))
		expect.OK(t, err)
		expect.Same(t, want, tables[0].Cells[0][0].Paper != nil, loss+" has a number of the paper")
	}
}

// A file of another kind is refused; an entry that does not fit is named with its line.
func TestReadCSVRefuses(t *testing.T) {
	const line = "mnist,,mlp,code,,40,0,asymmetric,0.2,forward,1 2,0,97.7,0.1,97.8,0.1,0,0,0,,97.7,0.0,0.0,,0.1.0,,,\n"
	for _, test := range []struct{ text, want string }{
		{"", "not a table"},
		{"a,b\n1,2\n", "not a table"},
		{head + strings.Replace(line, ",40,", ",forty,", 1), "line 2: epochs"},
		{head + line + strings.Replace(line, "97.7", "97,7", 1), "line 3"},
		{head + strings.Replace(line, "1 2", "1 b", 1), "line 2: seeds"},
		{head + strings.Replace(line, "97.8", "high", 1), "line 2: last_mean"},
		{head + line + line, "line 3: forward with asymmetric 0.2 comes twice"},
	} {
		_, err := ReadCSV(strings.NewReader(test.text))
		kind := errors.Is(err, ErrNoTable) == (test.want == "not a table")
		if err == nil || !strings.Contains(err.Error(), test.want) || !kind {
			t.Errorf("%q: error %v, want one with %q", test.text, err, test.want)
		}
	}
}

// A folder of kept tables makes a report; a damaged one is named, other files are not.
func TestStudyOfKeptTables(t *testing.T) {
	dir := t.TempDir()
	kept, err := os.ReadFile("../../results/cifar10-precision.csv")
	expect.OK(t, err)
	reporttest.Put(t, filepath.Join(dir, "kept.csv"), string(kept))
	reporttest.Put(t, filepath.Join(dir, "other.csv"), "a,b\n1,2\n")
	study, err := Load(dir)
	if err != nil || len(study.Tables()) != 2 {
		t.Fatalf("%d tables, %v", len(study.Tables()), err)
	}
	reporttest.Put(t, filepath.Join(dir, "broken.csv"), string(kept)+"cifar10,\n")
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "broken.csv: ") {
		t.Errorf("error %v, want one that names broken.csv", err)
	}
}
