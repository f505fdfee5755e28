package config_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/expect"
)

var update = flag.Bool("update", false, "write testdata/presets.jsonl again")

// testdata/presets.jsonl holds each preset of the paper's networks, and of a user's data, as
// it was checked against the paper's Section 5 and the published code: a setting that changes
// there changes what is reproduced.
func TestPresetsAreAsPublished(t *testing.T) {
	dir := configtest.Write(t, map[string]string{"t.csv": "x,label\n1,a\n2,b\n",
		"words.csv": "text,label\na b,a\nb c,b\n"})
	var got strings.Builder
	for _, network := range []string{
		"dataset: mnist", "dataset: imdb", "dataset: imdb\nmodel: lstm", "dataset: cifar10",
		"dataset: cifar10\nmodel: resnet32",
		"dataset: cifar100", "dataset: clothing1m", "dataset: clothing1m-clean",
		"dataset: own\nmodel: mlp\nsource: {path: t.csv, features: [x]}",
		"dataset: own\nmodel: word-average\nsource: {path: words.csv, text: text}",
	} {
		for _, preset := range config.Presets {
			expect.OK(t, os.WriteFile(filepath.Join(dir, "c.yaml"), []byte(network+"\npreset: "+preset+"\n"), 0o666))
			line := expect.Got(json.Marshal(own(t, dir)))(t)
			fmt.Fprintf(&got, "%s\n", strings.ReplaceAll(string(line), dir+string(filepath.Separator), ""))
		}
	}
	const golden = "testdata/presets.jsonl"
	if *update {
		expect.OK(t, os.WriteFile(golden, []byte(got.String()), 0o666))
	}
	want := strings.Split(string(expect.Got(os.ReadFile(golden))(t)), "\n")
	expect.Same(t, want, strings.Split(got.String(), "\n"), "check the paper, then run this test with -update")
}

// The ends of open and closed intervals.
func TestBounds(t *testing.T) {
	good := configtest.Load(t, "dataset: mnist\nloss: forward\nnoise: {kind: symmetric, level: .2}\nepochs: 3\n")[0]
	for name, c := range map[string]struct {
		set func(c *config.Config)
		ok  bool
	}{
		"dropout 0":           {func(c *config.Config) { c.Dropout = 0 }, true},
		"dropout .999":        {func(c *config.Config) { c.Dropout = .999 }, true},
		"dropout 1":           {func(c *config.Config) { c.Dropout = 1 }, false},
		"clip 0":              {func(c *config.Config) { c.Clip = 0 }, true},
		"clip .499":           {func(c *config.Config) { c.Clip = .499 }, true},
		"clip .5":             {func(c *config.Config) { c.Clip = .5 }, false},
		"share 0":             {func(c *config.Config) { c.Validation.Share = 0 }, false},
		"share 1":             {func(c *config.Config) { c.Validation.Share = 1 }, false},
		"level 0":             {func(c *config.Config) { c.Noise.Level = 0 }, true},
		"level 1":             {func(c *config.Config) { c.Noise.Level = 1 }, false},
		"no epoch":            {func(c *config.Config) { c.Epochs = 0 }, false},
		"one epoch":           {func(c *config.Config) { c.Epochs = 1 }, true},
		"no example":          {func(c *config.Config) { c.BatchSize = 0 }, false},
		"warm-up throughout":  {func(c *config.Config) { c.WarmupEpochs = 3 }, false},
		"warm-up but for one": {func(c *config.Config) { c.WarmupEpochs = 2 }, true},
		"negative steps":      {func(c *config.Config) { c.StepsPerEpoch = -1 }, false},
		"quantile 1":          {func(c *config.Config) { c.Estimator.Quantile = 1 }, false},
		"quantile .999":       {func(c *config.Config) { c.Estimator.Quantile = .999 }, true},
		"rate 0":              {func(c *config.Config) { c.Optimizer.LearningRate = 0 }, false},
		"momentum 1":          {func(c *config.Config) { c.Optimizer.Name, c.Optimizer.Momentum = "sgd", 1 }, false},
	} {
		changed := good
		c.set(&changed)
		if err := changed.Validate(); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
