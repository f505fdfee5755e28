package runner_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/runner"
)

// A kind of input that a network or a data set cannot have is told before any work.
func TestInputThatDoesNotFit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	for settings, want := range map[string]string{
		"dataset: clothing1m\ninput: unit":                                    "clothing1m is streamed and takes imagenet only, not unit",
		"dataset: mnist\ninput: standard":                                     "standard is by channel, which mlp's input has not",
		"dataset: mnist\ninput: words":                                        "words is for the models embedding and lstm, not mlp",
		"dataset: imdb\ninput: unit":                                          "embedding reads words, not unit",
		"dataset: imdb\naugment: crop-flip":                                   "crop-flip needs images",
		"dataset: cifar10\nvectors: 50":                                       "resnet14 has no word vectors",
		"dataset: mnist\nexamples: {validation: 5}":                           "mnist comes with no validation set",
		"dataset: mnist\nconv_bias: true":                                     "mlp takes none",
		"dataset: mnist\nnoise: {groups: index, kind: asymmetric, level: .2}": "the classes of mnist come in no groups",
	} {
		if err := os.WriteFile(file, []byte(settings+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := runner.Load(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", settings, err, want)
		}
	}
}
