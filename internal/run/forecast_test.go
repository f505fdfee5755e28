package run

import (
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
)

// A run takes its epochs times its networks. One run of each kind is timed, with its own network and data.
func TestForecastCountsNetworks(t *testing.T) {
	runs := configtest.Load(t, "dataset: mnist\nepochs: 3\ngrid: {loss: [cross-entropy, forward, co-teaching], seed: "+
		"[1, 2]}\n")
	other := configtest.Load(t, "dataset: mnist\nepochs: 5\nbatch_size: 64\n")
	timed := 0
	got, err := forecast(append(runs, other...), func(c config.Config) (time.Duration, error) {
		timed++
		return time.Duration(c.BatchSize) * time.Second, nil
	})
	// Two seeds of 3 epochs of 1, 1 and 2 networks in batches of 128, and 5 epochs in batches of 64.
	if want := (2*3*(1+1+2)*128 + 5*64) * time.Second; err != nil || got != want || timed != 2 {
		t.Errorf("%v (%v) of %d timed kinds, want %v of 2", got, err, timed, want)
	}
}
