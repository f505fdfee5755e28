package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report/reporttest"
	"github.com/losscorr/losscorr/internal/store"
)

// Each warning is printed once, even without injected noise, as on Clothing1M, or
// without an estimated T.
func TestWarningsArePrintedOnce(t *testing.T) {
	const warning = "images left out: 1, which are missing or do not decode: images/1/1.jpg: image: unknown format"
	run := func(seed uint64, loss string) store.Result {
		return store.Result{
			Config:   config.Config{Dataset: "clothing1m", Loss: loss, Seed: seed, Noise: config.Noise{Kind: "none"}},
			Warnings: []string{warning},
		}
	}
	var out bytes.Buffer
	WriteWarnings(&out, FromResults(run(1, "forward"), run(1, "backward"), run(2, "forward")))
	want := "warning (seed 1): " + warning + "\nwarning (seed 2): " + warning + "\n"
	expect.Same(t, want, out.String(), "warnings")
}

// T-hat is titled with its estimator and the seed of the run that estimated it. For many classes, only the rows with
// the fewest right labels are shown, within the width of a terminal.
func TestEstimateTable(t *testing.T) {
	few := store.TransitionInfo{Classes: []string{"a", "b"}, Estimated: [][]float64{{.8, .2}, {0, 1}}, EstimateError: .1}
	var many store.TransitionInfo
	for i := range 100 {
		row := make([]float64, 100)
		row[i], row[(i+1)%100], row[(i+7)%100] = .5+float64(i)/1000, .4, .1-float64(i)/1000
		many.Classes, many.Estimated = append(many.Classes, fmt.Sprintf("class-%02d", i)), append(many.Estimated, row)
	}
	for _, test := range []struct {
		info  *store.TransitionInfo
		lines int
		want  []string
	}{
		{&few, 5, []string{"T-hat by argmax, ", "seed 2; mean L1 distance of a row from T: 0.100\n",
			"\ntrue class     a     b\n         a  0.80  0.20\n         b     .  1.00\n"}},
		{&many, 25, []string{"\ntrue class  right  given as\n  class-00   0.50  class-01 0.40, class-07 0.10\n",
			"\n  class-19 ", "all 100 rows"}},
	} {
		c := config.Config{Dataset: "mnist", Noise: config.Noise{Kind: "symmetric", Level: .2}}
		c.Estimator.Name = "argmax"
		diverged := store.Result{Config: c, Transition: &store.TransitionInfo{}}
		c.Seed = 2
		table := EstimateTable(FromResults(diverged, store.Result{Config: c, Transition: test.info}))
		text := reporttest.Written(t, table.WriteText)
		reporttest.Holds(t, "T-hat", text, test.want...)
		expect.Same(t, test.lines, strings.Count(text, "\n"), "lines")
	}
}
