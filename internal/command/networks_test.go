package command

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/datatest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Every data set and network of Table 2 trains end to end with an estimated T, from small archives in the official
// formats to a result; so do networks exported from Python, with every loss of one network that needs only labels.
func TestEveryNetworkTrains(t *testing.T) {
	work, vars := workplace(t)
	writeArchives(t, filepath.Join(work, "data"))
	single := losses.All.Which(func(e losses.Entry) bool { return e.Networks < 2 && !e.Targets })
	const estimated, noise = "loss: [forward-estimated]", "noise: {kind: asymmetric, level: .2}"
	for model, tt := range map[string]struct {
		losses   string
		runs     int // including cross-entropy for the estimate
		settings []string
	}{
		"embedding": {"loss: [unhinged, forward, forward-estimated]", 4, []string{"dataset: imdb", "batch_size: 16",
			"epochs: 2", noise}},
		"lstm": {estimated, 2, []string{
			"dataset: imdb", "batch_size: 16", "epochs: 1", "embedding_dim: 8", "steps_per_epoch: 2",
			"examples: {words: 5, test: 10}", noise,
		}},
		"resnet14": {estimated, 2, []string{"dataset: cifar10", "batch_size: 20", "epochs: 1", "steps_per_epoch: 3"}},
		"resnet44": {estimated, 2, []string{
			"dataset: cifar100", "batch_size: 16", "epochs: 1", "steps_per_epoch: 1", "examples: {train: 60, test: 10}", noise,
		}},
		"mnist.pt2": {"loss: [" + strings.Join(single, ", ") + "]", len(single), []string{
			"dataset: mnist", "epochs: 3", "batch_size: 16", "trusted: 2", noise,
		}},
		"imdb.pt2": {estimated, 2, []string{
			"dataset: imdb", "epochs: 1", "batch_size: 16", "examples: {words: 20}", noise,
		}},
		"cifar10.pt2": {"loss: [forward, forward-estimated]", 3, []string{
			"dataset: cifar10", "epochs: 1", "batch_size: 16", "steps_per_epoch: 2", noise,
		}},
	} {
		t.Run(model, func(t *testing.T) {
			exported := strings.HasSuffix(model, ".pt2")
			if exported {
				exportedNetwork(t, model, work)
			}
			name := strings.TrimSuffix(model, ".pt2")
			file := filepath.Join(work, name+".yaml")
			settings := append(tt.settings, "model: "+model, "grid: {"+tt.losses+"}")
			write(t, file, []byte(strings.Join(settings, "\n")+"\n"))
			call(t, work, vars, "train", file).ends(t, 0)
			for _, r := range resultsIn(t, filepath.Join(work, "runs", name), tt.runs) {
				c := r.Config
				if want := torchtest.Device(); c.Device != want.String() && (c.Device != "" || want != torch.CPU) {
					t.Errorf("%s: on device %q, want %v", c.Loss, c.Device, want)
				}
				done := r.State == store.Done && r.Last.Epoch == c.Epochs
				diverged := exported && r.State == store.Diverged && r.Last.Epoch > 0
				if a := r.Last.TestAccuracy; a < 0 || a > 100 || !done && !diverged {
					t.Errorf("%s: %s after epoch %d with %v %%", c.Loss, r.State, r.Last.Epoch, r.Last.TestAccuracy)
				}
				if c.Loss == "forward-estimated" && len(r.Transition.Estimated) != len(r.Transition.Classes) {
					t.Errorf("an estimate of %d rows for %d classes", len(r.Transition.Estimated), len(r.Transition.Classes))
				}
				warned := len(r.Warnings) > 0 && strings.Contains(r.Warnings[0], "exported")
				if exported && (c.Dropout != 0 || c.EmbeddingDim != 0 || warned) {
					t.Errorf("settings of another network: %+v, warnings %v", c, r.Warnings)
				}
			}
		})
	}
}

// clothes writes a small Clothing1M and a network for it.
func clothes(t *testing.T) (work string, vars map[string]string, network string) {
	t.Helper()
	work, vars = workplace(t)
	datatest.Clothes(t, filepath.Join(work, "data", "clothing1m"))
	return work, vars, exportedNetwork(t, "clothes.pt2", work)
}

// Table 3's pipeline on a folder in the layout of Clothing1M: forward with T from
// the images with both labels, then fine-tuning the network on clean images.
func TestClothing1MPipeline(t *testing.T) {
	work, vars, network := clothes(t)
	small := []string{"model: " + network, "epochs: 1", "batch_size: 2", "steps_per_epoch: 1",
		"examples: {train: 2, test: 2}", "optimizer: {milestones: []}"}
	write(t, filepath.Join(work, "noisy.yaml"), []byte(strings.Join(append(small, "dataset: clothing1m", "loss: forward"),
		"\n")))
	write(t, filepath.Join(work, "clean.yaml"), []byte(strings.Join(append(small, "dataset: clothing1m-clean"), "\n")))
	call(t, work, vars, "train", "noisy.yaml").ends(t, 0)
	first := theResult(t, filepath.Join(work, "runs", "noisy"))
	// Of two clean images of each class, one was given the next class's name.
	if diff := cmp.Diff([][]float64{{.5, .5, 0}, {0, .5, .5}, {.5, 0, .5}}, first.Transition.Nominal); diff != "" {
		t.Errorf("T of the labels that came with the data (-want +got):\n%s", diff)
	}
	expect.Says(t, string(read(t, filepath.Join(work, "runs", "noisy", first.ID, store.TransitionFile))),
		"Coat,0,0.5,0.5")
	weights := filepath.Join(work, "runs", "noisy", first.ID, "checkpoints", "best.safetensors")
	// The validation labels are clean, so cross-entropy selects the epoch, not forward.
	images := filepath.Join("data", "clothing1m", "images")
	call(t, work, vars, "predict", weights, filepath.Join(images, "2", "12.jpg"), filepath.Join(images, "3", "13.jpg"),
		filepath.Join(images, "4", "14.jpg"),
		"--out", "p.csv").ends(t, 0)
	var crossEntropy float64
	for class, line := range strings.Fields(string(read(t, filepath.Join(work, "p.csv"))))[1:] {
		record := strings.Split(line, ",")
		p := expect.Got(strconv.ParseFloat(record[len(record)-3+class], 64))(t)
		crossEntropy -= math.Log(p) / 3
	}
	if v := first.Selected.ValLoss; math.Abs(v-crossEntropy) > 1e-3 {
		t.Errorf("validation loss %v, the cross-entropy of clean labels is %v", v, crossEntropy)
	}
	call(t, work, vars, "train", "clean.yaml", "weights="+weights).ends(t, 0)
	if r := theResult(t, filepath.Join(work, "runs", "clean")); r.Config.Weights != weights {
		t.Errorf("weights %q", r.Config.Weights)
	}
}

// Without images with both labels T is unknown. This is an error if a loss needs T,
// which must not become T = I, and a warning otherwise. Clean labels do not need
// T.
func TestClothing1MWithoutPairs(t *testing.T) {
	work, vars, network := clothes(t)
	root := filepath.Join(work, "data", "clothing1m")
	labels := filepath.Join(root, "noisy_label_kv.txt")
	noisy := strings.SplitAfter(string(read(t, labels)), "\n")
	write(t, labels, []byte(strings.Join(noisy[:6], ""))) // no image with a clean label
	write(t, filepath.Join(work, "c.yaml"), []byte("dataset: clothing1m\nmodel: "+network+
		"\nepochs: 1\nbatch_size: 2\nsteps_per_epoch: 1\n"+
		"examples: {train: 2, test: 2}\noptimizer: {milestones: []}\n"))
	for _, loss := range []string{"forward", "backward"} {
		call(t, work, vars, "train", "c.yaml", "loss="+loss).fails(t, app.ExitData,
			"class T-Shirt has no example with both labels", "give T as a CSV file instead")
	}
	const unknown = "T is unknown, so the error of its estimate is, too, and T.csv is not written: "
	write(t, filepath.Join(root, "images", "0", "0.jpg"), []byte("GIF"))
	call(t, work, vars, "train", "c.yaml", "loss=forward-estimated", "--max-bad", "1").
		says(t, "warning for seed 1: "+unknown)
	for id, r := range resultsIn(t, filepath.Join(work, "runs", "c"), 2) { // with the cross-entropy run
		for _, once := range []string{unknown, "images left out: 1"} {
			if said := strings.Count(strings.Join(r.Warnings, "\n"), once); said != 1 {
				t.Errorf("%s: %d times %q in %q", r.Config.Loss, said, once, r.Warnings)
			}
		}
		if t1 := r.Transition; t1.Nominal != nil || t1.Realised != nil || t1.Estimated == nil ||
			!math.IsNaN(float64(t1.EstimateError)) {
			t.Errorf("%s: %+v, want an estimate alone", r.Config.Loss, t1)
		}
		absent(t, work, "runs", "c", id, store.TransitionFile)
	}
	call(t, work, vars, "train", "c.yaml", "dataset=clothing1m-clean", "loss=forward", "--out", "clean").ends(t,
		app.ExitDone)
	if r := theResult(t, filepath.Join(work, "clean")); r.Transition.Condition != 1 {
		t.Errorf("forward on clean labels with T of condition %v, want T = I", r.Transition.Condition)
	}
}

// theResult returns the result of the only run below a folder.
func theResult(t *testing.T, root string) (r store.Result) {
	t.Helper()
	return readResult(t, glob(t, 1, root, "*", store.ResultFile)[0])
}

// resultsIn returns the results of the n runs below a folder by ID.
func resultsIn(t *testing.T, root string, n int) map[string]store.Result {
	t.Helper()
	all := map[string]store.Result{}
	for _, path := range glob(t, n, root, "*", store.ResultFile) {
		all[filepath.Base(filepath.Dir(path))] = readResult(t, path)
	}
	return all
}

func readResult(t *testing.T, path string) (r store.Result) {
	t.Helper()
	expect.OK(t, json.Unmarshal(read(t, path), &r))
	return r
}

// exportedNetwork copies a network of torch/export's tests, made by its generator.
func exportedNetwork(t *testing.T, name, work string) string {
	t.Helper()
	path := filepath.Join(work, name)
	write(t, path, read(t, filepath.Join("..", "..", "torch", "export", "testdata", name)))
	return path
}

// Settings that do not fit are an error before anything runs.
func TestExportedNetworksThatDoNotFit(t *testing.T) {
	work, vars := workplace(t)
	datatest.Digits(t, filepath.Join(work, "data", "mnist"), 200, 50)
	for name, want := range map[string]string{
		"cifar10.pt2":       "cifar10.pt2 takes [batch 3 24 24] float32, but examples of mnist are [batch 784]",
		"imdb.pt2":          "has 10 classes: export it with a last layer of 10",
		"fixed.pt2":         "dynamic_shapes=({0: torch.export.Dim(\"batch\")},)",
		"release-2.8.0.pt2": "weights by pickle",
	} {
		file := filepath.Join(work, "run.yaml")
		exportedNetwork(t, name, work)
		write(t, file, []byte("dataset: mnist\nmodel: "+name+"\n"))
		call(t, work, vars, "train", file).refuses(t, want)
	}
	write(t, filepath.Join(work, "run.yaml"), []byte("dataset: mnist\nmodel: none.pt2\ndropout: .5\n"))
	call(t, work, vars, "train", "run.yaml").
		refuses(t, "no file "+filepath.Join(work, "none.pt2"), "not by an exported network, which has its own; remove it")
	absent(t, work, "runs")
}
