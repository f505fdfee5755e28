package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
)

func own(t *testing.T, dir string) config.Config {
	t.Helper()
	runs, err := config.Load(filepath.Join(dir, "c.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return runs[0]
}

// The network of own data is the first that takes its kind, and the preset is ours.
func TestOwnDefaults(t *testing.T) {
	for source, model := range map[string]string{
		"{path: t.csv, text: review}":     "word-average",
		"{path: t.csv, features: [a, b]}": "mlp",
		"{path: photos}":                  "cnn",
		"{path: photos}\nmodel: resnet8":  "resnet8",
		"{path: photos}\nmodel: net.pt2":  "net.pt2",
		"{path: photos, side: 32}":        "cnn",

		"{path: photos, backbone: net.pt2}":             "linear",
		"{path: photos, backbone: net.pt2}\nmodel: mlp": "mlp",
		"{path: t.csv, features: [a-b]}\n":              "mlp",
	} {
		dir := configtest.Write(t, map[string]string{"c.yaml": "dataset: own\nsource: " + source + "\n", "t.csv": "review,a,b,label\n", "net.pt2": ""})
		if err := os.Mkdir(filepath.Join(dir, "photos"), 0o777); err != nil {
			t.Fatal(err)
		}
		c := own(t, dir)
		if c.Network() != model || c.Preset != "fixed" || c.Estimator.Name != "held-out" {
			t.Errorf("source %s: model %s, preset %s, estimator %s; want %s with preset fixed", source, c.Network(), c.Preset, c.Estimator.Name, model)
		}
	}
}

// The ID of a run on own data follows the content of the data, not its place.
func TestOwnIdentity(t *testing.T) {
	files := map[string]string{
		"c.yaml": "dataset: own\nsource: {path: t.csv, text: review, labels: y.csv}\nfolds: {count: 4, out: 2}\n", "t.csv": "review\ngood\n", "y.csv": "label\n1\n",
	}
	first := own(t, configtest.Write(t, files))
	if moved := own(t, configtest.Write(t, files)); moved.ID() != first.ID() {
		t.Errorf("the ID changes with the folder: %s and %s", first.ID(), moved.ID())
	}
	for file, text := range map[string]string{
		"t.csv": "review\nbad\n", "y.csv": "label\n2\n",
		"c.yaml": strings.Replace(files["c.yaml"], "out: 2", "out: 3", 1),
	} {
		was := files[file]
		files[file] = text
		if changed := own(t, configtest.Write(t, files)); changed.ID() == first.ID() {
			t.Errorf("the ID does not change with %s", file)
		}
		files[file] = was
	}
}

// A folder of images enters an ID by the names and sizes of its files, and by the content of
// those that have labels.
func TestOwnFolderIdentity(t *testing.T) {
	id := func(file, content string) string {
		dir := configtest.Write(t, map[string]string{"c.yaml": "dataset: own\nsource: {path: photos}\n"})
		path := filepath.Join(dir, "photos", file)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return own(t, dir).ID()
	}
	a := id("cat/1.png", "image")
	if a != id("cat/1.png", "other") || a == id("dog/1.png", "image") || a == id("cat/1.png", "larger image") {
		t.Error("the ID does not follow names and sizes")
	}
	dir := configtest.Write(t, map[string]string{"c.yaml": "dataset: own\nsource: {path: link}\n", "photos/cat/1.png": "image"})
	if err := os.Symlink(filepath.Join(dir, "photos"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if own(t, dir).ID() != a {
		t.Error("through a link the ID is another one")
	}
	if id("1/metadata.csv", "file_name,label\n1.png,0\n") == id("1/metadata.csv", "file_name,label\n1.png,1\n") {
		t.Error("the ID does not follow the labels")
	}
}

func TestOwnProblems(t *testing.T) {
	for text, want := range map[string]string{
		"dataset: mnist\nsource: {path: t.csv, text: a}": "source: is read with dataset own only, not mnist",
		"dataset: own": "source.path: is empty",
		"dataset: own\nsource: {path: none.csv, text: a}":                                   "none.csv",
		"dataset: own\nsource: {path: t.csv, text: a}\nmodel: mlp":                          "model: mlp takes pixels, and the data is text",
		"dataset: own\nsource: {path: t.csv, txt: a}":                                       `unknown key, did you mean "text"?`,
		"dataset: own\nsource: {path: t.csv, text: a, side: -1}":                            "source.side: -1 is negative",
		"dataset: own\nsource: {path: t.csv, text: a}\nfolds: {count: 4}":                   "folds.out: 0 is not one of the 4 folds",
		"dataset: own\nsource: {path: t.csv, text: a}\nfolds: {count: 1, out: 1}":           "folds.count: 1 is too few",
		"dataset: own\nsource: {path: t.csv, text: a}\nhidden: [3]":                         "hidden: the hidden layers of word-average are fixed",
		"dataset: own\nsource: {path: t.csv, text: a, class_names: [0=a, 0=b]}":             `source.class_names: the class 0 has two names, "a" and "b"`,
		"dataset: mnist\nhidden: [0]":                                                       "a layer of 0 units",
		"dataset: mnist\nwarmup_epochs: 40":                                                 "warmup_epochs: 40 is not in [0, 40)",
		"dataset: mnist\noptimizer: {schedule: linear, milestones: [4]}":                    "optimizer.milestones: [4] have no effect",
		"dataset: mnist\noptimizer: {schedule: lineer}":                                     `did you mean "linear"?`,
		"dataset: own\nsource: {path: t.csv, text: a}\nnoise: {kind: asymmetric, level: 2}": "noise.level: 2 is not in [0, 1)",
	} {
		dir := configtest.Write(t, map[string]string{"c.yaml": text + "\n", "t.csv": "a,label\n"})
		_, err := config.Load(filepath.Join(dir, "c.yaml"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", text, err, want)
		}
	}
}
