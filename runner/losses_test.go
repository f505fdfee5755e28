package runner

import (
	"strings"
	"testing"
)

// 100 examples without the 10 held out make a batch of 89 and one of a single
// example, which has no variance.
func TestNormRefusesABatchOfOne(t *testing.T) {
	c := Config{Dataset: "mnist", Batch: 89, Validation: Holdout{Share: .1}, Loss: "sigmoid"}
	if err := fits(c, 100); err == nil || !strings.Contains(err.Error(), "batch: 89 leaves a last batch of one example") {
		t.Errorf("error is %v", err)
	}
	c.Loss = "savage"
	if err := fits(c, 100); err != nil {
		t.Errorf("savage: %v", err)
	}
}
