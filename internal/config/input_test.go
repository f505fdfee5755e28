package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
)

// Noise that a data set has none of is one problem, told where it was written with
// what is possible.
func TestNoiseThatDataCannotHave(t *testing.T) {
	for _, tt := range []struct{ text, override, want string }{
		{
			"dataset: clothing1m\ngrid: {loss: [cross-entropy, forward]}", "noise=[{kind: asymmetric, level: .2}]",
			"override noise=[{kind: asymmetric, level: .2}]: noise.kind: the labels of clothing1m are noisy already, so that asymmetric noise cannot be added: " +
				"set it to none, or dataset to clothing1m-clean, which takes: none, symmetric, matrix",
		},
		{"dataset: clothing1m", "noise={kind: symmetric, level: .2}", "symmetric noise cannot be added: set it to none"},
		{"dataset: clothing1m-clean\nnoise: {kind: asymmetric, level: .2}", "seed=1", "c.yaml:2:15: noise.kind: no asymmetric noise is known for clothing1m-clean; it takes: none, symmetric, matrix"},
		{"dataset: cifar100\nnoise: {kind: asymmetric, level: .2}", `noise.groups=""`, `override noise.groups="": noise.groups: is empty; asymmetric noise of cifar100 needs super-classes or index`},
	} {
		bad := loadErr(t, tt.text+"\n", tt.override)
		if len(bad.Problems) != 1 || !strings.Contains(bad.Error(), tt.want) {
			t.Errorf("%s, %s: %v, want one problem with %q", tt.text, tt.override, bad, tt.want)
		}
	}
	configtest.Load(t, "dataset: clothing1m-clean\nnoise: {kind: symmetric, level: .2}\n")
	configtest.Load(t, "dataset: cifar100\nnoise: {kind: asymmetric, level: .2}\n")
}

// A kind of input that a network or a data set cannot have is told before any work.
func TestInputThatDoesNotFit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	for settings, want := range map[string]string{
		"dataset: clothing1m\npreprocessing: unit":                            "clothing1m is streamed and takes imagenet only, not unit",
		"dataset: mnist\npreprocessing: standard":                             "standard works by channel, but the input of mlp has no channels",
		"dataset: mnist\npreprocessing: words":                                "words is for the models embedding, lstm and word-average, not mlp",
		"dataset: imdb\npreprocessing: unit":                                  "embedding reads words, not unit",
		"dataset: mnist\nestimator: {name: gold}":                             "estimator gold needs known labels of each class",
		"dataset: imdb\naugment: crop-flip":                                   "crop-flip needs images",
		"dataset: cifar10\nembedding_dim: 50":                                 "resnet14 has no word vectors",
		"dataset: mnist\nexamples: {validation: 5}":                           "mnist has no validation set of its own",
		"dataset: mnist\nnoise: {groups: index, kind: asymmetric, level: .2}": "the classes of mnist have no groups",
	} {
		if err := os.WriteFile(file, []byte(settings+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := config.Load(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", settings, err, want)
		}
	}
}
