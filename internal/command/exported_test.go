package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/store"
)

// exportedNetwork copies a network of torch/export's tests, made by its generator.
func exportedNetwork(t *testing.T, name, work string) string {
	t.Helper()
	path := filepath.Join(work, name)
	write(t, path, read(t, filepath.Join("..", "..", "torch", "export", "testdata", name)))
	return path
}

// Networks exported from Python train with every loss of one network that labels are enough for, one and both stages of
// Algorithm 1, on every kind of data.
func TestExportedNetworksTrain(t *testing.T) {
	work := t.TempDir()
	vars := realVars(t, work)
	writeDigits(t, filepath.Join(work, "data", "mnist"), 200, 50)
	writeReviews(t, filepath.Join(work, "data", "imdb", "aclImdb_v1.tar.gz"), 40)
	writeCIFAR(t, filepath.Join(work, "data", "cifar10", "cifar-10-binary.tar.gz"), 10, 0)
	single := losses.All.Which(func(e losses.Entry) bool { return e.Networks < 2 && !e.Targets })
	for name, settings := range map[string][]string{
		"mnist":   {"epochs: 2", "batch_size: 32", "trusted: 2", "grid: {loss: [" + strings.Join(single, ", ") + "]}", "noise: {kind: asymmetric, level: .2}"},
		"imdb":    {"epochs: 1", "batch_size: 16", "examples: {words: 20}", "grid: {loss: [unhinged, forward-estimated]}", "noise: {kind: asymmetric, level: .2}"},
		"cifar10": {"epochs: 1", "batch_size: 16", "steps_per_epoch: 2", "grid: {loss: [forward, forward-estimated]}", "noise: {kind: asymmetric, level: .2}"},
	} {
		t.Run(name, func(t *testing.T) {
			exportedNetwork(t, name+".pt2", work)
			settings = append(settings, "dataset: "+name, "model: "+name+".pt2")
			file := filepath.Join(work, name+".yaml")
			write(t, file, []byte(strings.Join(settings, "\n")+"\n"))
			start(t, work, vars, "train", file).ends(t, 0)
			paths, err := filepath.Glob(filepath.Join(work, "runs", name, "*", store.ResultFile))
			if err != nil || len(paths) < 3 {
				t.Fatalf("%d results, %v", len(paths), err)
			}
			for _, path := range paths {
				r := readResult(t, path)
				if r.State != store.Done && r.State != store.Diverged || r.Last.Epoch == 0 {
					t.Errorf("%s: %s after epoch %d", r.Config.Loss, r.State, r.Last.Epoch)
				}
				if r.Config.Dropout != 0 || r.Config.EmbeddingDim != 0 || len(r.Warnings) > 0 && strings.Contains(r.Warnings[0], "exported") {
					t.Errorf("settings of another network: %+v, warnings %v", r.Config, r.Warnings)
				}
			}
		})
	}
}

// The run's identity is by the content of the file, not by its path.
func TestExportedNetworkIdentity(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	a, b := exportedNetwork(t, "mnist.pt2", one), exportedNetwork(t, "mnist.pt2", two)
	other := exportedNetwork(t, "cifar10.pt2", one)
	id := func(model string) string { return config.Config{Dataset: "mnist", Model: model}.ID() }
	if id(a) != id(b) || id(a) == id(other) {
		t.Errorf("IDs %s, %s of the same file, %s of another", id(a), id(b), id(other))
	}
	write(t, a, append(read(t, a), 0))
	if id(a) == id(b) {
		t.Error("a file that changed has the same ID")
	}
}

// What does not fit is one error before anything runs.
func TestExportedNetworksThatDoNotFit(t *testing.T) {
	work := t.TempDir()
	vars := realVars(t, work)
	writeDigits(t, filepath.Join(work, "data", "mnist"), 200, 50)
	for name, want := range map[string]string{
		"cifar10.pt2":       "cifar10.pt2 takes [batch 3 24 24] float32, examples of mnist are [batch 784]",
		"imdb.pt2":          "has 10 classes: export it with a last layer of 10",
		"fixed.pt2":         "dynamic_shapes=({0: torch.export.Dim(\"batch\")},)",
		"release-2.8.0.pt2": "weights by pickle",
	} {
		file := filepath.Join(work, "run.yaml")
		exportedNetwork(t, name, work)
		write(t, file, []byte("dataset: mnist\nmodel: "+name+"\n"))
		p := start(t, work, vars, "train", file)
		if err := p.Wait(); err == nil {
			t.Errorf("%s trained", name)
		}
		contains(t, name, p.err.String(), want)
	}
	write(t, filepath.Join(work, "run.yaml"), []byte("dataset: mnist\nmodel: none.pt2\ndropout: .5\n"))
	p := start(t, work, vars, "train", filepath.Join(work, "run.yaml"))
	if err := p.Wait(); err == nil {
		t.Error("a missing file trained")
	}
	contains(t, "missing", p.err.String(), "no file "+filepath.Join(work, "none.pt2"))
	contains(t, "missing", p.err.String(), "an exported network has its own; set it to 0")
	if _, err := os.Stat(filepath.Join(work, "runs")); err == nil {
		t.Error("something ran")
	}
}
