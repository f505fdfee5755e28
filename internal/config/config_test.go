package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/expect"
)

func loadErr(t *testing.T, text string, overrides ...string) *config.ConfigError {
	t.Helper()
	fsys := fstest.MapFS{"c.yaml": {Data: []byte(text)}}
	doc, err := config.ReadFS(fsys, "c.yaml", overrides...)
	if err == nil {
		_, err = doc.Expand()
	}
	var bad *config.ConfigError
	if !errors.As(err, &bad) {
		t.Fatalf("error is %v, want a *ConfigError", err)
	}
	return bad
}

// refused fails the test unless each text, appended to base, gives an error with the wanted message. The folder also
// has files that the texts may name.
func refused(t *testing.T, base string, texts map[string]string, overrides ...string) {
	t.Helper()
	for text, want := range texts {
		dir := configtest.Write(t, map[string]string{
			"c.yaml": base + text + "\n", "t.csv": "a,label\n", "one.npy": "1", "net.pt2": "", "T.csv": "",
		})
		t.Chdir(dir)
		_, err := config.Load("c.yaml", overrides...)
		expect.Fails(t, err, want, text)
	}
}

// A file overrides what it extends, and overrides go over both; paths are relative to the file that has them.
func TestLayers(t *testing.T) {
	dir := configtest.Write(t, map[string]string{
		"base/all.yaml": "dataset: mnist\nepochs: 7\noptimizer: {name: sgd, learning_rate: .5, momentum: .9, milestones: " +
			"[2, 4]}\n",
		"sub/run.yaml": "extends: ../base/all.yaml\noptimizer:\n  momentum: .5\n  milestones: [3]\ndata: images\n",
	})
	file := filepath.Join(dir, "sub", "run.yaml")
	runs := expect.Got(config.Load(file, "optimizer.learning_rate=0.1", "seed=3", "noise={kind: symmetric, level: .2}"))(t)
	c := runs[0]
	want := config.Optimizer{Name: "sgd", LearningRate: .1, Epsilon: 1e-8, Momentum: .5, Milestones: []int{3}}
	expect.Same(t, want, c.Optimizer, "optimizer")
	expect.Same(t, config.Noise{Kind: "symmetric", Level: .2}, c.Noise, "noise")
	if images := filepath.Join(dir, "sub", "images"); c.Epochs != 7 || c.Seed != 3 || c.Data != images {
		t.Errorf("epochs %d, seed %d, data %s, want 7, 3 and %s", c.Epochs, c.Seed, c.Data, images)
	}
}

// Each setting has the file and line, or the override, that it comes from.
func TestOrigins(t *testing.T) {
	dir := configtest.Write(t, map[string]string{
		"base.yaml": "dataset: mnist\nepochs: 7\n",
		"run.yaml":  "extends: base.yaml\nbatch_size: 64\n",
	})
	doc := expect.Got(config.Read(filepath.Join(dir, "run.yaml"), "seed=9"))(t)
	runs := expect.Got(doc.Resolve())(t)
	for key, want := range map[string]string{
		"epochs":     filepath.Join(dir, "base.yaml") + ":2:9",
		"batch_size": filepath.Join(dir, "run.yaml") + ":2:13",
		"seed":       "override seed=9",
		"dropout":    "presets.yaml:",
		"model":      "presets.yaml:",
	} {
		if got := runs[0].Origins[key].String(); got != want && !(strings.HasSuffix(want, "yaml:") &&
			strings.HasPrefix(got, want)) {
			t.Errorf("origin of %s is %q, want %q", key, got, want)
		}
	}
	if text := string(expect.Got(runs[0].YAML(true))(t)); !strings.Contains(text, "seed: 9 # override seed=9\n") {
		t.Errorf("the override is not in\n%s", text)
	}
}

// Every mistake in a file is reported at once, with its position.
func TestProblems(t *testing.T) {
	got := loadErr(t, `datset: mnist
dataset: mnits
epochs: 3.5
loss: foward
batch_size: many
optimizer: {name: adagard, learning_rate: -1, lr: .1}
noise:
  kind: symetric
  level: 1.2
estimator: {name: percentle}
seed: -1
dropout: .nan
validation: .1
`, "init=he_normla", "noise.levle=.3", "epochs")
	want := []string{
		`c.yaml:1:1: datset: unknown key, did you mean "dataset"?`,
		`c.yaml:2:10: dataset: unknown data set "mnits", did you mean "mnist"?`,
		`c.yaml:3:9: epochs: 3.5 is not a whole number below 2^31`,
		`c.yaml:4:7: loss: unknown loss "foward", did you mean "forward"?`,
		`c.yaml:5:13: batch_size: "many" is not a whole number below 2^31`,
		`c.yaml:6:19: optimizer.name: unknown optimizer "adagard", did you mean "adagrad"?`,
		`c.yaml:6:43: optimizer.learning_rate: -1 is not above 0`,
		`c.yaml:6:47: optimizer.lr: unknown key`,
		`c.yaml:8:9: noise.kind: unknown noise "symetric", did you mean "symmetric"?`,
		`c.yaml:9:10: noise.level: 1.2 is not in [0, 1); a share, such as .2`,
		`c.yaml:10:19: estimator.name: unknown estimator "percentle", did you mean "percentile"?`,
		`c.yaml:11:7: seed: -1 is not a whole number from 0 to 2^64-1`,
		`c.yaml:12:10: dropout: .nan is not a finite number`,
		`c.yaml:13:13: validation: must be a map of settings (validation.share, validation.from, validation.penalty), not .1`,
		`override noise.levle=.3: noise.levle: unknown key, did you mean "noise.level"?`,
		`override epochs: an override has the form key=value, such as noise.level=.6`,
		`override init=he_normla: init: unknown initialiser "he_normla", did you mean "he_normal"?`,
	}
	expect.Same(t, want, lines(got), "file")
}

// A mistake in a grid hides no other problems, but problems that only follow from it are left out.
func TestProblemsOfGridAndSettings(t *testing.T) {
	got := loadErr(t, `epochs: 3.5
noise: {kind: symetric}
grid: {datset: [mnist], loss: [foward, forward], noise: 3, seed: []}
`, "batch_size=many", "dropuot=.1")
	want := []string{
		`c.yaml:1:9: epochs: 3.5 is not a whole number below 2^31`,
		`c.yaml:3:8: grid.datset: unknown key, did you mean "dataset"?`,
		`c.yaml:3:32: loss: unknown loss "foward", did you mean "forward"?`,
		`c.yaml:3:57: grid.noise: must be a list of at least one value, not 3`,
		`c.yaml:3:66: grid.seed: must be a list of at least one value, not an empty list`,
		`override batch_size=many: batch_size: "many" is not a whole number below 2^31`,
		`override dropuot=.1: dropuot: unknown key, did you mean "dropout"?`,
	}
	expect.Same(t, want, lines(got), "problems")
	if got := loadErr(t, "extends: gone.yaml\nepochs: 3.5\n"); len(got.Problems) != 2 {
		t.Errorf("with a missing base: %v", got)
	}
}

func lines(e *config.ConfigError) []string {
	out := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		out[i] = p.String()
	}
	return out
}

// Mistakes in a configuration are refused with a message that describes them.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "c.yaml: the file has no settings",
		"epochs: [1\n":       "c.yaml:2:",
		"- a\n":              "c.yaml:1:1: the document must be a map of settings, not a list",
		"extends: c.yaml":    "c.yaml:1:10: extends: c.yaml extends itself: c.yaml -> c.yaml",
		"epochs: 3\n":        "c.yaml: dataset: no data set is given; known: mnist",
		"extends: gone.yaml": "c.yaml:1:10: extends: cannot read gone.yaml: file does not exist",
	} {
		expect.Fails(t, loadErr(t, text), want, text)
	}
	refused(t, "dataset: mnist\n", map[string]string{
		"seed: 1\nseed: 2":                "c.yaml:3:1: seed: set twice, first at line 2",
		"<<: {seed: 1}":                   "merge keys are not supported",
		"noise: {level: .2}":              "c.yaml:2:16: noise.level: 0.2 has no effect with noise.kind none",
		"optimizer: {momentum: .9}":       "optimizer.momentum: is used by sgd only, not by adagrad",
		"noise: {kind: matrix}":           "noise.file: noise.kind matrix needs the CSV file of T",
		"epochs: \"40\"":                  `epochs: "40" is not a whole number`,
		"tf32: conv":                      `tf32: unknown TF32 mode "conv"; known: cudnn, all, off`,
		"device: gpu":                     `device: "gpu" is not a device; want cpu, cuda or cuda:N`,
		"grid: {seed: 1}":                 "grid.seed: must be a list of at least one value, not 1",
		"noise.kind: symmetric":           `noise.kind: unknown key: in a file, write noise: {kind: ...}`,
		"hidden: [0]":                     "a layer of 0 units",
		"warmup_epochs: 40":               "warmup_epochs: 40 is not in [0, 40)",
		"source: {path: t.csv, text: a}":  "source: is only for dataset own, not mnist",
		"preprocessing: standard":         "standard works by channel, but the input of mlp has no channels",
		"estimator: {name: gold}":         "estimator gold needs known labels of each class",
		"examples: {validation: 5}":       "examples.validation: is used by clothing1m and clothing1m-clean only, not by mnist",
		"corrected: gone.csv":             "no file",
		"loss: forward\ntargets: one.npy": "by soft and answers only",
		"loss: soft":                      "give an NPY file",
		"loss: answers\ntargets: one.npy\ncorrected: T.csv":   "answers trains on the given ones",
		"grid: {noise: [{kind: none}], noise.level: [.1]}":    "overlaps with grid.noise",
		"optimizer: {schedule: linear, milestones: [4]}":      "optimizer.milestones: [4] have no effect",
		"noise: {groups: index, kind: asymmetric, level: .2}": "noise.groups: is used by cifar100 only, not by mnist",
		"model: net.pt2\ndropout: .5":                         "dropout: is used by mlp, ",
		"model: net.pt2\nestimator: {name: hoc}":              "exported network",
		"loss: forward-estimated\ntrusted: 0":                 "c.yaml:3:10: trusted: 0 labels per class",
		"loss: forward-estimated\ntrusted: random:0":          "trusted: 0 labels are too few",
		"loss: forward-estimated\ntrusted: 2.5":               "trusted: 2.5 is not text",
		"grid: {seed: [1], exclude: [{loss: backwrd}]}":       `loss: unknown loss "backwrd", did you`,
		"grid: {seed: [1], exclude: [{noise: none}]}":         "must be a map of settings (noise.kind,",
		"grid: {seed: [1], exclude: [{}]}":                    "an entry names no setting",
		"grid: {seed: [1], exclude: [{seed: 1}]}":             "exclude removes all runs",
		"loss: co-teaching\nwarmup_epochs: 2":                 "co-teaching has its own warm-up",
		"estimator: {name: argmax, kappa: 7}":                 "c.yaml:2:34: estimator.kappa: 7 is not in [0, 1]; 0: .3",
		"loss_settings: {q: .5}":                              "c.yaml:2:20: loss_settings.q: is used by gce only, not by cross-entropy; remove it",
		"loss: gce\nloss_settings: {q: 1.5}":                  "c.yaml:3:20: loss_settings.q: 1.5 is not in the range of gce, (0, 1]; 0 is the",
		"loss: co-teaching\nweights: c.yaml":                  "trains two networks from different",
	})
	for override, want := range map[string]string{
		"loss=forward,crossentropy": `unknown loss "forward,crossentropy"`,
	} {
		refused(t, "dataset: mnist\n", map[string]string{"": want}, override)
	}
	refused(t, "dataset: ", map[string]string{
		"clothing1m\npreprocessing: unit":    "clothing1m is streamed, which needs imagenet, not unit",
		"imdb\npreprocessing: unit":          "embedding reads words, not unit",
		"imdb\nloss: mixup":                  "mixup mixes numbers, but embedding reads words",
		"own":                                "source.path: is empty",
		"own\nsource: {path: t.csv, txt: a}": `unknown key, did you mean "source.text"?`,
	})
	refused(t, "dataset: own\nsource: {path: t.csv, text: a}\n", map[string]string{
		"model: mlp":        "model: mlp takes pixels, but the data is text",
		"folds: {count: 4}": "folds.out: 0 is not one of the 4 folds",
	})
	refused(t, "dataset: own\nsource: {path: t.csv, text: a, ", map[string]string{
		"side: -1}":                "source.side: -1 is negative",
		"class_names: [0=a, 0=b]}": `source.class_names: the class 0 has two names, "a" and "b"`,
	})
	_, err := config.Load(filepath.Join(t.TempDir(), "gone.yaml"))
	var file *config.FileError
	if !errors.As(err, &file) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error is %v, want a *FileError that is ErrNotExist", err)
	}
}

// Noise that the data set does not support is one problem, with its position and the alternatives.
func TestNoiseThatDataCannotHave(t *testing.T) {
	for _, tt := range []struct{ text, override, want string }{
		{
			"dataset: clothing1m\ngrid: {loss: [cross-entropy, forward]}", "noise=[{kind: asymmetric, level: .2}]",
			"override noise=[{kind: asymmetric, level: .2}]: noise.kind: the labels of clothing1m are already " +
				"noisy, so asymmetric noise cannot be added: set it to none, or dataset to clothing1m-clean",
		},
		{
			"dataset: clothing1m-clean\nnoise: {kind: asymmetric, level: .2}", "seed=1",
			"c.yaml:2:15: noise.kind: asymmetric noise is not defined for clothing1m-clean; use one of",
		},
		{
			"dataset: cifar100\nnoise: {kind: asymmetric, level: .2}", `noise.groups=""`,
			`override noise.groups="": noise.groups: is empty; asymmetric noise of cifar100 needs`,
		},
	} {
		bad := loadErr(t, tt.text+"\n", tt.override)
		expect.Fails(t, bad, tt.want, tt.text)
		expect.Same(t, 1, len(bad.Problems), "problems")
	}
	configtest.Load(t, "dataset: clothing1m-clean\nnoise: {kind: symmetric, level: .2}\n")
	configtest.Load(t, "dataset: cifar100\nnoise: {kind: asymmetric, level: .2}\n")
}

// Aliases of aliases must not grow without bound.
func TestAliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [1,1,1,1,1,1,1,1,1]\n")
	for i := 1; i < 9; i++ {
		prev := "*a" + string(rune('0'+i-1))
		b.WriteString("a" + string(rune('0'+i)) + ": &a" + string(rune('0'+i)) + " [" + strings.Repeat(prev+", ", 8) + prev +
			"]\n")
	}
	expect.Fails(t, loadErr(t, b.String()), "a8: unknown key", "aliases of aliases")
	expect.Fails(t, loadErr(t, "dataset: mnist\n"+b.String()+"hidden: *a8\n"), "hidden: must be a single value",
		"in a setting")
}
