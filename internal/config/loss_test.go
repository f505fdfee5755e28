package config_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
)

// The IDs of runs are what they were before losses had settings.
func TestIDsStay(t *testing.T) {
	for _, tt := range []struct{ text, id string }{
		{"dataset: mnist\n", "4841fbaa2f15"},
		{"dataset: mnist\npreset: fixed\nloss: forward-estimated\nnoise: {kind: asymmetric, level: .6}\nseed: 3\n", "6dcdeb78e317"},
		{"dataset: imdb\nloss: backward\nnoise: {kind: symmetric, level: .1}\n", "9fa442a6c5bf"},
	} {
		if got := configtest.Load(t, tt.text)[0].ID(); got != tt.id {
			t.Errorf("%q has the ID %s, want %s", tt.text, got, tt.id)
		}
	}
}

// A setting that the loss does not read, or not with that value, is refused.
func TestProblemsOfLossSettings(t *testing.T) {
	for text, want := range map[string]string{
		"loss_settings: {q: .5}":                                          "c.yaml:2:20: loss_settings.q: is used by gce only, not by cross-entropy; remove it",
		"loss: forward\nloss_settings: {beta: 2}":                         "c.yaml:3:23: loss_settings.beta: is used by sce, nce-rce and elr only, not by forward; remove it",
		"loss: gce\nloss_settings: {q: 1.5}":                              "c.yaml:3:20: loss_settings.q: 1.5 is not in (0, 1], as gce needs it; 0 is its default, 0.7",
		"loss: sce\nloss_settings: {alpha: -1}":                           "c.yaml:3:24: loss_settings.alpha: -1 is not above 0, as sce needs it; 0 is its default, 0.1",
		"loss: negative-label-smoothing\nloss_settings: {smoothing: .1}":  "c.yaml:3:28: loss_settings.smoothing: 0.1 is not below 0, as negative-label-smoothing needs it; 0 is its default, -1",
		"loss: label-smoothing\nloss_settings: {smoothing: .1, gamma: 1}": `c.yaml:3:32: loss_settings.gamma: unknown key`,
	} {
		if diff := cmp.Diff([]string{want}, lines(loadErr(t, "dataset: mnist\n"+text+"\n"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// Settings are part of the ID of the losses that read them alone; the default is the
// default, written or not.
func TestLossSettingsInIDs(t *testing.T) {
	id := func(text string) string { return configtest.Load(t, "dataset: mnist\n"+text+"\n")[0].ID() }
	plain := id("loss: gce")
	if got := id("loss: gce\nloss_settings: {q: .7}"); got != plain {
		t.Errorf("the default in words has the ID %s, want %s", got, plain)
	}
	if got := id("loss: gce\nloss_settings: {q: .5}"); got == plain {
		t.Errorf("q of .5 and .7 have the same ID %s", got)
	}
	c := configtest.Load(t, "dataset: mnist\nloss: gce\nloss_settings: {q: .5}\n")[0]
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if again := configtest.Load(t, string(text))[0]; again.ID() != c.ID() {
		t.Errorf("its YAML has the ID %s, want %s:\n%s", again.ID(), c.ID(), text)
	}
	c.Loss = "mae"
	if got, want := c.ID(), id("loss: mae"); got != want {
		t.Errorf("mae, which does not read q, has the ID %s with it, %s without", got, want)
	}
}

// Mixtures need examples of numbers, and two networks need weights of their own.
func TestProblemsOfTrainers(t *testing.T) {
	for text, want := range map[string]string{
		"dataset: imdb\nloss: mixup\n":                          "c.yaml:2:7: loss: mixup mixes the numbers of examples, and embedding reads words",
		"dataset: mnist\nloss: co-teaching\nwarmup_epochs: 2\n": "c.yaml:3:16: warmup_epochs: co-teaching begins with all examples by itself; set it to 0",
		"dataset: mnist\nloss: co-teaching\nweights: c.yaml\n":  "c.yaml:2:7: loss: co-teaching trains two networks that differ in the weights that they start from, which a file has once",
	} {
		if got := lines(loadErr(t, text)); !slices.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
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
			t.Errorf("%s: kappa of .3 and .2, by which its estimate is checked, have one ID", e.Name)
		}
	}
}

// One T in two files is one run, and a T that has changed another one; Contents has the hashes.
func TestFilesInIDs(t *testing.T) {
	dir := configtest.Write(t, map[string]string{"a.csv": "T\n", "b.csv": "T\n", "c.csv": "U\n"})
	run := func(name string) config.Config {
		c := configtest.Load(t, "dataset: mnist\nloss: forward\n")[0]
		c.Transition, c.Noise = filepath.Join(dir, name), config.Noise{Kind: "matrix", File: filepath.Join(dir, name)}
		return c
	}
	a, b, c := run("a.csv"), run("b.csv"), run("c.csv")
	if a.ID() != b.ID() || a.ID() == c.ID() {
		t.Errorf("IDs %s and %s of one T, %s of another", a.ID(), b.ID(), c.ID())
	}
	// printf 'T\n' | sha256sum
	const sum = "678f81a714fbc72030f82f9980054d5cf90e6f041a367f7da2f35b0f7dafb0e5"
	if diff := cmp.Diff(map[string]string{"noise.file": sum, "transition": sum}, a.Contents()); diff != "" {
		t.Errorf("contents (-want +got)\n%s", diff)
	}
	a.Transition, a.Noise, a.Trusted = "", config.Noise{}, "5"
	if got := a.Contents(); len(got) != 0 {
		t.Errorf("contents %v of a run without files", got)
	}
}
