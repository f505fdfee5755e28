package experiments_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
)

// The table of 100 classes in results/robust/README.md equals results/.
func TestPairsOfDigits(t *testing.T) {
	section := robustSection(t, "### Estimators at 100 classes")
	cells := map[string][]string{}
	for _, row := range rows(t, "../results/robust/digit-pairs.csv") {
		loss := row["loss"]
		if estimator := row["estimator.name"]; estimator != "" {
			loss = estimator
		}
		cells[loss] = append(cells[loss], cellOf(t, row))
		if row["seeds"] != "1 2 3" {
			t.Errorf("%s has seeds %s", loss, row["seeds"])
		}
	}
	var lines []string
	for loss, row := range cells {
		lines = append(lines, "| "+loss+" | "+strings.Join(row, " | ")+" |\n")
	}
	if shows(t, section, lines); len(lines) != 7 {
		t.Errorf("measured are %q", lines)
	}
}

// The table of memorized labels in results/robust/README.md equals results/.
func TestHeldOut(t *testing.T) {
	section := robustSection(t, "### Memorized labels")
	cells := map[string][4]string{}
	columns := map[string]int{"cross-entropy": 0, "vertices": 1, "held-out": 2, "forward": 3}
	for _, row := range rows(t, "../results/robust/held-out.csv") {
		data := "MNIST"
		if row["dataset"] == "imdb" {
			data = "IMDB"
		}
		if examples := row["examples.train"]; examples != "0" {
			data += ", " + examples
		}
		data += " | " + noiseOf(row)
		column, known := columns[cmp.Or(row["estimator.name"], row["loss"])]
		if !known || row["seeds"] != "1 2 3" {
			t.Fatalf("a row of %s, seeds %s", row["row"], row["seeds"])
		}
		line := cells[data]
		line[column] = cellOf(t, row)
		cells[data] = line
	}
	var lines []string
	for data, line := range cells {
		lines = append(lines, "| "+data+" | "+strings.Join(line[:], " | ")+" |\n")
	}
	if measured(t, section, "| data | noise |", 9, lines); len(lines) != 14 {
		t.Errorf("measured are %d lines, want 14", len(lines))
	}
}

// robustSection returns results/robust/README.md from a title on.
func robustSection(t *testing.T, title string) string {
	t.Helper()
	_, section, found := strings.Cut(read(t, "../results/robust/README.md"), title)
	if !found {
		t.Fatalf("results/robust/README.md has no %q", title)
	}
	return section
}

// cellOf returns the accuracy of a row and the error of T-hat, if any.
func cellOf(t *testing.T, row map[string]string) string {
	t.Helper()
	cell := plain(t, row, .995)
	if row["estimate_error"] != "" {
		cell += fmt.Sprintf(" (%.3f)", number(t, row["estimate_error"]))
	}
	return cell
}
