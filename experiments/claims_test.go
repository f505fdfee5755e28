package experiments_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

// The tables of results/robust/README.md hold the figures of results/ for every loss and estimator at the selected epoch, bold
// where results/ has them bold.
func TestRobustPageShowsWhatWasMeasured(t *testing.T) {
	page := read(t, "../results/robust/README.md")
	both := tableOf(t, page, "loss", "MNIST, none")
	mnist, imdb := map[string]string{}, map[string]string{}
	for key, cell := range both {
		switch name, noise, _ := strings.Cut(key, " | "); noise {
		case "MNIST, none":
			mnist[name+" | none"] = cell
		case "symmetric 0.5", "asymmetric 0.6":
			mnist[key] = cell
		case "IMDB, none":
			imdb[name+" | none"] = cell
		default:
			imdb[key] = cell
		}
	}
	checkRobustTable(t, "robust-mnist", mnist, 3*27, "robust/elr-mnist")
	checkRobustTable(t, "robust-imdb", imdb, 3*26, "robust/elr-imdb")
	checkRobustTable(t, "robust-estimators", tableOf(t, page, "estimator", "symmetric 0.5"), 2*9)
}

// tableOf returns the cells of the page's table with these heads, keyed by row name and column.
func tableOf(t *testing.T, page string, heads ...string) map[string]string {
	t.Helper()
	_, table, found := strings.Cut(page, "\n| "+strings.Join(heads, " | ")+" | ")
	if !found {
		t.Fatalf("results/robust/README.md has no table of %v", heads)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	head, table, _ := strings.Cut(table, "\n")
	columns := slices.Concat(heads[1:], strings.Split(strings.Trim(head, "| "), " | "))
	shown := map[string]string{}
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "| ---") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "| "), " |"), " | ")
		for j, cell := range cells[1:] {
			if cell = strings.TrimSpace(cell); cell != "" {
				shown[cells[0]+" | "+columns[j]] = cell
			}
		}
	}
	return shown
}

// checkRobustTable compares the cells of a table, and their number, with its file, and elr by accuracy with another
// file.
func checkRobustTable(t *testing.T, file string, shown map[string]string, cells int, byAccuracy ...string) {
	t.Helper()
	if len(shown) != cells {
		t.Errorf("%s: the page has %d cells, want %d", file, len(shown), cells)
	}
	for k, name := range append([]string{file}, byAccuracy...) {
		for _, row := range rows(t, "../results/"+name+".csv") {
			loss, want := robustCell(t, file, row)
			if k > 0 {
				loss += ", epoch by accuracy"
			}
			key := loss + " | " + noiseOf(row)
			if shown[key] != "" && shown[key] != want {
				t.Errorf("%s: %s: the page has %q, results/ has %s", file, key, shown[key], want)
			}
			if row["seeds"] != "1 2 3 4 5" { // as the page claims for all its tables
				t.Errorf("%s: %s: seeds are %s", file, key, row["seeds"])
			}
			delete(shown, key)
		}
	}
	for key := range shown {
		t.Errorf("%s: %s is on the page but not in results/", file, key)
	}
}

// robustCell returns the name of a row's loss or estimator, and its cell on the page.
func robustCell(t *testing.T, file string, row map[string]string) (name, cell string) {
	t.Helper()
	cell = accuracy(t, row)
	if file != "robust-estimators" || row["loss"] == "cross-entropy" {
		return row["loss"], cell
	}
	return row["estimator.name"], cell + fmt.Sprintf(" (%.3f)", number(t, row["estimate_error"]))
}

// noiseOf is the noise of a row, such as none or symmetric 0.5.
func noiseOf(row map[string]string) string {
	if row["noise.level"] == "0" {
		return row["noise.kind"]
	}
	return row["noise.kind"] + " " + row["noise.level"]
}

func read(t *testing.T, path string) string {
	t.Helper()
	text := expect.Got(os.ReadFile(path))(t)
	return string(text)
}

// shows reports lines that are missing from a text.
func shows(t *testing.T, text string, lines []string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(text, "\n"+line) {
			t.Errorf("measured, and not on the page: %s", line)
		}
	}
}

// measured reports the rows of the text's table under a head that begin with none of the lines.
func measured(t *testing.T, text, head string, count int, lines []string) {
	t.Helper()
	_, table, _ := strings.Cut(text, "\n"+head)
	table, _, _ = strings.Cut(table, "\n\n")
	shown := strings.SplitAfter(table+"\n", "\n")[2:] // below the rest of the head and the rule
	shown = shown[:max(0, len(shown)-1)]
	if len(shown) != count {
		t.Errorf("the table %s has %d rows, want %d", head, len(shown), count)
	}
	for _, row := range shown {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(row, line) }) {
			t.Errorf("on the page, and not measured: %s", row)
		}
	}
}

// rows returns the lines of a CSV file, keyed by column.
func rows(t *testing.T, path string) []map[string]string {
	t.Helper()
	lines := expect.Got(csv.NewReader(strings.NewReader(read(t, path))).ReadAll())(t)
	var out []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for k, column := range lines[0] {
			row[column] = line[k]
		}
		out = append(out, row)
	}
	return out
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v := expect.Got(strconv.ParseFloat(text, 64))(t)
	return v
}
