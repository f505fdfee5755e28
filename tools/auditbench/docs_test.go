package auditbench

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// docs/audit-benchmark.md shows what results/audit holds, to the digit.
func TestDocsShowWhatWasMeasured(t *testing.T) {
	page, err := os.ReadFile("../../docs/audit-benchmark.md")
	if err != nil {
		t.Fatal(err)
	}
	wants := func(line string) {
		if !strings.Contains(string(page), line) {
			t.Errorf("docs/audit-benchmark.md has no line %s", line)
		}
	}
	made, mistakes := 0, 0
	for _, r := range results(t, "benchmark.csv") {
		own, beside := digits3(r["average_precision"]), digits3(r["cleanlab_average_precision"])+" ("+digits3(r["cleanlab_self_confidence"])+")"
		if r["noise"] == "real mistakes" {
			mistakes++
			wants("| " + own + " | " + beside + " | " + digits3(r["f1"]) + " | " + digits3(r["cleanlab_f1"]) + " |")
			continue
		}
		made++
		noise := strings.ReplaceAll(r["noise"], " 0.", " .")
		wants("| " + strings.Join([]string{r["data"] + ", " + noise, own, digits3(r["first_stage_average_precision"]), beside,
			digits3(r["f1"]), digits3(r["first_stage_f1"]), digits3(r["cleanlab_f1"]), decimals(r["expected_over_true"], 2)}, " | ") + " |")
	}
	if made < 7 || mistakes < 3 {
		t.Errorf("%d rows of made labels and %d of mistakes", made, mistakes)
	}
	loop := results(t, "loop.csv")
	for _, r := range loop {
		wants("| " + strings.Join([]string{r["data"] + ", " + r["noise"], r["wrong"], r["answers"], decimals(r["expected"], 0),
			digits3(r["average_precision"]), digits3(r["f1"]), digits3(r["row_error"])}, " | ") + " |")
	}
	if len(loop) < 12 {
		t.Errorf("%d rows of the loop", len(loop))
	}
}

// results reads a CSV of results/audit by the names of its columns.
func results(t *testing.T, name string) []map[string]string {
	t.Helper()
	file, err := os.Open(filepath.Join("../../results/audit", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for k, cell := range record {
			row[records[0][k]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

// digits3 writes a number with three decimals and without a leading 0; nothing, a number that
// was not measured or is 0, is .000.
func digits3(cell string) string { return decimals(cell, 3) }

func decimals(cell string, n int) string {
	v, _ := strconv.ParseFloat(cell, 64)
	text := strconv.FormatFloat(v, 'f', n, 64)
	if strings.HasPrefix(text, "0.") {
		return text[1:]
	}
	return text
}
