package config_test

import (
	"testing"

	"github.com/losscorr/losscorr/internal/configtest"
)

// The IDs of runs are what they were before losses had settings.
func TestIDsStay(t *testing.T) {
	for _, tt := range []struct{ text, id string }{
		{"dataset: mnist\n", "4841fbaa2f15"},
		{"dataset: mnist\npreset: fixed\nloss: forward-estimated\nnoise: {kind: asymmetric, level: .6}\nseed: 3\n", "6dcdeb78e317"},
		{"dataset: imdb\nloss: backward\nnoise: {kind: symmetric, level: .1}\n", "9fa442a6c5bf"},
	} {
		if got := configtest.Load(t, tt.text)[0].ID(); got != tt.id {
			t.Errorf("%q has the ID %s, want %s", tt.text, got, tt.id)
		}
	}
}

// A setting that the loss does not read is refused.
func TestSettingsOfOtherLosses(t *testing.T) {
	for _, text := range []string{"loss_settings: {q: .5}", "loss: forward\nloss_settings: {beta: 2}"} {
		if got := loadErr(t, "dataset: mnist\n"+text+"\n"); len(got.Problems) != 1 {
			t.Errorf("%s: %v", text, got)
		}
	}
}
