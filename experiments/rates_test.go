package experiments_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rateOf says what a loss reaches under a noise with a learning rate, both over its seeds.
type rateOf struct {
	seeds               []string
	criterion, selected float64 // criterion: what the epoch is selected by, the lower the better
}

// docs/robust.md lists the losses for which what selects the epochs chooses another learning
// rate than preset fixed's under some noise, with what was measured.
func TestRatesAreChosenByNoisyLabels(t *testing.T) {
	reached := map[string]*rateOf{} // by loss, noise and rate
	for _, row := range rows(t, "../results/robust/rates.csv") {
		key := strings.Join([]string{row["loss"], row["noise.kind"], row["optimizer.learning_rate"]}, " ")
		r := reached[key]
		if r == nil {
			r = &rateOf{}
			reached[key] = r
		}
		r.seeds = append(r.seeds, row["seed"])
		r.selected += number(t, row["selected"]) / 2
		if row["loss"] == "elr" {
			r.criterion -= number(t, row["val_accuracy"]) / 2
		} else {
			r.criterion += number(t, row["val_loss"]) / 2
		}
	}
	page, err := os.ReadFile("../docs/robust.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "results/robust/rates.csv")
	if !found {
		t.Fatal("docs/robust.md names no results/robust/rates.csv")
	}
	shown := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^\| ([a-z-]+) \| (.*[0-9].*) \|$`).FindAllStringSubmatch(strings.SplitN(section, "\n##", 2)[0], -1) {
		shown[line[1]] = line[2]
	}
	delete(shown, "loss")
	losses := map[string]bool{}
	for key := range reached {
		losses[strings.Fields(key)[0]] = true
	}
	for loss := range losses {
		var cells []string
		moved := false
		for _, noise := range []string{"symmetric", "asymmetric"} {
			before, other := reached[loss+" "+noise+" 0.003"], reached[loss+" "+noise+" 0.001"]
			if before == nil || other == nil || !slices.Equal(before.seeds, []string{"1", "2"}) || !slices.Equal(other.seeds, []string{"1", "2"}) {
				t.Fatalf("%s, %s: not two seeds at each rate", loss, noise)
			}
			chosen, rate := before, ".003"
			if other.criterion < before.criterion {
				chosen, rate, moved = other, ".001", true
			}
			cells = append(cells, fmt.Sprintf("%.1f", before.selected), fmt.Sprintf("%.1f (%s)", chosen.selected, rate))
		}
		want := strings.Join(cells, " | ")
		if !moved {
			want = ""
		}
		if shown[loss] != want {
			t.Errorf("%s: the page has %q, measured is %q", loss, shown[loss], want)
		}
		delete(shown, loss)
	}
	if len(losses) != 24 || len(shown) > 0 {
		t.Errorf("%d losses measured, on the page alone %v", len(losses), shown)
	}
}

// The table of docs/robust.md of 100 classes holds what was measured.
func TestPairsOfDigits(t *testing.T) {
	page, err := os.ReadFile("../docs/robust.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "### Estimators at 100 classes")
	if !found {
		t.Fatal("docs/robust.md has no section of 100 classes")
	}
	cells := map[string][]string{}
	var order []string
	for _, row := range rows(t, "../results/robust/digit-pairs.csv") {
		loss := row["loss"]
		_, estimator, _ := strings.Cut(loss, "(")
		switch estimator, _, _ = strings.Cut(estimator, " "); {
		case estimator != "":
			loss = estimator
		case loss == "forward-estimated":
			loss = "vertices"
		}
		cell := fmt.Sprintf("%.1f", number(t, row["selected_mean"]))
		if std := number(t, row["selected_std"]); std >= .995 {
			cell += fmt.Sprintf(" ± %.1f", std)
		}
		if row["estimate_error"] != "" {
			cell += fmt.Sprintf(" (%.3f)", number(t, row["estimate_error"]))
		}
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
	if len(order) != 6 {
		t.Errorf("measured are %v", order)
	}
}
