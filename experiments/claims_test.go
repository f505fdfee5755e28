package experiments_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
)

// What the head of a main claims is what the table that it names holds.
func TestHeadsClaimWhatWasMeasured(t *testing.T) {
	for name, level := range map[string]string{"mnist": "0.6", "imdb-embedding": "0.4"} {
		text, found := headOf(t, name), 0
		for _, row := range rows(t, "../results/"+name+".csv") {
			loss := row["loss"]
			claim := regexp.MustCompile(`[ :]` + loss + ` ([0-9.]+ ± [0-9]+\.[0-9]+)`).FindStringSubmatch(text)
			if row["noise"] != "asymmetric" || row["level"] != level || claim == nil {
				continue
			}
			found++
			want := fmt.Sprintf("%.1f ± %.1f", number(t, row["selected_mean"]), number(t, row["selected_std"]))
			if seeds := len(strings.Fields(row["seeds"])); claim[1] != want || !strings.Contains(text, fmt.Sprintf("%d seeds", seeds)) {
				t.Errorf("%s claims %s of %s, measured are %s over %d seeds", name, claim[1], loss, want, seeds)
			}
		}
		if found != 4 {
			t.Errorf("%s makes %d claims, want 4: %s", name, found, text)
		}
	}
	guide, err := os.ReadFile("../docs/reproduction.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]string{"imdb-lstm": "IMDB, LSTM", "cifar10-resnet14": "CIFAR-10, ResNet-14", "cifar10-resnet32": "CIFAR-10, ResNet-32"} {
		claim := regexp.MustCompile(`cross-entropy ([0-9.]+), forward ([0-9]+\.[0-9]+)`).FindStringSubmatch(headOf(t, name))
		if claim == nil {
			t.Errorf("%s claims nothing", name)
			continue
		}
		want := regexp.MustCompile(`(?m)^\| ` + row + `,.*\| ` + claim[1] + ` \| ` + claim[2] + ` \|$`)
		if !want.Match(guide) {
			t.Errorf("%s claims %s, which the guide's line of %s does not have", name, claim[0], row)
		}
	}
	const modest = "shows that all parts run, not the effect"
	quick, err := os.ReadFile("cifar100-resnet44/quick.yaml")
	if text := oneLine(string(quick), "#"); err != nil || !strings.Contains(text, modest) || !strings.Contains(headOf(t, "cifar100-resnet44"), modest) {
		t.Errorf("the quick version of CIFAR-100 claims more than that it %s, %v: %s", modest, err, text)
	}
	for _, name := range []string{"cifar100-resnet44", "clothing1m"} {
		if text := headOf(t, name); !strings.Contains(text, "Nothing is measured yet") {
			t.Errorf("%s: have this test compare what it claims: %s", name, text)
		}
	}
}

// The tables of docs/robust.md hold the figures of results/, of every loss and every estimator, bold as there at
// the selected epoch. CIFAR-10, one seed and scaled down, has three of its figures in the text.
func TestRobustPageShowsWhatWasMeasured(t *testing.T) {
	page, err := os.ReadFile("../docs/robust.md")
	if err != nil {
		t.Fatal(err)
	}
	both := tableOf(t, string(page), "loss", "MNIST, none")
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
	checkRobustTable(t, "robust-mnist", mnist, 3*25, "robust/elr-mnist")
	checkRobustTable(t, "robust-imdb", imdb, 3*24, "robust/elr-imdb")
	checkRobustTable(t, "robust-estimators", tableOf(t, string(page), "estimator", "symmetric 0.5"), 2*9)
	_, section, found := strings.Cut(string(page), "results/robust-cifar10.csv")
	if !found {
		t.Error("docs/robust.md does not name results/robust-cifar10.csv")
	}
	checkRobustText(t, section, rows(t, "../results/robust-cifar10.csv"))
}

// checkRobustText compares what a text says that losses reach.
func checkRobustText(t *testing.T, section string, measured []map[string]string) {
	t.Helper()
	text := strings.Join(strings.Fields(section), " ")
	found := regexp.MustCompile(`cross-entropy, ([0-9.]+): forward reaches ([0-9.]+) with the true T and ([0-9.]+) with T-hat\.`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("no figures in %.300s", text)
	}
	said := map[string]string{"cross-entropy": found[1], "forward": found[2], "forward-estimated": found[3]}
	crossEntropy := number(t, found[1]) + .05
	for _, row := range measured {
		name, _, _ := strings.Cut(row["loss"], " (")
		reached := number(t, row["selected_mean"])
		if want := fmt.Sprintf("%.1f", reached); said[name] != "" && said[name] != want {
			t.Errorf("%s: the page has %s, measured is %s", name, said[name], want)
		}
		delete(said, name)
		knowsT := slices.ContainsFunc(losses.All, func(e losses.Entry) bool { return e.Name == name && e.T == losses.KnownT })
		if !knowsT && reached > crossEntropy {
			t.Errorf("%s is better than cross-entropy: %.1f", name, reached)
		}
	}
	if len(said) > 0 || !strings.Contains(text, "one seed;") {
		t.Errorf("not measured: %v", said)
	}
}

// tableOf are the cells of the page's table whose heads begin so, by the name of the row and its column.
func tableOf(t *testing.T, page string, heads ...string) map[string]string {
	t.Helper()
	_, table, found := strings.Cut(page, "\n| "+strings.Join(heads, " | ")+" | ")
	if !found {
		t.Fatalf("docs/robust.md has no table of %v", heads)
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

// checkRobustTable compares what a table shows, so many cells, with its file, and for elr by accuracy with another.
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
			key := loss + " | " + strings.TrimSpace(row["noise"]+" "+row["level"])
			if shown[key] != "" && shown[key] != want {
				t.Errorf("%s: %s: the page has %q, measured is %s", file, key, shown[key], want)
			}
			if row["seeds"] != "1 2 3 4 5" { // what the page says of all its tables
				t.Errorf("%s: %s: measured are seeds %s", file, key, row["seeds"])
			}
			delete(shown, key)
		}
	}
	for key := range shown {
		t.Errorf("%s: %s is on the page and not measured", file, key)
	}
}

// robustCell is the name of a row's loss, or of its estimator, and what the page shows of it.
func robustCell(t *testing.T, file string, row map[string]string) (name, cell string) {
	t.Helper()
	cell = withLargeSpread(t, row)
	if row["bold"] == "1" {
		cell = "**" + cell + "**"
	}
	name, settings, _ := strings.Cut(strings.TrimSuffix(row["loss"], ")"), " (")
	if file != "robust-estimators" || name == "cross-entropy" {
		return name, cell
	}
	name = "vertices" // the preset's, which no row names
	for _, setting := range strings.Split(settings, ", ") {
		if estimator, _, found := strings.Cut(setting, " kappa"); found {
			name, _, _ = strings.Cut(estimator, " ")
		}
	}
	return name, cell + fmt.Sprintf(" (%.3f)", number(t, row["estimate_error"]))
}

// headOf is the comment above a main's package, as one line.
func headOf(t *testing.T, name string) string {
	t.Helper()
	source, err := os.ReadFile(name + "/main.go")
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(source), "\npackage main")
	if first := strings.ToUpper(name[:1]) + name[1:]; !strings.HasPrefix(head, "// "+first+" is ") {
		t.Errorf("%s does not begin with its name: %.60s", name, head)
	}
	return oneLine(head, "//")
}

// oneLine is text without the marks of comments and its breaks.
func oneLine(text, mark string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, mark, "")), " ")
}

// rows are the lines of a CSV by its columns.
func rows(t *testing.T, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
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
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// What docs/robust.md says of A = -9.21 is so.
func TestRobustPageSaysWhatADoes(t *testing.T) {
	falls := map[string]float64{}
	rises := 0.
	for _, data := range []string{"mnist", "imdb"} {
		before, after := cells(t, "robust-"+data), cells(t, "robust/log-zero-"+data)
		if len(after) < 8 {
			t.Errorf("%s: %d cells", data, len(after))
		}
		for cell, accuracy := range after {
			rises = max(rises, accuracy-before[cell])
			if strings.HasPrefix(cell, "sce ") {
				falls[data] = max(falls[data], before[cell]-accuracy)
			}
		}
	}
	page, err := os.ReadFile("../docs/robust.md")
	if err != nil {
		t.Fatal(err)
	}
	tenths := func(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.1f", x), "0") }
	want := fmt.Sprintf("rises by more than %s, and `sce` falls by up to %s on MNIST and %s on IMDB", tenths(rises), tenths(falls["mnist"]), tenths(falls["imdb"]))
	if !strings.Contains(oneLine(string(page), ""), want) {
		t.Errorf("docs/robust.md does not say that no cell %s", want)
	}
}

// cells are the accuracies of a table by loss, noise and level.
func cells(t *testing.T, file string) map[string]float64 {
	t.Helper()
	found := map[string]float64{}
	for _, row := range rows(t, "../results/"+file+".csv") {
		name, _, _ := strings.Cut(row["loss"], " (")
		found[name+" "+row["noise"]+" "+row["level"]] = number(t, row["selected_mean"])
	}
	return found
}

// The runs of elr that select the epoch by accuracy are those of the tables of docs/robust.md but for the selection.
func TestElrByAccuracyHasTheRunsOfTheTables(t *testing.T) {
	for _, data := range []string{"mnist", "imdb"} {
		before := rows(t, "../results/robust-"+data+".csv")
		for _, row := range rows(t, "../results/robust/elr-"+data+".csv") {
			if !slices.ContainsFunc(before, func(old map[string]string) bool {
				return old["loss"] == row["loss"] && old["noise"] == row["noise"] && old["level"] == row["level"] && old["last_mean"] == row["last_mean"]
			}) {
				t.Errorf("%s, %s %s: the last epoch is not that of the tables", data, row["noise"], row["level"])
			}
		}
	}
}
