package find

import (
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Training warms up for an epoch, if it has more and the loss trains one network.
func TestWarmup(t *testing.T) {
	source := own.Source{Path: t.TempDir()}
	for _, tt := range []struct {
		settings string
		want     int
	}{
		{"seed=1", 1}, {"epochs=2", 1}, {"epochs=1", 0}, {"warmup_epochs=0", 0}, {"warmup_epochs=2", 2},
		{"loss=co-teaching-estimated", 0},
	} {
		runs, err := config.Own{Values: config.Config{Source: source, Epochs: 9}}.Runs(tt.settings)
		if err != nil {
			t.Fatal(err)
		}
		if complete(&runs[0], 100, ""); runs[0].Config.WarmupEpochs != tt.want {
			t.Errorf("%s: %d epochs, want %d", tt.settings, runs[0].Config.WarmupEpochs, tt.want)
		}
	}
}
