package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What WriteCSV writes is read back and written alike, of every table that is kept. Some have more columns,
// of comparisons that are no longer made.
func TestReadCSV(t *testing.T) {
	files, err := filepath.Glob("../../results/*.csv")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tables, err := ReadCSV(bytes.NewReader(want))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		var got bytes.Buffer
		if err := WriteCSV(&got, tables, "0.1.0"); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(bytes.NewReader(want)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for k := range lines {
			lines[k] = lines[k][:len(csvHeader)]
		}
		written, err := csv.NewReader(&got).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(lines, written); diff != "" {
			t.Errorf("%s (-file +read and written):\n%s", file, diff)
		}
	}
}

// The paper's numbers of corrections are those of the true T and of its estimates, and stand
// beside no T from a file.
func TestNoPaperBesideOtherT(t *testing.T) {
	line := "mnist,,mlp,code,,40,0,asymmetric,0.2,LOSS,1 2,0,97.7,0.1,97.8,0.1,0,0,0,,,,,2026-11-21,0.1.0,,,\n"
	for loss, want := range map[string]bool{"forward": true, "forward (T from T.csv)": false, "forward-estimated": true} {
		tables, err := ReadCSV(strings.NewReader(strings.Join(csvHeader, ",") + "\n" + strings.ReplaceAll(line, "LOSS", loss)))
		if err != nil {
			t.Fatal(err)
		}
		if got := tables[0].Cells[0][0].Paper != nil; got != want {
			t.Errorf("%s has a number of the paper: %v, want %v", loss, got, want)
		}
	}
}

// An estimate has an error where there is no test set.
func TestReadCSVKeepsEstimateErrors(t *testing.T) {
	head := strings.Join(csvHeader, ",") + "\n"
	tables, err := ReadCSV(strings.NewReader(head +
		"own,,mlp,fixed,,40,0,asymmetric,0.2,forward-estimated,1 2 3,0,,,,,0,0,0,0.1234,,,,2026-11-21,0.1.0,,,\n"))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteCSV(&b, tables, "0.1.0"); err != nil || !strings.Contains(b.String(), ",0.1234,") {
		t.Errorf("the error of the estimate is lost: %v\n%s", err, b.String())
	}
}

func TestReadCSVRefuses(t *testing.T) {
	head := strings.Join(csvHeader, ",") + "\n"
	line := "mnist,,mlp,code,,40,0,asymmetric,0.2,forward,1 2,0,97.7,0.1,97.8,0.1,0,0,0,,97.7,0.0,0.0,2026-11-21,0.1.0,,,\n"
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
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want one with %q", test.text, err, test.want)
		}
	}
	if _, err := ReadCSV(strings.NewReader("epoch,loss\n")); !errors.Is(err, ErrNoTable) {
		t.Errorf("error %v, want ErrNoTable", err)
	}
}

// A folder of kept tables makes a report.
func TestStudyOfKeptTables(t *testing.T) {
	dir := t.TempDir()
	kept, err := os.ReadFile("../../results/cifar10-precision.csv")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"kept.csv": kept, "other.csv": []byte("a,b\n1,2\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	study, err := Load(dir)
	if err != nil || len(study.Tables()) != 2 {
		t.Fatalf("%d tables, %v", len(study.Tables()), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "broken.csv"), append(kept, "cifar10,\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "broken.csv: ") {
		t.Errorf("error %v, want one that names broken.csv", err)
	}
}
