package command

import (
	"strings"
	"testing"
)

// Noise that is drawn needs its level: without one it would be no noise at all.
func TestNoiseNeedsALevel(t *testing.T) {
	for _, text := range []string{"symmetric", "none,asymmetric"} {
		if _, err := parseNoises(text); err == nil || !strings.Contains(err.Error(), "has no level: give its share") {
			t.Errorf("--noise %s: %v", text, err)
		}
	}
	for _, text := range []string{"none", "symmetric:0,asymmetric:.6", "matrix:T.csv"} {
		if _, err := parseNoises(text); err != nil {
			t.Errorf("--noise %s: %v", text, err)
		}
	}
}
