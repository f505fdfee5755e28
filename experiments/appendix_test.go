package experiments_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// noiseOf gives the columns of results/appendix/*.csv that name a noise of the page's tables.
var noiseOf = map[string]string{
	"symmetric .2":  "noise.kind=symmetric noise.level=0.2",
	"asymmetric .4": "noise.kind=asymmetric noise.level=0.4",
	"asymmetric .6": "noise.kind=asymmetric noise.level=0.6",
}

// measured is a table of results/appendix.
type measured struct {
	t    *testing.T
	rows []map[string]string
}

// of returns a column of the rows that have all of the settings, such as "loss=forward seed=1".
func (m measured) of(column, settings string) []float64 {
	m.t.Helper()
	var values []float64
row:
	for _, row := range m.rows {
		for _, setting := range strings.Fields(settings) {
			if key, value, _ := strings.Cut(setting, "="); row[key] != value {
				continue row
			}
		}
		values = append(values, number(m.t, row[column]))
	}
	if len(values) == 0 {
		m.t.Fatalf("no run with %s", settings)
	}
	return values
}

func (m measured) mean(column, settings string) string {
	m.t.Helper()
	return fmt.Sprintf("%.1f", stat.Mean(m.of(column, settings), nil))
}

func (m measured) spread(column, settings string) string {
	m.t.Helper()
	mean, std := stat.MeanStdDev(m.of(column, settings), nil)
	return fmt.Sprintf("%.1f ± %.1f", mean, std)
}

// trapped is the number of 64 seeds below 90 % after two epochs.
func (m measured) trapped(settings string) string {
	m.t.Helper()
	n := 0
	all := m.of("last", "dataset=mnist epochs=2 loss=forward "+settings)
	for _, accuracy := range all {
		if accuracy < 90 {
			n++
		}
	}
	if len(all) != 64 {
		m.t.Errorf("%s: %d seeds", settings, len(all))
	}
	return fmt.Sprint(n)
}

// The tables and figures of the appendices in docs/reproduction.md are those of
// results/appendix/*.csv.
func TestAppendicesShowWhatWasMeasured(t *testing.T) {
	page, err := os.ReadFile("../docs/reproduction.md")
	if err != nil {
		t.Fatal(err)
	}
	runs := measured{t, rows(t, "../results/appendix/runs.csv")}
	epochs := measured{t, rows(t, "../results/appendix/epochs.csv")}
	for _, line := range append(mnistAppendix(runs), imdbAppendix(runs)...) {
		if !strings.Contains(string(page), line+"\n") {
			t.Errorf("measured, and not on the page: %s", line)
		}
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	for _, sentence := range appendixSentences(runs, epochs) {
		if !strings.Contains(text, sentence) {
			t.Errorf("measured, and not on the page: %s", sentence)
		}
	}
}

func mnistAppendix(runs measured) []string {
	lines := []string{
		"| preset `code`: AdaGrad .01, clipping | " + runs.trapped("preset=code") + " |",
		"| no clipping, AdaGrad .01 | " + runs.trapped("preset=fixed optimizer.name=adagrad") + " |",
		"| no clipping, Adam .001 | " + runs.trapped("preset=fixed optimizer.name=adam optimizer.learning_rate=0.001") + " |",
		"| no clipping, Adam .003 (preset `fixed`) | " + runs.trapped("preset=fixed optimizer.name=adam optimizer.learning_rate=0.003") + " |",
	}
	for _, digits := range []int{64, 32, 16, 8} {
		line := fmt.Sprintf("| %d |", digits)
		for _, noise := range []string{"symmetric .2", "asymmetric .6"} {
			line += " " + runs.spread("last", fmt.Sprintf("dataset=mnist preset=code loss=sigmoid batch_size=%d %s", digits, noiseOf[noise])) + " |"
		}
		lines = append(lines, line)
	}
	return lines
}

func imdbAppendix(runs measured) []string {
	var lines []string
	for _, units := range []string{"channels (published code)", "elements (the text, read literally)"} {
		name, _, _ := strings.Cut(units, " ")
		line := "| " + units + " |"
		for _, loss := range []string{"cross-entropy", "backward", "forward"} {
			line += " " + runs.spread("selected", "dataset=imdb epochs=50 dropout_units="+name+" loss="+loss+" "+noiseOf["asymmetric .4"]) + " |"
		}
		lines = append(lines, line)
	}
	for _, estimator := range []string{"95th percentile=estimator.quantile=0.95", "99th percentile=estimator.quantile=0.99", "argmax=estimator.name=argmax"} {
		head, setting, _ := strings.Cut(estimator, "=")
		settings := "dataset=imdb " + setting + " " + noiseOf["asymmetric .4"]
		lines = append(lines, fmt.Sprintf("| %s | %s | %s | %s |", head,
			strings.TrimPrefix(fmt.Sprintf("%.2f", stat.Mean(runs.of("estimate_error", settings), nil)), "0"),
			runs.spread("selected", "loss=backward-estimated "+settings), runs.spread("selected", "loss=forward-estimated "+settings)))
	}
	return lines
}

// appendixSentences are the figures that the appendices have in their text.
func appendixSentences(runs, epochs measured) []string {
	after := func(settings string, epoch int) string {
		return epochs.mean("test_accuracy", fmt.Sprintf("epochs=200 seed=1 epoch=%d %s", epoch, settings))
	}
	argmax := "dataset=mnist estimator.name=argmax " + noiseOf["asymmetric .6"]
	clip := "dataset=mnist preset=code loss=backward clip=0"
	sentences := []string{
		"backward and forward reach " + runs.spread("selected", "loss=backward-estimated "+argmax) + " and " + runs.spread("selected", "loss=forward-estimated "+argmax),
		"bootstrap-hard reaches " + after("dataset=mnist loss=bootstrap-hard", 150) + " and savage " + after("dataset=mnist loss=savage", 150),
		runs.mean("selected", clip) + " / " + runs.mean("last", clip) + " without",
		"falls to " + runs.spread("last", "dataset=mnist loss=unhinged batch_size=16") + " with 16",
	}
	for _, loss := range []string{"unhinged", "sigmoid", "bootstrap-hard"} {
		settings := "dataset=imdb loss=" + loss + " " + noiseOf["asymmetric .4"]
		sentences = append(sentences, fmt.Sprintf("%s %s / %s / %s (", loss, after(settings, 50), after(settings, 125), after(settings, 200)))
	}
	text := func(loss string) string { return runs.spread("selected", "dataset=mnist preset=paper loss="+loss) }
	return append(sentences, "savage reaches "+text("savage")+" and bootstrap-hard "+text("bootstrap-hard"))
}
