package config

import (
	"cmp"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Own describes runs on a user's own data by values, as a program does. They lie over the preset
// fixed and its defaults for the kind of the data, and under the settings that a user writes. A field
// that is zero leaves the default.
type Own struct {
	Source    own.Source
	Model     string
	Device    string
	Losses    []string // a run with each
	Folds     Folds
	Epochs    int
	BatchSize int
	Rate      float64 // the learning rate of the first epoch
	Estimator string

	WarmupEpochs int    // of losses that take them, where a run has more epochs than that
	Transition   string // the file of T, for losses of a known T
	Corrected    string // the file of corrected labels, for losses that use no T
	Trusted      string // the file of known labels

	Targets map[string]string // by loss, the file of targets of losses that take them

	// What the data has, so that settings can be checked before it is read.

	Labelled   bool // there are known labels, which Trusted has when they are read
	LabelsOnly bool // there may be labels without examples, since no network is trained
}

// ownPreset has the defaults of own data.
const ownPreset = "fixed"

// ReadOwn returns the document of runs on own data, with the settings that a user has written.
func ReadOwn(o Own, overrides ...string) (*Document, error) {
	empty := func(string) ([]byte, error) { return []byte("{}\n"), nil }
	return read("command line", empty, false, overrides, &o)
}

// With returns the document with other values under what the user has written.
func (d *Document) With(o Own) *Document {
	other := *d
	other.own = &o
	return &other
}

// losses returns the losses of the runs, "" for that of the settings alone.
func (o *Own) losses() []string {
	if o == nil || len(o.Losses) == 0 {
		return []string{""}
	}
	return o.Losses
}

// values returns the settings that lie between the preset and the user's.
func (o *Own) values(loss string, at Position) values {
	if o == nil {
		return nil
	}
	c := Config{Dataset: dataset.OwnName, Preset: ownPreset, Source: o.Source, Model: o.Model, Device: o.Device,
		Loss: loss, Folds: o.Folds, Epochs: o.Epochs, BatchSize: o.BatchSize, Trusted: o.Trusted}
	c.Optimizer.LearningRate, c.Estimator.Name = o.Rate, o.Estimator
	if Exported(c.Model) {
		c.Model = absolute("", c.Model)
	}
	return valuesOf(c, at)
}

// complete sets the values that depend on other settings, unless the user has given them.
func (o *Own) complete(c *Config, given values) {
	if o == nil {
		return
	}
	loss := c.LossEntry()
	if _, set := given["warmup_epochs"]; !set && 0 < o.WarmupEpochs && o.WarmupEpochs < c.Epochs && loss.Networks < 2 {
		c.WarmupEpochs = o.WarmupEpochs
	}
	if loss.T == losses.KnownT {
		c.Transition = cmp.Or(c.Transition, o.Transition)
	}
	if loss.Relabels() && o.Corrected != "" {
		c.Corrected, c.Transition = cmp.Or(c.Corrected, o.Corrected), cmp.Or(c.Transition, o.Transition)
	}
	if loss.Targets {
		c.Targets = cmp.Or(c.Targets, o.Targets[c.Loss])
	}
}

// deferred reports whether a problem may vanish once the data has been read.
func (o *Own) deferred(c Config, p Problem) bool {
	return o != nil && (p.Key == "trusted" && c.Trusted == "" && o.Labelled || p.Key == "source.path" &&
		c.Source.Path == "" && o.LabelsOnly)
}
