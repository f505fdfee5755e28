package find

import (
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/expect"
)

// An audit takes labels as they are, its own loss, and an estimator that counts labels.
func TestCheck(t *testing.T) {
	good := config.Config{Loss: "cross-entropy", Noise: config.Noise{Kind: "none"},
		Estimator: config.Estimator{Name: "vertices"}}
	expect.OK(t, (&work{Networks: good}).Check())
	for want, change := range map[string]func(*config.Config){
		"to add noise, use losscorr noisify": func(c *config.Config) {
			c.Noise = config.Noise{Kind: "symmetric", Level: .2}
		},
		"remove the setting": func(c *config.Config) { c.Loss = "backward" },
		"an audit needs an estimator that counts labels: " +
			"vertices": func(c *config.Config) { c.Estimator.Name = "percentile" },
	} {
		c := good
		change(&c)
		if err := (&work{Networks: c}).Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}
