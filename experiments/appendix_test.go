package experiments_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// The tables of the appendices in docs/reproduction.md hold the figures of results/appendix/*.csv.
func TestAppendicesShowWhatWasMeasured(t *testing.T) {
	page, err := os.ReadFile("../docs/reproduction.md")
	if err != nil {
		t.Fatal(err)
	}
	runs := rows(t, "../results/appendix/runs.csv")
	epochs := rows(t, "../results/appendix/epochs.csv")
	// of returns a column of the rows that have all of the settings, such as "loss=forward seed=1".
	of := func(rows []map[string]string, column, settings string) []float64 {
		t.Helper()
		var values []float64
	row:
		for _, row := range rows {
			for _, setting := range strings.Fields(settings) {
				if key, value, _ := strings.Cut(setting, "="); row[key] != value {
					continue row
				}
			}
			values = append(values, number(t, row[column]))
		}
		if len(values) == 0 {
			t.Errorf("no run with %s", settings)
		}
		return values
	}
	mean := func(values []float64) string { return fmt.Sprintf("%.1f", stat.Mean(values, nil)) }
	spread := func(values []float64) string {
		m, std := stat.MeanStdDev(values, nil)
		return fmt.Sprintf("%.1f ± %.1f", m, std)
	}
	trapped := func(settings string) string {
		n := 0
		all := of(runs, "last", "dataset=mnist preset=fixed epochs=2 loss=forward "+settings)
		for _, accuracy := range all {
			if accuracy < 90 {
				n++
			}
		}
		if len(all) != 64 {
			t.Errorf("%s: %d seeds", settings, len(all))
		}
		return fmt.Sprint(n)
	}
	column := map[string]string{
		"none": "noise.kind=none", "symmetric .1": "noise.kind=symmetric noise.level=0.1", "symmetric .2": "noise.kind=symmetric noise.level=0.2",
		"asymmetric .1": "noise.kind=asymmetric noise.level=0.1", "asymmetric .2": "noise.kind=asymmetric noise.level=0.2",
		"asymmetric .4": "noise.kind=asymmetric noise.level=0.4", "asymmetric .6": "noise.kind=asymmetric noise.level=0.6",
	}
	// across joins a cell for each noise; one that was not run is empty.
	across := func(cell func(noise string) string, noises ...string) string {
		line := ""
		for _, noise := range noises {
			line += strings.TrimRight(" | "+cell(column[noise]), " ")
		}
		return line + " |"
	}
	imdb := []string{"none", "symmetric .1", "asymmetric .1", "asymmetric .4"}

	lines := []string{
		"| AdaGrad .01 | " + trapped("optimizer.name=adagrad") + " |",
		"| Adam .001 | " + trapped("optimizer.name=adam optimizer.learning_rate=0.001") + " |",
		"| Adam .003 (preset `fixed`) | " + trapped("optimizer.name=adam optimizer.learning_rate=0.003") + " |",
		"| argmax" + across(func(noise string) string {
			both := "dataset=mnist estimator.name=argmax " + noise
			return spread(of(runs, "selected", "loss=backward-estimated "+both)) + " / " + spread(of(runs, "selected", "loss=forward-estimated "+both))
		}, "symmetric .2", "asymmetric .2", "asymmetric .6"),
	}
	for _, loss := range []string{"bootstrap-hard (the paper: 55.0)", "savage (51.3)"} {
		name, _, _ := strings.Cut(loss, " ")
		line := "| " + loss
		for _, epoch := range []int{40, 50, 75, 100, 125, 150, 200} {
			line += " | " + mean(of(epochs, "test_accuracy", fmt.Sprintf("dataset=mnist epochs=200 loss=%s epoch=%d", name, epoch)))
		}
		lines = append(lines, line+" |")
	}
	for _, digits := range []int{64, 32, 16, 8} {
		lines = append(lines, fmt.Sprintf("| %d", digits)+across(func(noise string) string {
			if digits != 16 && noise != column["symmetric .2"] && noise != column["asymmetric .6"] {
				return ""
			}
			return spread(of(runs, "last", fmt.Sprintf("dataset=mnist preset=code loss=sigmoid batch_size=%d %s", digits, noise)))
		}, "none", "symmetric .2", "asymmetric .2", "asymmetric .6"))
	}
	for _, loss := range []string{"cross-entropy", "unhinged", "sigmoid", "bootstrap-hard"} {
		for _, epoch := range []int{50, 125, 200} {
			head := "| "
			if epoch == 50 {
				head += loss + " "
			}
			lines = append(lines, fmt.Sprintf("%s| %d", head, epoch)+across(func(noise string) string {
				if (loss == "cross-entropy" || loss == "bootstrap-hard") && noise != column["none"] && noise != column["asymmetric .4"] {
					return ""
				}
				return mean(of(epochs, "test_accuracy", fmt.Sprintf("dataset=imdb epochs=200 seed=1 loss=%s epoch=%d %s", loss, epoch, noise)))
			}, imdb...))
		}
	}
	line := "| 125"
	for _, loss := range []string{"bootstrap-hard", "backward", "backward-estimated", "forward", "forward-estimated"} {
		settings := "dataset=imdb epochs=125 dropout_units=words loss=" + loss
		line += " | " + mean(of(runs, "selected", settings)) + " / " + mean(of(runs, "last", settings))
	}
	lines = append(lines, line+" |")
	for _, estimator := range []string{"95th percentile | .07=estimator.quantile=0.95", "99th percentile | .15=estimator.quantile=0.99", "argmax | .35=estimator.name=argmax"} {
		head, setting, _ := strings.Cut(estimator, "=")
		settings := "dataset=imdb " + setting + " " + column["asymmetric .4"]
		lines = append(lines, "| "+head+" | "+spread(of(runs, "selected", "loss=backward-estimated "+settings))+" | "+spread(of(runs, "selected", "loss=forward-estimated "+settings))+" |")
		if _, shown, _ := strings.Cut(head, "| "); !strings.HasPrefix(fmt.Sprintf("%.2f", stat.Mean(of(runs, "estimate_error", settings), nil)), "0"+shown) {
			t.Errorf("%s: the error of T-hat is not that of the runs", head)
		}
	}
	for _, units := range []string{"channels (published code)", "elements (the text, read literally)"} {
		name, _, _ := strings.Cut(units, " ")
		line := "| " + units
		for _, loss := range []string{"cross-entropy", "backward", "forward"} {
			settings := "dataset=imdb epochs=50 dropout_units=" + name + " loss=" + loss + " " + column["asymmetric .4"]
			line += " | " + spread(of(runs, "selected", settings)) + " / " + spread(of(runs, "last", settings))
		}
		lines = append(lines, line+" |")
	}
	for _, row := range []struct{ head, settings string }{
		{"| unhinged | 50", "loss=unhinged epochs=50"}, {"| | 125", "loss=unhinged epochs=125"}, {"| sigmoid | 50", "loss=sigmoid epochs=50"},
		{"| bootstrap-hard | 50", "loss=bootstrap-hard epochs=50"}, {"| | 125", "loss=bootstrap-hard epochs=125"},
	} {
		lines = append(lines, row.head+across(func(noise string) string {
			return mean(of(runs, "last", "dataset=imdb dropout_units=channels "+row.settings+" "+noise))
		}, imdb...))
	}
	for _, line := range lines {
		if !strings.Contains(string(page), line+"\n") {
			t.Errorf("measured, and not on the page: %s", line)
		}
	}
}
