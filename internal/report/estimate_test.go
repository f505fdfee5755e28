package report

import (
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/store"
)

// Each warning is listed once, even without injected noise, as on Clothing1M, or
// without an estimated T.
func TestWarnings(t *testing.T) {
	const warning = "images left out: 1, which are missing or do not decode: images/1/1.jpg: image: unknown format"
	run := func(seed uint64, loss string) store.Result {
		return store.Result{
			Config:   config.Config{Dataset: "clothing1m", Loss: loss, Seed: seed, Noise: config.Noise{Kind: "none"}},
			Warnings: []string{warning},
		}
	}
	got := Warnings(FromResults(run(1, "forward"), run(1, "backward"), run(2, "forward")))
	expect.Same(t, []string{"seed 1-2: " + warning}, got, "warnings")
}
