package app

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseSeeds(t *testing.T) {
	if got, err := parseSeeds("1-3, 7"); err != nil || got != "[1, 2, 3, 7]" {
		t.Errorf("%s, %v", got, err)
	}
	for _, text := range []string{"", "x", "3-1", "1,,2", "-1", "1-99999999", "0-18446744073709551615"} {
		if got, err := parseSeeds(text); err == nil {
			t.Errorf("parseSeeds(%q) = %s, want an error", text, got)
		}
	}
}

// A path is never an override, whatever its folders are called.
func TestSplit(t *testing.T) {
	names, given := Split([]string{"c.yaml", "runs/lr=.1", "optimizer.learning_rate=.1", "./x=1.csv", "trusted=a/b.csv",
		"learning-rate=2"})
	if diff := cmp.Diff([]string{"c.yaml", "runs/lr=.1", "./x=1.csv"}, names) +
		cmp.Diff([]string{"optimizer.learning_rate=.1", "trusted=a/b.csv", "learning-rate=2"}, given); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Drawn noise needs its level; without one there would be no noise.
func TestNoiseNeedsALevel(t *testing.T) {
	for _, text := range []string{"symmetric", "none,asymmetric"} {
		if _, err := parseNoises(text); err == nil || !strings.Contains(err.Error(), "needs a level") {
			t.Errorf("--noise %s: %v", text, err)
		}
	}
	for _, text := range []string{"none", "symmetric:0,asymmetric:.6", "matrix:T.csv"} {
		if _, err := parseNoises(text); err != nil {
			t.Errorf("--noise %s: %v", text, err)
		}
	}
}
