package command

import (
	"bytes"
	"testing"

	"github.com/losscorr/losscorr/runner"
)

// What runs warn of is told once, also where no noise was injected, as on
// Clothing1M, and where no T was estimated.
func TestWarningsAreTold(t *testing.T) {
	const warning = "left out of the images: 1, which are missing or do not decode: images/1/1.jpg: image: unknown format"
	run := func(seed uint64, loss string) runner.Result {
		return runner.Result{
			Config:   runner.Config{Dataset: "clothing1m", Loss: loss, Seed: seed, Noise: runner.Noise{Kind: "none"}},
			Warnings: []string{warning},
		}
	}
	var out bytes.Buffer
	printWarnings(&out, []runner.Result{run(1, runner.Forward), run(1, runner.Backward), run(2, runner.Forward)})
	want := "warning (seed 1): " + warning + "\nwarning (seed 2): " + warning + "\n"
	if got := out.String(); got != want {
		t.Errorf("printed\n%swant\n%s", got, want)
	}
}
