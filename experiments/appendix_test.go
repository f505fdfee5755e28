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

func (m measured) spread(column, settings string) string {
	m.t.Helper()
	mean, std := stat.MeanStdDev(m.of(column, settings), nil)
	return fmt.Sprintf("%.1f ± %.1f", mean, std)
}

// trapped is the number of 64 seeds below 90 % after two epochs.
func (m measured) trapped(settings string) int {
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
	return n
}

// What docs/reproduction.md says of the runs of appendix.sh is in results/appendix/runs.csv.
func TestAppendicesShowWhatWasMeasured(t *testing.T) {
	page, err := os.ReadFile("../docs/reproduction.md")
	if err != nil {
		t.Fatal(err)
	}
	runs := measured{t, rows(t, "../results/appendix/runs.csv")}
	for _, line := range imdbAppendix(runs) {
		if !strings.Contains(string(page), line+"\n") {
			t.Errorf("measured, and not on the page: %s", line)
		}
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	for _, sentence := range appendixSentences(runs) {
		if !strings.Contains(text, sentence) {
			t.Errorf("measured, and not on the page: %s", sentence)
		}
	}
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
	return lines
}

// appendixSentences are the figures that the page has in its text.
func appendixSentences(runs measured) []string {
	argmax := "dataset=mnist estimator.name=argmax " + noiseOf["asymmetric .6"]
	small := "dataset=mnist preset=code loss=sigmoid batch_size=8 "
	late := "dataset=imdb estimator.quantile=0.99 " + noiseOf["asymmetric .4"]
	text := func(loss string) string { return runs.spread("selected", "dataset=mnist preset=paper loss="+loss) }
	return []string{
		"backward and forward reach " + runs.spread("selected", "loss=backward-estimated "+argmax) + " and " + runs.spread("selected", "loss=forward-estimated "+argmax),
		fmt.Sprintf("Of 64 seeds %d are trapped so", runs.trapped("preset=code")),
		fmt.Sprintf("as in preset `fixed`, %d.", runs.trapped("preset=fixed optimizer.name=adam optimizer.learning_rate=0.003")),
		"savage reaches " + text("savage") + " and bootstrap-hard " + text("bootstrap-hard"),
		"with 8 digits per step it reaches " + runs.spread("last", small+noiseOf["asymmetric .6"]) + " at the last epoch, and " + runs.spread("last", small+noiseOf["symmetric .2"]),
		"falls to " + runs.spread("last", "dataset=mnist loss=unhinged batch_size=16") + " with 16",
		"with T-hat reach " + runs.spread("selected", "loss=backward-estimated "+late) + " and " + runs.spread("selected", "loss=forward-estimated "+late),
	}
}
