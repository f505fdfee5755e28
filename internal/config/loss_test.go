package config_test

import (
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/expect"
)

// Runs keep the IDs they had before losses had settings.
func TestIDsStay(t *testing.T) {
	for _, tt := range []struct{ text, id string }{
		{"dataset: mnist\n", "4841fbaa2f15"},
		{"dataset: mnist\npreset: fixed\nloss: forward-estimated\nnoise: {kind: asymmetric, level: .6}\nseed: 3\n",
			"6dcdeb78e317"},
		{"dataset: imdb\nloss: backward\nnoise: {kind: symmetric, level: .1}\n", "9fa442a6c5bf"},
	} {
		expect.Same(t, tt.id, configtest.Load(t, tt.text)[0].ID(), tt.text)
	}
}

// A loss setting is part of the IDs of only the losses that read it; writing its default out changes nothing.
func TestLossSettingsInIDs(t *testing.T) {
	id := func(text string) string { return configtest.Load(t, "dataset: mnist\n"+text+"\n")[0].ID() }
	expect.Same(t, id(""), id("estimator: {name: argmax}"), "cross-entropy, which has no estimator")
	plain := id("loss: gce")
	expect.Same(t, plain, id("loss: gce\nloss_settings: {q: .7}"), "the default written out")
	if got := id("loss: gce\nloss_settings: {q: .5}"); got == plain {
		t.Errorf("q of .5 and .7 have the same ID %s", got)
	}
	c := configtest.Load(t, "dataset: mnist\nloss: gce\nloss_settings: {q: .5}\n")[0]
	expect.Same(t, c.ID(), configtest.Load(t, string(expect.Got(c.YAML())(t)))[0].ID(), "its YAML")
	c.Loss = "mae"
	expect.Same(t, id("loss: mae"), c.ID(), "mae, which does not read q")
}

// The quantile is part of the ID of runs whose estimator reads it, by its table entry.
func TestEstimatorSettingsInIDs(t *testing.T) {
	id := func(estimator string) string {
		return configtest.Load(t, "dataset: mnist\nloss: forward-estimated\nestimator: "+estimator+"\n")[0].ID()
	}
	for _, e := range estimators.All {
		if e.Trusted || e.Triples {
			continue // they need more than an estimator's settings
		}
		same := id("{name: "+e.Name+", quantile: .97}") == id("{name: "+e.Name+", quantile: .95}")
		if same == e.Quantile {
			t.Errorf("%s reads the quantile: %v; runs of .97 and .95 have one ID: %v", e.Name, e.Quantile, same)
		}
		if id("{name: "+e.Name+", kappa: .3}") == id("{name: "+e.Name+", kappa: .2}") {
			t.Errorf("%s: kappa .3 and .2, used to check its estimate, have one ID", e.Name)
		}
	}
}

// A configuration accepts a loss registered by another module, and its settings.
func TestRegisteredLoss(t *testing.T) {
	before := slices.Clone(losses.All)
	defer func() { losses.All = before }()
	const text = "dataset: mnist\nloss: my-loss\nloss_settings: {q: .7}\n"
	expect.Fails(t, loadErr(t, text), `unknown loss "my-loss"`, "before it is registered")
	expect.OK(t, losses.Register(losses.Entry{
		Name: "my-loss", About: "a loss of a test",
		Settings: []losses.Setting{{Key: "q", Default: .5, Range: losses.Range{High: 1}}},
		New:      func(*correction.Matrix, losses.Options) (losses.Loss, error) { return nil, nil },
	}))
	if c := configtest.Load(t, text)[0]; c.LossSettings.Q != .7 || !slices.Contains(config.Losses(), "my-loss") {
		t.Errorf("settings %+v; losses %v", c.LossSettings, config.Losses())
	}
}
