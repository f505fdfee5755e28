package report

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/report/reporttest"
	"github.com/losscorr/losscorr/internal/store"
)

// What runs warn of is printed once, also where no noise was injected, as on
// Clothing1M, and where no T was estimated.
func TestWarningsArePrintedOnce(t *testing.T) {
	const warning = "left out of the images: 1, which are missing or do not decode: images/1/1.jpg: image: unknown format"
	run := func(seed uint64, loss string) store.Result {
		return store.Result{
			Config:   config.Config{Dataset: "clothing1m", Loss: loss, Seed: seed, Noise: config.Noise{Kind: "none"}},
			Warnings: []string{warning},
		}
	}
	var out bytes.Buffer
	WriteWarnings(&out, FromResults(run(1, "forward"), run(1, "backward"), run(2, "forward")))
	want := "warning (seed 1): " + warning + "\nwarning (seed 2): " + warning + "\n"
	if got := out.String(); got != want {
		t.Errorf("printed\n%swant\n%s", got, want)
	}
}

// T-hat stands under the seed of the run that estimated it.
func TestEstimateNamesItsSeed(t *testing.T) {
	run := func(seed uint64, t *store.TransitionInfo) store.Result {
		return store.Result{
			Config:     config.Config{Dataset: "mnist", Seed: seed, Noise: config.Noise{Kind: "symmetric", Level: .2}, Estimator: config.Estimator{Name: "argmax"}},
			Transition: t,
		}
	}
	var out bytes.Buffer
	WriteEstimate(&out, FromResults(
		run(1, &store.TransitionInfo{}), // diverged
		run(2, &store.TransitionInfo{Classes: []string{"a", "b"}, Estimated: [][]float64{{.8, .2}, {0, 1}}, EstimateError: .1}),
	))
	for _, want := range []string{"T-hat by argmax, ", "seed 2 (rows: true class); mean L1 distance of a row from T: 0.100"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// Of many classes the rows are written that have the fewest right labels, in the width of a terminal.
func TestEstimateOfManyClassesIsShort(t *testing.T) {
	const classes = 100
	info := store.TransitionInfo{}
	for i := range classes {
		row := make([]float64, classes)
		row[i], row[(i+1)%classes], row[(i+7)%classes] = .5+float64(i)/1000, .4, .1-float64(i)/1000
		info.Classes, info.Estimated = append(info.Classes, fmt.Sprintf("class-%02d", i)), append(info.Estimated, row)
	}
	c := config.Config{Dataset: "mnist", Seed: 1, Noise: config.Noise{Kind: "symmetric", Level: .2}, Estimator: config.Estimator{Name: "vertices"}}
	var out bytes.Buffer
	WriteEstimate(&out, FromResults(store.Result{Config: c, Transition: &info}))
	lines := strings.Split(strings.Trim(out.String(), "\n"), "\n")
	if len(lines) != 1+20+1 || lines[1] != "    class-00   right 0.50  class-01 0.40  class-07 0.10" || !strings.Contains(lines[21], "all 100 rows") {
		t.Errorf("%d lines:\n%s", len(lines), out.String())
	}
	if !strings.HasPrefix(strings.TrimSpace(lines[20]), "class-19") {
		t.Errorf("the last row is %s", lines[20])
	}
}

// A table of data without a test set has the estimates of the accuracy in every form.
func TestCleanAccuraciesOfTables(t *testing.T) {
	r := reporttest.Result("forward", "symmetric", .2, 1, 90, 90)
	r.CleanAccuracy = &store.CleanAccuracy{Estimate: 91.25, Low: 88, High: 93.96}
	tables := Tables(FromResults(r))
	const want = "forward (seed 1): right on about 91.2 % of new examples, 88.0 to 94.0 by the noisy labels"
	var text, latex bytes.Buffer
	if err := errors.Join(tables[0].WriteText(&text), tables[0].WriteLaTeX(&latex)); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"text": text.String(), "LaTeX": strings.ReplaceAll(latex.String(), `\%`, "%"), "Markdown": strings.Join(tables[0].Remarks(), "\n")} {
		if !strings.Contains(got, want) {
			t.Errorf("%s: no %q in\n%s", name, want, got)
		}
	}
}
