package experiments_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The table of docs/robust.md of 100 classes holds what was measured.
func TestPairsOfDigits(t *testing.T) {
	section := robustSection(t, "### Estimators at 100 classes")
	cells := map[string][]string{}
	var order []string
	for _, row := range rows(t, "../results/robust/digit-pairs.csv") {
		loss := row["loss"]
		_, estimator, _ := strings.Cut(loss, "(")
		switch estimator, _, _ = strings.Cut(estimator, " "); {
		case estimator != "":
			loss = estimator
		case loss == "forward-estimated":
			loss = "held-out" // the default of own data
		}
		cell := cellOf(t, row)
		if cells[loss] == nil {
			order = append(order, loss)
		}
		cells[loss] = append(cells[loss], cell)
		if row["seeds"] != "1 2 3" {
			t.Errorf("%s has seeds %s", loss, row["seeds"])
		}
	}
	for _, loss := range order {
		if line := "| " + loss + " | " + strings.Join(cells[loss], " | ") + " |\n"; !strings.Contains(section, line) {
			t.Errorf("the page lacks %s", line)
		}
	}
	if len(order) != 7 {
		t.Errorf("measured are %v", order)
	}
}

// The table of docs/robust.md of memorized labels holds what was measured.
func TestHeldOut(t *testing.T) {
	section := robustSection(t, "### Memorized labels")
	lines, columns := map[string][4]string{}, map[string]int{"cross-entropy ": 0, "vertices": 1, "held-out": 2, "forward ": 3}
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
		cell := cellOf(t, row)
		column, known := columns[loss]
		if cells := lines[data]; known {
			cells[column] = cell
			lines[data] = cells
		}
		if !known || row["seeds"] != "1 2 3" {
			t.Errorf("a row of %s, seeds %s", row["loss"], row["seeds"])
		}
	}
	for data, cells := range lines {
		if line := "| " + data + " | " + strings.Join(cells[:], " | ") + " |\n"; !strings.Contains(section, line) {
			t.Errorf("the page lacks %s", line)
		}
	}
	if len(lines) != 14 {
		t.Errorf("measured are %d lines, want 14", len(lines))
	}
}

// robustSection returns docs/robust.md from a title on.
func robustSection(t *testing.T, title string) string {
	t.Helper()
	page, err := os.ReadFile("../docs/robust.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), title)
	if !found {
		t.Fatalf("docs/robust.md has no %q", title)
	}
	return section
}

// cellOf returns the accuracy of a row, with its deviation from 1.0 on, and the error of T-hat if there is one.
func cellOf(t *testing.T, row map[string]string) string {
	t.Helper()
	cell := fmt.Sprintf("%.1f", number(t, row["selected_mean"]))
	if std := number(t, row["selected_std"]); std >= .995 {
		cell += fmt.Sprintf(" ± %.1f", std)
	}
	if row["estimate_error"] != "" {
		cell += fmt.Sprintf(" (%.3f)", number(t, row["estimate_error"]))
	}
	return cell
}
