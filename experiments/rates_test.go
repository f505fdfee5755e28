package experiments_test

import (
	"fmt"
	"strings"
	"testing"
)

// The table of 100 classes in docs/robust.md equals results/.
func TestPairsOfDigits(t *testing.T) {
	section := robustSection(t, "### Estimators at 100 classes")
	cells := map[string][]string{}
	for _, row := range rows(t, "../results/robust/digit-pairs.csv") {
		loss := row["loss"]
		_, estimator, _ := strings.Cut(loss, "(")
		switch estimator, _, _ = strings.Cut(estimator, " "); {
		case estimator != "":
			loss = estimator
		case loss == "forward-estimated":
			loss = "held-out" // the default of own data
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

// The table of memorized labels in docs/robust.md equals results/.
func TestHeldOut(t *testing.T) {
	section := robustSection(t, "### Memorized labels")
	cells := map[string][4]string{}
	columns := map[string]int{"cross-entropy ": 0, "vertices": 1, "held-out": 2, "forward ": 3}
	for _, row := range rows(t, "../results/robust/held-out.csv") {
		data := "MNIST"
		if row["dataset"] == "imdb" {
			data = "IMDB"
		}
		if _, examples, some := strings.Cut(row["settings"], "examples.train "); some {
			examples, _, _ = strings.Cut(examples, ",")
			data += ", " + examples
		}
		data += " | " + strings.TrimSpace(row["noise"]+" "+row["level"])
		loss := row["loss"]
		if before, settings, _ := strings.Cut(loss, "("); before == "forward-estimated " {
			loss = "vertices"
			if strings.Contains(settings, "held-out") {
				loss = "held-out"
			}
		} else {
			loss = before
		}
		column, known := columns[loss]
		if !known || row["seeds"] != "1 2 3" {
			t.Fatalf("a row of %s, seeds %s", row["loss"], row["seeds"])
		}
		line := cells[data]
		line[column] = cellOf(t, row)
		cells[data] = line
	}
	var lines []string
	for data, line := range cells {
		lines = append(lines, "| "+data+" | "+strings.Join(line[:], " | ")+" |\n")
	}
	if shows(t, section, lines); len(lines) != 14 {
		t.Errorf("measured are %d lines, want 14", len(lines))
	}
}

// robustSection returns docs/robust.md from a title on.
func robustSection(t *testing.T, title string) string {
	t.Helper()
	_, section, found := strings.Cut(read(t, "../docs/robust.md"), title)
	if !found {
		t.Fatalf("docs/robust.md has no %q", title)
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
