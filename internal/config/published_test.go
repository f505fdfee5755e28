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

var update = flag.Bool("update", false, "rewrite testdata/presets.jsonl")

// testdata/presets.jsonl holds the presets of the paper's networks and of own data as they were checked against Section
// 5 of the paper and the published code. A setting that changes there changes what is reproduced.
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

// Both ends of open and closed intervals are checked.
func TestBounds(t *testing.T) {
	const text = "dataset: mnist\nloss: forward\nnoise: {kind: symmetric, level: .2}\nepochs: 3\n"
	file := filepath.Join(configtest.Write(t, map[string]string{"c.yaml": text}), "c.yaml")
	for ok, settings := range map[bool]string{
		true: "dropout=0 dropout=.999 clip=0 clip=.499 noise.level=0 epochs=1 warmup_epochs=2 steps_per_epoch=0 " +
			"estimator.quantile=.999 estimator.kappa=1 validation.share=.999 " + `optimizer={"name":"sgd","momentum":.999}`,
		false: "dropout=1 clip=.5 validation.share=0 validation.share=1 noise.level=1 epochs=0 batch_size=0 " +
			"warmup_epochs=3 steps_per_epoch=-1 estimator.quantile=1 optimizer.learning_rate=0 " +
			"examples.train=-1 workers=-1 estimator.kappa=1.001 " + `optimizer={"name":"sgd","momentum":1}`,
	} {
		for setting := range strings.FieldsSeq(settings) {
			if _, err := config.Load(file, setting); (err == nil) != ok {
				t.Errorf("%s: %v", setting, err)
			}
		}
	}
}
