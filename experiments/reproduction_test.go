package experiments_test

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

// The main tables of results/README.md hold the figures of results/ with the marks of the selected epoch.
func TestReproductionPageShowsWhatWasMeasured(t *testing.T) {
	page := read(t, "../results/README.md")
	for _, line := range append(blockLines(t, "mnist"), blockLines(t, "imdb-code", "imdb-embedding")...) {
		expect.Says(t, page, "\n"+line)
	}
}

var (
	figure = regexp.MustCompile(`\b\d+\.\d(?: ± \d+\.\d)?\b`)
	noise  = regexp.MustCompile(`symmetric \d\.\d|\(\d\.\d+\)`) // and the error of an estimate
)

// Each accuracy in the tables of results/robust/README.md is one in results/, of the loss or estimator that its line
// begins with, where it begins with one.
func TestFiguresWereMeasured(t *testing.T) {
	files := expect.Got(filepath.Glob("../results/*.csv"))(t)
	files = append(files, expect.Got(filepath.Glob("../results/robust/*.csv"))(t)...)
	measured := map[string]map[string]bool{"": {}}
	add := func(name, value string) {
		if measured[name] == nil {
			measured[name] = map[string]bool{}
		}
		measured[name][value], measured[""][value] = true, true
	}
	for _, file := range files {
		for _, row := range rows(t, file) {
			for _, name := range []string{row["loss"], row["estimator.name"]} {
				for _, column := range []string{"selected", "last"} {
					if row[column+"_mean"] != "" {
						mean, std := number(t, row[column+"_mean"]), number(t, cmp.Or(row[column+"_std"], "0"))
						add(name, fmt.Sprintf("%.1f", mean))
						add(name, fmt.Sprintf("%.1f ± %.1f", mean, std))
					}
				}
				if row["paper"] != "" {
					add(name, row["paper"])
				}
			}
		}
	}
	checked := 0
	for line := range strings.Lines(read(t, "../results/robust/README.md")) {
		cells := strings.Split(noise.ReplaceAllString(line, ""), "|")
		if len(cells) < 3 {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimSpace(cells[1]), ",")
		known := measured[name]
		if known == nil {
			known = measured[""]
		}
		for _, value := range figure.FindAllString(strings.Join(cells[2:], "|"), -1) {
			if checked++; !known[value] {
				t.Errorf("%s was not measured: %s", value, line)
			}
		}
	}
	if checked < 200 {
		t.Errorf("found only %d figures", checked)
	}
}

// README and the page state the right number of cells near the paper's.
func TestCellsNearThePaper(t *testing.T) {
	for file, said := range map[string][2]string{
		"mnist": {"%d of 40 cells are within a point of the paper", "| %d cells, %d within 1.5 points |"},
		"imdb-code": {"%d of 40 with the code as published",
			"| %d cells with the code as published, %d within 1.5;"},
		"imdb-embedding": {"", "; %d and %d if dropout drops whole words |"},
	} {
		within := map[float64]int{}
		for _, row := range rows(t, "../results/"+file+".csv") {
			printed := math.Round(10*number(t, row["selected_mean"])) / 10
			for _, points := range []float64{1, 1.5} {
				if math.Abs(printed-number(t, row["paper"])) < points+.01 {
					within[points]++
				}
			}
		}
		for k, name := range []string{"../README.md", "../results/README.md"} {
			want := fmt.Sprintf(said[k], []any{within[1], within[1.5]}[:strings.Count(said[k], "%d")]...)
			expect.Says(t, strings.Join(strings.Fields(read(t, name)), " "), want)
		}
	}
}

// blockLines returns the lines of a block's table: each cell has the means of the files and the paper's.
func blockLines(t *testing.T, files ...string) []string {
	t.Helper()
	var losses []string
	cells := map[string][][]string{} // by loss and column
	for k, file := range files {
		column := map[string]int{}
		for _, row := range rows(t, "../results/"+file+".csv") {
			loss := row["loss"]
			if cells[loss] == nil {
				losses = append(losses, loss)
			}
			if k == 0 {
				cells[loss] = append(cells[loss], nil)
			}
			j := column[loss]
			column[loss]++
			cells[loss][j] = append(cells[loss][j], marked(t, row))
			if k == len(files)-1 {
				cells[loss][j] = []string{strings.Join(cells[loss][j], " / ") + " (" + row["paper"] + ")"}
			}
		}
	}
	expect.Same(t, 10, len(losses), "losses of", files)
	var lines []string
	for _, loss := range losses {
		line := "| " + loss + " |"
		for _, cell := range cells[loss] {
			line += " " + cell[0] + " |"
		}
		lines = append(lines, line)
	}
	return lines
}

// marked returns the accuracy of a row at the selected epoch, with its standard deviation if that is 1.0 or more, and
// with the marks of the paper's table.
func marked(t *testing.T, row map[string]string) string {
	t.Helper()
	text := fmt.Sprintf("%.1f", number(t, row["selected_mean"]))
	if std := number(t, row["selected_std"]); std >= .95 {
		text += fmt.Sprintf(" ± %.1f", std)
	}
	if row["bold"] == "true" {
		text = "**" + text + "**"
	}
	for _, mark := range []string{"star", "dagger"} {
		if row[mark] == "true" {
			text += map[string]string{"star": "★", "dagger": "†"}[mark]
		}
	}
	return text
}

func read(t *testing.T, path string) string {
	t.Helper()
	return string(expect.Got(os.ReadFile(path))(t))
}

// rows returns the lines of a CSV file, keyed by column.
func rows(t *testing.T, path string) (out []map[string]string) {
	t.Helper()
	lines := expect.Got(csv.NewReader(strings.NewReader(read(t, path))).ReadAll())(t)
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
	return expect.Got(strconv.ParseFloat(text, 64))(t)
}
