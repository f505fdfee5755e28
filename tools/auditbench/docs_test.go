package auditbench

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// docs/audit-benchmark.md shows what results/audit holds, to the digit.
func TestDocsShowWhatWasMeasured(t *testing.T) {
	page, err := os.ReadFile("../../docs/audit-benchmark.md")
	if err != nil {
		t.Fatal(err)
	}
	judged, err := os.ReadFile("../../docs/human-mistakes.md") // has benchmark.csv's rows of real mistakes
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
			if line := "| " + own + " | " + beside + " | " + digits3(r["f1"]) + " | " + digits3(r["cleanlab_f1"]) + " |"; !strings.Contains(string(judged), line) {
				t.Errorf("docs/human-mistakes.md has no line %s", line)
			}
			continue
		}
		made++
		noise := strings.ReplaceAll(r["noise"], " 0.", " .")
		wants("| " + strings.Join([]string{r["data"] + ", " + noise, own, digits3(r["first_stage_average_precision"]), beside,
			digits3(r["f1"]), digits3(r["cleanlab_f1"]), decimals(r["expected_over_true"], 2)}, " | ") + " |")
	}
	if made < 7 || mistakes < 3 {
		t.Errorf("%d rows of made labels and %d of mistakes", made, mistakes)
	}
	for _, r := range results(t, "encoder.csv") {
		name, _, _ := strings.Cut(r["data"], ",")
		wants("| " + strings.Join([]string{name + ", " + strings.ReplaceAll(r["noise"], " 0.", " ."), digits3(r["average_precision"]), digits3(r["first_stage_average_precision"]),
			digits3(r["cleanlab_average_precision"]) + " (" + digits3(r["cleanlab_self_confidence"]) + ")", digits3(r["f1"]), digits3(r["cleanlab_f1"]), decimals(r["expected_over_true"], 2)}, " | ") + " |")
	}
	for _, r := range results(t, "duplicates.csv") {
		if r["copies"] != "0" {
			wants("| " + r["kind"] + " | " + r["found_by_pixels"] + " | " + r["found"] + " |")
		} else if r["kind"] == "pairs of photos as they were" {
			wants("The features also pair " + r["found"] + " of the 10,000 photos")
		}
	}
	for _, r := range results(t, "unusual.csv") {
		wants("| " + strings.Join([]string{r["kind"], digits3(r["average_precision"]), digits3(r["precision"]), r["above_half"], r["above_half_planted"]}, " | ") + " |")
	}
	for _, line := range trainLines(t) {
		wants(line)
	}
	for _, r := range results(t, "../human/sentences.csv") {
		said := func(of string) string {
			return decimals(r[of+"expected"], 0) + " (" + decimals(r[of+"low"], 0) + " to " + decimals(r[of+"high"], 0) + ")"
		}
		both := func(column string, written func(string) string) string {
			return written(r[column]) + " / " + written(r["checked_"+column])
		}
		line := "| " + strings.Join([]string{r["draw"], r["wrong"], said(""), said("checked_"), r["wrong_after"] + " / " + r["checked_wrong_after"],
			both("average_precision", digits3), both("f1", digits3)}, " | ") + " |"
		if !strings.Contains(string(judged), line) {
			t.Errorf("docs/human-mistakes.md has no line %s", line)
		}
	}
	for _, line := range slices.Concat(fewLines(t, "few.csv", 18), fewLines(t, "topics.csv", 8)) {
		wants(line)
	}
	lines, short := loopLines(t)
	for _, line := range lines {
		wants(line)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "\n| data | wrong labels | before | 20 answers | 100 answers |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	shown := strings.Split(table, "\n")[1:]
	for _, line := range shown {
		if _, cells, _ := strings.Cut(line[2:], " | "); !slices.Contains(short, "| "+cells) {
			t.Errorf("README has the line %s, which was not measured", line)
		}
	}
	if len(shown) != 4 {
		t.Errorf("README has %d lines of the loop", len(shown))
	}
}

// fewMeans are sums over the draws of some texts.
type fewMeans struct {
	rows, wrong, sure float64 // sure is the number of audits that say a number
	said, checked     fewSums
}

// fewSums are of what an audit says.
type fewSums struct{ expected, held, precision, after float64 }

// add counts one line of few.csv or topics.csv.
func (m *fewMeans) add(t *testing.T, r map[string]string) {
	t.Helper()
	number := func(column string) float64 {
		v, err := strconv.ParseFloat(r[column], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	m.rows++
	m.wrong += number("wrong")
	for of, s := range map[string]*fewSums{"": &m.said, "checked_": &m.checked} {
		s.precision += number(of + "average_precision")
		s.after += number(of + "wrong_after")
		if weak := r["weak"] == "true"; weak && of == "" {
			continue
		}
		if number(of+"low") < number("wrong")+.5 && number("wrong") <= number(of+"high") {
			s.held++
		}
		if of == "" && r["doubted"] == "true" {
			continue
		}
		s.expected += number(of + "expected")
		if of == "" {
			m.sure++
		}
	}
}

// fewLines has a line for each number of texts and noise of a file, the means over its draws.
func fewLines(t *testing.T, file string, kinds int) (lines []string) {
	t.Helper()
	means := map[string]*fewMeans{}
	var keys []string
	for _, r := range results(t, file) {
		key := r["examples"] + ", " + strings.ReplaceAll(r["noise"], " 0.", " .")
		if means[key] == nil {
			means[key] = &fewMeans{}
			keys = append(keys, key)
		}
		means[key].add(t, r)
	}
	if len(keys) != kinds {
		t.Errorf("%s: %d kinds of texts", file, len(keys))
	}
	for _, key := range keys {
		m := means[key]
		whole := func(sum float64) string { return fmt.Sprintf("%.0f", sum/m.rows) }
		said, precision := "", ""
		if m.sure > 0 {
			said = fmt.Sprintf("%.0f", m.said.expected/m.sure)
		}
		if m.wrong > 0 {
			precision = strings.ReplaceAll(fmt.Sprintf("%.3f / %.3f", m.said.precision/m.rows, m.checked.precision/m.rows), "0.", ".")
		}
		lines = append(lines, "| "+strings.Join([]string{key, whole(m.wrong), fmt.Sprintf("%.0f of %.0f", m.sure, m.rows), said, whole(m.checked.expected),
			fmt.Sprintf("%.0f / %.0f", m.said.held, m.checked.held), whole(m.said.after) + " / " + whole(m.checked.after), precision}, " | ")+" |")
	}
	return lines
}

// trainLines has a line for each kind of labels, with the mean accuracy by what is trained on
// and its standard error.
func trainLines(t *testing.T) (lines []string) {
	t.Helper()
	accuracies := map[string]map[string][]float64{}
	var kinds []string
	for _, r := range results(t, "train.csv") {
		kind := r["data"] + ", " + r["labels"]
		if accuracies[kind] == nil {
			kinds, accuracies[kind] = append(kinds, kind), map[string][]float64{}
		}
		accuracy, err := strconv.ParseFloat(r["accuracy"], 64)
		if err != nil {
			t.Fatal(err)
		}
		accuracies[kind][r["treatment"]] = append(accuracies[kind][r["treatment"]], accuracy)
	}
	if len(kinds) < 10 {
		t.Errorf("%d kinds of labels were trained on", len(kinds))
	}
	for _, kind := range kinds {
		line := "| " + kind + " |"
		for _, treatment := range []string{"given", "corrected", "forward", "kept", "gce", "elr"} {
			if draws := accuracies[kind][treatment]; len(draws) > 0 {
				mean, std := stat.MeanStdDev(draws, nil)
				line += fmt.Sprintf(" %.1f ± %.1f", mean, std/math.Sqrt(float64(len(draws))))
			}
			line += " |"
		}
		lines = append(lines, line+"\n")
	}
	return lines
}

// loopLines has a line for each data set of the loop, each cell before and after the answers,
// and what README has of it, the wrong labels and the average precisions.
func loopLines(t *testing.T) (lines, short []string) {
	t.Helper()
	rows := results(t, "loop.csv")
	if len(rows) < 12 || len(rows)%3 != 0 {
		t.Fatalf("%d rows of the loop", len(rows))
	}
	for k := 0; k < len(rows); k += 3 {
		three := rows[k : k+3]
		for i, answers := range []string{"0", "20", "100"} {
			if r := three[i]; r["answers"] != answers || r["data"] != three[0]["data"] || r["noise"] != three[0]["noise"] {
				t.Errorf("row %d of the loop is of %s, %s after %s answers", k+i, r["data"], r["noise"], r["answers"])
			}
		}
		after := func(column string, digits int) string {
			var cells []string
			for _, r := range three {
				cells = append(cells, decimals(r[column], digits))
			}
			return strings.Join(cells, " / ")
		}
		lines = append(lines, "| "+strings.Join([]string{three[0]["data"] + ", " + three[0]["noise"], three[0]["wrong"],
			after("expected", 0), after("average_precision", 3)}, " | ")+" |")
		short = append(short, "| "+three[0]["wrong"]+" | "+strings.ReplaceAll(after("average_precision", 3), " / ", " | ")+" |")
	}
	return lines, short
}

// docs/human-mistakes.md shows what results/human holds: means over the draws, with their standard
// errors where there are several.
func TestHumanMistakesShowWhatWasMeasured(t *testing.T) {
	page, err := os.ReadFile("../../docs/human-mistakes.md")
	if err != nil {
		t.Fatal(err)
	}
	wants := func(line string) {
		if !strings.Contains(string(page), line+"\n") {
			t.Errorf("docs/human-mistakes.md has no line %s", line)
		}
	}
	rows := results(t, "../human/people.csv")
	for _, labels := range []string{"aggregated", "one annotator", "worst of three"} {
		of := func(column string) []float64 {
			var out []float64
			for _, r := range rows {
				if r["labels"] == labels {
					v, err := strconv.ParseFloat(r[column], 64)
					if err != nil {
						t.Fatal(err)
					}
					out = append(out, v)
				}
			}
			return out
		}
		share := func(column string) string {
			var out []float64
			for k, v := range of(column) {
				out = append(out, 100*v/of("examples")[k])
			}
			return strconv.FormatFloat(stat.Mean(out, nil), 'f', 1, 64)
		}
		cell := func(column string) string {
			v := of(column)
			mean, deviation := stat.MeanStdDev(v, nil)
			text := digits3(strconv.FormatFloat(mean, 'f', 6, 64))
			if len(v) > 1 {
				text += " ± " + digits3(strconv.FormatFloat(deviation/math.Sqrt(float64(len(v))), 'f', 6, 64))
			}
			return text
		}
		wants("| " + strings.Join([]string{labels, share("wrong"), cell("average_precision"), cell("first_stage_average_precision"), cell("cleanlab_average_precision"), cell("neighbours_average_precision")}, " | ") + " |")
		said := share("expected") + " (" + share("model_low") + " to " + share("model_high") + ")"
		if slices.ContainsFunc(rows, func(r map[string]string) bool { return r["labels"] == labels && r["weak"] == "true" }) {
			said = "no number: too weak"
		}
		wants("| " + strings.Join([]string{labels, share("wrong"), said, cell("f1"), cell("checks_100_f1"), cell("checks_100_best_f1"), cell("cleanlab_f1"), cell("calibration_error"), cell("checks_100_calibration_error")}, " | ") + " |")
		var cells []string
		for _, n := range []string{"50", "100", "200", "400"} {
			mean := func(column string) string {
				return decimals(strconv.FormatFloat(stat.Mean(of("checks_"+n+"_"+column), nil), 'f', 6, 64), 2)
			}
			cells = append(cells, mean("coverage")+"; "+mean("half_width"))
		}
		wants("| " + labels + " | " + strings.Join(cells, " | ") + " |")
	}
	for title, labels := range map[string]string{"photos": "none", "MNIST": "none (MNIST)"} {
		cells := []string{title}
		for _, n := range []string{"500", "3000", "10000"} {
			said, high := percentOf(t, rows, labels, n, "expected"), percentOf(t, rows, labels, n, "model_high")
			if most := slices.Max(said); most > 1 {
				t.Errorf("of %s clean labels of %s %.2f %% are said to be wrong", n, title, most)
			}
			text := func(v float64, places int) string { return decimals(strconv.FormatFloat(v, 'f', 6, 64), places) }
			cells = append(cells, text(stat.Mean(said, nil), 2)+"; "+text(slices.Max(said), 2)+"; "+strconv.FormatFloat(stat.Mean(high, nil), 'f', 1, 64))
		}
		wants("| " + strings.Join(cells, " | ") + " |")
	}
	for _, r := range results(t, "../human/label-errors.csv") {
		three := func(column string) string {
			name := column
			if column != "" {
				name += "_"
			} else {
				column = "average_precision"
			}
			return digits3(r[column]) + " (" + digits3(r[name+"low"]) + " to " + digits3(r[name+"high"]) + ")"
		}
		wants("| " + strings.Join([]string{r["data"] + ", " + r["wrong_is"], r["wrong"] + " of " + r["judged"], three(""), three("self_confidence"), three("difference")}, " | ") + " |")
	}
}

// docs/human-mistakes.md shows what is noticed without checks: of each kind of labels, the draws in which it
// is, and the least and the most standard errors. None of one T is.
func TestNoticedShowsWhatWasMeasured(t *testing.T) {
	page, err := os.ReadFile("../../docs/human-mistakes.md")
	if err != nil {
		t.Fatal(err)
	}
	signs, noticed := map[string][]float64{}, map[string]int{}
	for _, r := range results(t, "../human/noticed.csv") {
		z, err := strconv.ParseFloat(r["z"], 64)
		if err != nil {
			t.Fatal(err)
		}
		signs[r["labels"]] = append(signs[r["labels"]], z)
		if r["noticed"] == "true" {
			noticed[r["labels"]]++
		}
	}
	if len(signs) != 7 {
		t.Errorf("%d kinds of labels", len(signs))
	}
	for labels, z := range signs {
		line := fmt.Sprintf("| %s | %d of %d | %.1f to %.1f |\n", labels, noticed[labels], len(z), slices.Min(z), slices.Max(z))
		if !strings.Contains(string(page), line) {
			t.Errorf("docs/human-mistakes.md has no line %s", line)
		}
	}
}

// docs/human-mistakes.md says how much the ranking may be below the best of its signals: .003 on each kind of labels.
func TestSignalsShowWhatWasMeasured(t *testing.T) {
	page, err := os.ReadFile("../../docs/human-mistakes.md")
	if err != nil {
		t.Fatal(err)
	}
	columns := []string{"average_precision", "odds_by_t", "self_confidence", "neighbours", "discriminants"}
	of := map[string][][]float64{}
	for _, r := range results(t, "../human/noticed.csv") {
		if r["average_precision"] == "" { // of a revision that did not measure it
			continue
		}
		if of[r["labels"]] == nil {
			of[r["labels"]] = make([][]float64, len(columns))
		}
		for k, column := range columns {
			v, err := strconv.ParseFloat(r[column], 64)
			if err != nil {
				t.Fatal(err)
			}
			of[r["labels"]][k] = append(of[r["labels"]][k], v)
		}
	}
	below := 0.
	for _, values := range of {
		for _, signal := range values[1:] {
			below = max(below, stat.Mean(signal, nil)-stat.Mean(values[0], nil))
		}
	}
	if below > .003 {
		t.Errorf("the ranking is %.4f below a signal", below)
	}
	kinds := map[int]string{7: "seven"}[len(of)]
	want := fmt.Sprintf("On %s kinds of labels, of people and made by one T, it is at most %s below the best of these alone", kinds, decimals(strconv.FormatFloat(below, 'f', 6, 64), 3))
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), want) {
		t.Errorf("docs/human-mistakes.md does not say %q", want)
	}
}

// In no row is the ranking more than .003 below the first stage's and self-confidence's, but for those misses that
// docs/audit-benchmark.md names.
func TestRankingIsNotBelowSimplerOnes(t *testing.T) {
	misses := map[string]bool{"10000 photos, cnn, asymmetric 0.4": true} // docs/audit-benchmark.md says so
	for _, name := range []string{"benchmark.csv", "encoder.csv", "photos.csv"} {
		for _, r := range results(t, name) {
			var v [3]float64
			for k, column := range []string{"average_precision", "first_stage_average_precision", "cleanlab_self_confidence"} {
				v[k], _ = strconv.ParseFloat(r[column], 64) // what was not measured is 0
			}
			if v[0] < max(v[1], v[2])-.003 != misses[r["data"]+", "+r["noise"]] {
				t.Errorf("%s: %s, %s: %.4f, by the first stage %.4f, by self-confidence %.4f", name, r["data"], r["noise"], v[0], v[1], v[2])
			}
		}
	}
}

// percentOf returns a column of the draws of so many examples, in percent of them.
func percentOf(t *testing.T, rows []map[string]string, labels, examples, column string) (out []float64) {
	t.Helper()
	n, err := strconv.ParseFloat(examples, 64)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r["labels"] == labels && r["examples"] == examples {
			v, err := strconv.ParseFloat(r[column], 64)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, 100*v/n)
		}
	}
	return out
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
