package pipeline

import (
	"strings"
	"testing"

	"github.com/losscorr/losscorr/config"
)

// 100 examples without the 10 held out make a batch of 89 and one of a single
// example, which has no variance.
func TestNormRefusesABatchOfOne(t *testing.T) {
	c := config.Config{Dataset: "mnist", BatchSize: 89, Validation: config.Holdout{Share: .1}, Loss: "sigmoid"}
	if err := fits(c, 100); err == nil || !strings.Contains(err.Error(), "batch_size: 89 leaves a last batch of one example") {
		t.Errorf("error is %v", err)
	}
	c.Loss = "savage"
	if err := fits(c, 100); err != nil {
		t.Errorf("savage: %v", err)
	}
}
