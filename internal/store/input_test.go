package store

import (
	"maps"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/expect"
)

// The input comes back from the metadata of selected weights; incomplete metadata are refused.
func TestWeightsMetadata(t *testing.T) {
	c, want := config.Config{Dataset: "mnist", Model: "mlp", Seed: 3}, Input{Schema: 1, Classes: []string{"cat", "dog"},
		Shape: []int{2}, Type: Numbers, Columns: []string{"width", "height"}}
	metadata := expect.Got(WeightsMetadata(c, want))(t)
	read, got, err := ParseWeightsMetadata(metadata)
	if err != nil || read.ID() != c.ID() || metadata[idKey] != c.ID() {
		t.Errorf("run %s, in the metadata %s, want %s; %v", read.ID(), metadata[idKey], c.ID(), err)
	}
	expect.Same(t, want, got, "input")
	for _, key := range []string{inputKey, configKey} {
		for _, value := range []string{"", "{"} {
			less := maps.Clone(metadata)
			less[key] = value
			if _, _, err := ParseWeightsMetadata(less); err == nil {
				t.Errorf("%s %q gave no error", key, value)
			}
		}
	}
}
