package config_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/expect"
)

const grid = `dataset: mnist
grid:
  noise: [{kind: none}, {kind: symmetric, level: .2}]
  loss: [cross-entropy, forward]
  seed: [1, 2]
  exclude: [{noise: {kind: none}, loss: forward}]
  include: [{loss: backward, noise.kind: asymmetric, noise.level: .6}]
`

func names(runs []config.Config) []string {
	out := make([]string, len(runs))
	for i, c := range runs {
		out[i] = strings.TrimPrefix(c.Name(), "mnist ")
	}
	return out
}

// The names of runs that differ only in settings have these settings appended, unless their loss ignores them.
func TestNames(t *testing.T) {
	a := config.Config{Dataset: "mnist", Loss: "forward", Noise: config.Noise{Kind: "asymmetric", Level: .6}, Seed: 1,
		Epochs: 3, BatchSize: 32}
	b, other := a, a
	b.Epochs, b.Optimizer.LearningRate, b.Estimator.Name, b.Device = 4, .1, "vertices", "cuda"
	other.Loss, other.Epochs = "cross-entropy", 9
	part := config.Config{Dataset: "own", Model: "mlp", Noise: config.Noise{Kind: "none"}, Loss: "forward", Seed: 2,
		Folds: config.Folds{Count: 4, Out: 3}}
	want := []string{
		"mnist asymmetric .6 forward seed 1 epochs=3 optimizer.learning_rate=0", "mnist asymmetric .6 cross-entropy seed 1",
		"mnist asymmetric .6 forward seed 1 epochs=4 optimizer.learning_rate=0.1",
		"own mlp forward seed 2 without part 3 of 4",
	}
	expect.Same(t, want, config.Names([]config.Config{a, other, b, part}), "")
}

// Overrides remove axes, replace them, or enter their values.
func TestGrid(t *testing.T) {
	for name, tt := range map[string]struct {
		overrides []string
		want      []string
	}{
		"as written": {nil, []string{
			"no noise cross-entropy seed 1", "no noise cross-entropy seed 2",
			"symmetric .2 cross-entropy seed 1", "symmetric .2 cross-entropy seed 2",
			"symmetric .2 forward seed 1", "symmetric .2 forward seed 2",
			"asymmetric .6 backward seed 1", "asymmetric .6 backward seed 2",
		}},
		"a value ends an axis": {[]string{"seed=5", "loss=forward"}, []string{
			"symmetric .2 forward seed 5", "asymmetric .6 forward seed 5",
		}},
		"a list replaces an axis": {[]string{"loss=[forward]", "seed=[7,8]"}, []string{
			"symmetric .2 forward seed 7", "symmetric .2 forward seed 8",
			"asymmetric .6 forward seed 7", "asymmetric .6 forward seed 8",
		}},
		"a deeper key enters the values": {[]string{"noise.kind=symmetric", "noise.level=.4", "seed=1"}, []string{
			"symmetric .4 cross-entropy seed 1", "symmetric .4 forward seed 1", "symmetric .4 backward seed 1",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			expect.Same(t, tt.want, names(configtest.Load(t, grid, tt.overrides...)), "runs")
		})
	}
}

// A file that extends another one replaces its axes, and removes those over keys that it sets.
func TestGridExtends(t *testing.T) {
	dir := configtest.Write(t, map[string]string{
		"all.yaml": grid,
		"demo.yaml": "extends: all.yaml\nseed: 1\nepochs: 2\ngrid:\n  loss: [forward, backward]\n  noise: [{kind: " +
			"asymmetric, level: .6}]\n  include: []\n",
	})
	runs := expect.Got(config.Load(filepath.Join(dir, "demo.yaml")))(t)
	want := []string{"asymmetric .6 forward seed 1", "asymmetric .6 backward seed 1"}
	expect.Same(t, want, names(runs), "runs")
}

// An axis replaces its key completely: the level of the base does not leak into it.
func TestGridReplacesBase(t *testing.T) {
	runs := configtest.Load(t, "dataset: mnist\nnoise: {kind: symmetric, level: .5}\ngrid: {noise: [{kind: none}]}\n")
	expect.Same(t, config.Noise{Kind: "none"}, runs[0].Noise, "noise")
}

// A resolved configuration is complete: its YAML gives the same run, zeros included, whatever the preset says.
func TestYAMLRoundTrip(t *testing.T) {
	runs := configtest.Load(t, grid, "optimizer={name: sgd, epsilon: 0, momentum: 0, milestones: []}",
		"preset=[code,fixed]", "clip=0", "seed=18446744073709551615")
	for _, c := range runs {
		again := configtest.Load(t, string(expect.Got(c.YAML())(t)))
		expect.Same(t, []config.Config{c}, again, c.Name())
		expect.Same(t, c.ID(), again[0].ID(), c.Name())
	}
}

// An exclude entry leaves out the runs that match all its keys. Settings from the preset can be excluded like any
// others.
func TestExclude(t *testing.T) {
	first, forward := "no noise cross-entropy seed 1", "no noise forward seed 1"
	for _, tt := range []struct {
		grid, override string
		want           []string
	}{
		{
			"seed: [1, 2], exclude: [{loss: forward, seed: 2}, {optimizer.milestones: [1]}, {seed: 1, hidden: []}]",
			"epochs=3", []string{first, "no noise cross-entropy seed 2", forward},
		},
		{"exclude: [{loss: forward, epochs: 40, model: mlp}]", "epochs=40", []string{first}},
		{"exclude: [{loss: forward, epochs: 40, model: mlp}]", "seed=1", []string{first}},
		{"exclude: [{loss: forward, epochs: 40, model: mlp}]", "epochs=3", []string{first, forward}},
	} {
		text := "dataset: mnist\ngrid: {loss: [cross-entropy, forward], " + tt.grid + "}\n"
		expect.Same(t, tt.want, names(configtest.Load(t, text, tt.override, "optimizer.momentum=0")), tt.grid)
	}
}

// A number with a leading zero is decimal.
func TestWholeNumbers(t *testing.T) {
	for text, want := range map[string]uint64{"010": 10, "0x10": 16, "0o10": 8, "1_000": 1000, "0": 0, "+7": 7} {
		expect.Same(t, want, configtest.Load(t, "dataset: mnist\n", "seed="+text)[0].Seed, text)
	}
}

// Seeds and names give independent streams.
func TestStream(t *testing.T) {
	seen := map[uint64]string{}
	for seed := range uint64(50) {
		for _, name := range []string{"init", "noise", "shuffle", "dropout"} {
			s := config.Stream(seed, name)
			if other, twice := seen[s]; twice {
				t.Fatalf("seed %d stream %s equals %s", seed, name, other)
			}
			seen[s] = fmt.Sprint(seed, name)
		}
	}
	// printf 'noise\0\1\0\0\0\0\0\0\0' | sha256sum: the first eight bytes, little-endian
	expect.Same(t, uint64(0xcf005236bae6ae44), config.Stream(1, "noise"), "Stream(1, noise)")
}

// An override sets exactly its key, even with blanks around it, and no longer key.
func TestSets(t *testing.T) {
	overrides := []string{"seed=1", "loss = forward", "loss_settings.q=.5"}
	for key, want := range map[string]bool{"seed": true, "loss": true, "loss_settings": false, "loss_settings.q": true,
		"epochs": false} {
		expect.Same(t, want, config.Sets(overrides, key), key)
	}
	expect.Same(t, "forward", configtest.Load(t, "dataset: mnist", overrides[:2]...)[0].Loss, "loss")
}
