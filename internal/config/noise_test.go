package config_test

import (
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
)

func TestParseNoise(t *testing.T) {
	for text, want := range map[string]config.Noise{
		"none":          {Kind: "none"},
		"asymmetric:.6": {Kind: "asymmetric", Level: .6},
		"matrix:T.csv":  {Kind: "matrix", File: "T.csv"},
	} {
		if got, err := config.ParseNoise(text); err != nil || got != want {
			t.Errorf("ParseNoise(%q) = %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"symetric:.2":   `did you mean "symmetric"?`,
		"symmetric:20":  `"20" is not a number in [0, 1)`,
		"symmetric:nan": `"nan" is not a number in [0, 1)`,
	} {
		if _, err := config.ParseNoise(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseNoise(%q): %v, want %q", text, err, want)
		}
	}
}
