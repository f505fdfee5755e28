package report

import (
	"bytes"
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

// T-hat is titled with its estimator and the seed of the run that estimated it, and left out for very many classes.
func TestEstimateTable(t *testing.T) {
	c := config.Config{Dataset: "mnist", Noise: config.Noise{Kind: "symmetric", Level: .2}}
	c.Estimator.Name = "argmax"
	diverged := store.Result{Config: c, Transition: &store.TransitionInfo{}}
	c.Seed = 2
	info := &store.TransitionInfo{Classes: []string{"a", "b"}, Estimated: [][]float64{{.8, .2}, {0, 1}}, EstimateError: .1}
	runs := FromResults(diverged, store.Result{Config: c, Transition: info})
	reporttest.Holds(t, "T-hat", reporttest.Written(t, EstimateTable(runs).WriteText), "T-hat by argmax, ",
		"seed 2; mean L1 distance of a row from T: 0.100\n",
		"\ntrue class     a     b\n         a  0.80  0.20\n         b     .  1.00\n")
	info.Classes = make([]string, mostClasses+1)
	if EstimateTable(runs) != nil {
		t.Error("a table that is too wide")
	}
}
