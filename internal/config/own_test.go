package config_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/expect"
)

func own(t *testing.T, dir string) config.Config {
	t.Helper()
	return expect.Got(config.Load(filepath.Join(dir, "c.yaml")))(t)[0]
}

// By default, own data gets the first network that takes its kind, and our preset.
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
		dir := configtest.Write(t, map[string]string{"c.yaml": "dataset: own\nsource: " + source + "\n",
			"t.csv": "review,a,b,label\n", "net.pt2": ""})
		expect.OK(t, os.Mkdir(filepath.Join(dir, "photos"), 0o777))
		c := own(t, dir)
		if c.Network() != model || c.Preset != "fixed" || c.Estimator.Name != "held-out" {
			t.Errorf("source %s: model %s, preset %s, estimator %s; want %s with preset fixed", source, c.Network(), c.Preset,
				c.Estimator.Name, model)
		}
	}
}

// The ID of a run on own data depends on the data's content, not its place.
func TestOwnIdentity(t *testing.T) {
	files := map[string]string{
		"c.yaml": "dataset: own\nsource: {path: t.csv, text: review, labels: y.csv}\nfolds: {count: 4, out: 2}\n",
		"t.csv":  "review\ngood\n", "y.csv": "label\n1\n",
	}
	first := own(t, configtest.Write(t, files))
	expect.Same(t, first.ID(), own(t, configtest.Write(t, files)).ID(), "ID in another folder")
	for file, text := range map[string]string{
		"t.csv": "review\nbad\n", "y.csv": "label\n2\n",
		"c.yaml": strings.Replace(files["c.yaml"], "out: 2", "out: 3", 1),
	} {
		changed := maps.Clone(files)
		changed[file] = text
		if own(t, configtest.Write(t, changed)).ID() == first.ID() {
			t.Errorf("the ID does not change with %s", file)
		}
	}
}

// A folder of images enters an ID by the names and sizes of its files, and by the content of its label files.
func TestOwnFolderIdentity(t *testing.T) {
	const text = "dataset: own\nsource: {path: photos}\n"
	id := func(file, content string) string {
		return own(t, configtest.Write(t, map[string]string{"c.yaml": text, "photos/" + file: content})).ID()
	}
	a := id("cat/1.png", "image")
	if a != id("cat/1.png", "other") || a == id("dog/1.png", "image") || a == id("cat/1.png", "larger image") {
		t.Error("the ID ignores names or sizes")
	}
	dir := configtest.Write(t, map[string]string{"c.yaml": "dataset: own\nsource: {path: link}\n",
		"photos/cat/1.png": "image"})
	expect.OK(t, os.Symlink(filepath.Join(dir, "photos"), filepath.Join(dir, "link")))
	if own(t, dir).ID() != a {
		t.Error("the ID differs through a link")
	}
	if id("1/metadata.csv", "file_name,label\n1.png,0\n") == id("1/metadata.csv", "file_name,label\n1.png,1\n") {
		t.Error("the ID ignores the labels")
	}
}
