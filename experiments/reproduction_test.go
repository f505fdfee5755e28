package experiments_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// The tables of results/README.md hold the figures of results/ with the marks of the selected epoch.
func TestReproductionPageShowsWhatWasMeasured(t *testing.T) {
	lines := append(blockLines(t, "mnist"), blockLines(t, "imdb-code", "imdb-embedding")...)
	page := read(t, "../results/README.md")
	shows(t, page, slices.Concat(lines, fixedLines(t)))
	for head, rows := range map[string]int{
		"| loss, at asymmetric .6 | selected epoch |": 10, "| loss, at less noise | selected epoch |": 7,
		"| loss | selected epoch |": 3,
	} {
		measured(t, page, head, rows, resnetLines(t))
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
			if text := strings.Join(strings.Fields(read(t, name)), " "); !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", name, want)
			}
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
	if len(losses) != 10 {
		t.Errorf("%v: %d losses", files, len(losses))
	}
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

// marked returns the accuracy of a row with the marks of the paper's table.
func marked(t *testing.T, row map[string]string) string {
	t.Helper()
	text := accuracy(t, row)
	for _, mark := range []string{"star", "dagger"} {
		if row[mark] == "true" {
			text += map[string]string{"star": "★", "dagger": "†"}[mark]
		}
	}
	return text
}

// accuracy returns a row's accuracy, with its standard deviation if that is 1.0 or more, bold as in the table.
func accuracy(t *testing.T, row map[string]string) string {
	t.Helper()
	text := plain(t, row, .95)
	if row["bold"] == "true" {
		return "**" + text + "**"
	}
	return text
}

// plain returns the accuracy of a row at the selected epoch, with its standard deviation if that is least or more.
func plain(t *testing.T, row map[string]string, least float64) string {
	t.Helper()
	text := fmt.Sprintf("%.1f", number(t, row["selected_mean"]))
	if std := number(t, row["selected_std"]); std >= least {
		text += fmt.Sprintf(" ± %.1f", std)
	}
	return text
}

// fixedLines returns the beginnings of the lines of preset fixed at asymmetric .6.
func fixedLines(t *testing.T) []string {
	t.Helper()
	at := func(file, loss string) string {
		for _, row := range rows(t, "../results/mnist-fixed"+file+".csv") {
			if noiseOf(row) == "asymmetric 0.6" && row["row"] == loss {
				return fmt.Sprintf("%.1f ± %.1f", number(t, row["selected_mean"]), number(t, row["selected_std"]))
			}
		}
		t.Errorf("no %s in mnist-fixed%s.csv", loss, file)
		return ""
	}
	var lines []string
	for _, row := range []struct{ title, loss string }{
		{"cross-entropy", "cross-entropy"},
		{"forward, true T", "forward"},
		{"forward, T-hat by vertices, labels alone", "forward-estimated"},
		{"forward, T-hat by vertices, two trusted labels per class", "forward-estimated (trusted 2)"},
	} {
		lines = append(lines, fmt.Sprintf("| %s | %s | %s | ", row.title, at("", row.loss), at("-confirmation", row.loss)))
	}
	return append(lines,
		"| forward, T-hat by the percentile, labels alone | "+
			at("-percentile", "forward-estimated (percentile quantile 0.97)")+" | | |",
		"| forward, T-hat by the percentile, two trusted labels per class | "+
			at("-percentile", "forward-estimated (percentile quantile 0.97, trusted 2)")+" | | |")
}

// resnetLines returns the beginnings of the lines of the ResNet on CIFAR-10.
func resnetLines(t *testing.T) []string {
	t.Helper()
	titles := map[string]string{
		"forward-estimated": "forward, with T-hat",
		"forward (T from results/cifar10-resnet14/T-hat-asymmetric-2.csv)": "forward, with T-hat",
		"backward (T from results/cifar10-resnet14/T-hat-percentile.csv)":  "backward, with T-hat",
		"forward (T from results/cifar10-resnet14/T-hat-symmetric-2.csv)":  "forward, with T-hat",
		"forward (T from results/cifar10-resnet14/T-hat-vertices.csv)": "forward, with T-hat by vertices and five " +
			"trusted labels of each class",
	}
	var lines []string
	var cells []map[string]string
	for _, file := range []string{"14", "14-seed2", "14-seed3", "14-rate", "14-low", "14-estimated", "14-h100", "32"} {
		cells = append(cells, rows(t, "../results/cifar10-resnet"+file+".csv")...)
	}
	for _, row := range cells {
		title := cmp.Or(titles[row["row"]], row["row"])
		if row["seeds"] != "1" {
			title += ", seed " + row["seeds"]
		}
		if row["optimizer.learning_rate"] == "0.01" {
			title += ", rate .01"
		}
		switch {
		case row["noise.kind"] == "none":
			title += ", no noise"
		case row["noise.level"] != "0.6":
			title += ", " + row["noise.kind"] + " " + strings.TrimPrefix(row["noise.level"], "0")
		case strings.Contains(row["cpu"], "H100"):
			title += ", on an H100"
		}
		lines = append(lines, fmt.Sprintf("| %s | %.1f | %.1f | %s", title, number(t, row["selected_mean"]),
			number(t, row["last_mean"]), row["paper"]))
	}
	return lines
}

// results/gpu/README.md and the page of the LSTM's run show the measured times.
func TestGPUFigures(t *testing.T) {
	var lines []string
	for _, row := range rows(t, "../results/gpu/steps.csv") {
		own, other := row["losscorr_ms"], row["pytorch_ms"]
		ratio := strings.TrimPrefix(fmt.Sprintf("%.2f", number(t, own)/number(t, other)), "0")
		lines = append(lines, fmt.Sprintf("| %s | %s | %s |\n", own, other, ratio))
	}
	for _, row := range rows(t, "../results/gpu/epochs.csv") {
		recorded := map[string]string{"auto": "yes", "off": "no"}[row["record"]]
		each := number(t, row["seconds_per_epoch"]) / number(t, row["runs_at_a_time"])
		lines = append(lines, fmt.Sprintf("| %s | %s | %s | %s | %s | %.3f |\n",
			row["run"], row["precision"], recorded, row["runs_at_a_time"], row["seconds_per_epoch"], each))
	}
	for _, line := range lines {
		if !strings.Contains(read(t, "../results/gpu/README.md"), line) {
			t.Errorf("measured, and not on the page: %s", line)
		}
	}
	runs := map[string][]map[string]string{"forward, an earlier run": rows(t, "../results/gpu/imdb-lstm-forward.csv")}
	for _, row := range rows(t, "../results/gpu/imdb-lstm.csv") {
		runs[row["loss"]] = append(runs[row["loss"]], row)
	}
	lines = nil
	for loss, epochs := range runs {
		best := slices.MinFunc(epochs, func(a, b map[string]string) int {
			return cmp.Compare(number(t, a["val_loss"]), number(t, b["val_loss"]))
		})
		last := epochs[len(epochs)-1]
		lines = append(lines, fmt.Sprintf("| %s | %s | %.1f | %.1f |",
			loss, last["epoch"], number(t, best["test_accuracy"]), number(t, last["test_accuracy"])))
	}
	shows(t, read(t, "../results/README.md"), lines)
}
