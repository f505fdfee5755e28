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

// names are those of the parts that choose the defaults of a preset.
type names struct{ dataset, preset, model string }

// names are those that hold where no setting names others.
func (o *Own) names() (n names) {
	if o != nil {
		n = names{dataset: dataset.OwnName, preset: ownPreset, model: o.Model}
	}
	return n
}

// source is where the data is, if no setting says otherwise.
func (o *Own) source() (s own.Source) {
	if o != nil {
		s = o.Source
	}
	return s
}

// over sets the values over the defaults of the preset, and returns their keys.
func (o *Own) over(c *Config, loss string) (keys []string) {
	if o == nil {
		return nil
	}
	c.Dataset, c.Preset, c.Trusted = dataset.OwnName, ownPreset, o.Trusted
	if Exported(o.Model) {
		c.Model = absolute("", o.Model)
	}
	if o.Model != "" && c.Model != "" { // the preset has set it, where the name is known
		keys = append(keys, "model")
	}
	put(&keys, "device", &c.Device, o.Device)
	put(&keys, "folds.count", &c.Folds.Count, o.Folds.Count)
	put(&keys, "folds.out", &c.Folds.Out, o.Folds.Out)
	put(&keys, "loss", &c.Loss, loss)
	put(&keys, "epochs", &c.Epochs, o.Epochs)
	put(&keys, "batch_size", &c.BatchSize, o.BatchSize)
	put(&keys, "optimizer.learning_rate", &c.Optimizer.LearningRate, o.Rate)
	put(&keys, "estimator.name", &c.Estimator.Name, o.Estimator)
	return keys
}

// put sets a value that is not zero and adds its key.
func put[T comparable](keys *[]string, key string, at *T, v T) {
	var zero T
	if v != zero {
		*at, *keys = v, append(*keys, key)
	}
}

// complete sets the values that depend on the user's settings, where these leave them.
func (o *Own) complete(c *Config, given *value) {
	if o == nil {
		return
	}
	loss := c.LossEntry()
	if given.get("warmup_epochs") == nil && 0 < o.WarmupEpochs && o.WarmupEpochs < c.Epochs && loss.Networks < 2 {
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

// later reports whether a problem of a configuration is one no more when the data is known.
func (o *Own) later(c Config, p Problem) bool {
	return o != nil && (p.Key == trustedKey && c.Trusted == "" && o.Labelled || p.Key == "source.path" &&
		c.Source.Path == "" && o.LabelsOnly)
}
