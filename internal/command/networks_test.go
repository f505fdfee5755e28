package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Every data set and network of Table 2 trains end to end, from small archives in
// the official formats to a result, with T known and estimated.
func TestEveryNetworkTrains(t *testing.T) {
	work := t.TempDir()
	vars := realVars(t, work)
	writeReviews(t, filepath.Join(work, "data", "imdb", "aclImdb_v1.tar.gz"), 40)
	writeCIFAR(t, filepath.Join(work, "data", "cifar10", "cifar-10-binary.tar.gz"), 10, 0)
	writeCIFAR(t, filepath.Join(work, "data", "cifar100", "cifar-100-binary.tar.gz"), 100, 20)
	for name, settings := range map[string][]string{
		"embedding": {"dataset: imdb", "batch_size: 16", "epochs: 2", "noise: {kind: asymmetric, level: .2}"},
		"lstm":      {"dataset: imdb", "batch_size: 16", "epochs: 1", "embedding_dim: 8", "examples: {words: 5, test: 10}", "noise: {kind: asymmetric, level: .2}"},
		"resnet14":  {"dataset: cifar10", "batch_size: 20", "epochs: 1", "steps_per_epoch: 3", "noise: {kind: asymmetric, level: .2}"},
		"resnet8":   {"dataset: cifar100", "batch_size: 16", "epochs: 1", "steps_per_epoch: 2", "examples: {train: 150, test: 20}"},
		"resnet44": {
			"dataset: cifar100", "batch_size: 16", "epochs: 1", "steps_per_epoch: 2", "examples: {train: 150, test: 20}",
			"noise: {kind: asymmetric, level: .2}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings = append(settings, "model: "+name, "grid: {loss: [unhinged, forward, forward-estimated]}")
			file := filepath.Join(work, name+".yaml")
			write(t, file, []byte(strings.Join(settings, "\n")+"\n"))
			start(t, work, vars, "train", file).ends(t, 0)
			paths, err := filepath.Glob(filepath.Join(work, "runs", name, "*", store.ResultFile))
			if err != nil || len(paths) != 4 { // with the cross-entropy run that the estimate needs
				t.Fatalf("%d results, %v", len(paths), err)
			}
			for _, path := range paths {
				r := readResult(t, path)
				if want := torchtest.Device(); r.Config.Device != want.String() && (r.Config.Device != "" || want != torch.CPU) {
					t.Errorf("%s: on device %q, want %v", r.Config.Loss, r.Config.Device, want)
				}
				if r.State != store.Done || r.Last.Epoch != r.Config.Epochs || r.Last.TestAccuracy < 0 || r.Last.TestAccuracy > 100 {
					t.Errorf("%s: %s after epoch %d with %v %%", r.Config.Loss, r.State, r.Last.Epoch, r.Last.TestAccuracy)
				}
				if r.Config.Loss == "forward-estimated" && len(r.Transition.Estimated) != len(r.Transition.Classes) {
					t.Errorf("an estimate of %d rows for %d classes", len(r.Transition.Estimated), len(r.Transition.Classes))
				}
			}
		})
	}
}

// Table 3's pipeline on a folder in the layout of Clothing1M: forward with T from
// the images that have both labels, then fine-tuning its network on clean ones.
func TestClothing1MPipeline(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	vars := realVars(t, work)
	writeClothes(t, filepath.Join(work, "data", "clothing1m"))
	network := exportedNetwork(t, "clothes.pt2", work)
	small := []string{"model: " + network, "epochs: 1", "batch_size: 2", "steps_per_epoch: 1", "examples: {train: 2, test: 2}", "optimizer: {milestones: []}"}
	write(t, filepath.Join(work, "noisy.yaml"), []byte(strings.Join(append(small, "dataset: clothing1m", "loss: forward"), "\n")))
	write(t, filepath.Join(work, "clean.yaml"), []byte(strings.Join(append(small, "dataset: clothing1m-clean"), "\n")))
	start(t, work, vars, "train", "noisy.yaml").ends(t, 0)
	first := theResult(t, filepath.Join(work, "runs", "noisy"))
	// Of two clean images of each class, one was given the next class's name.
	if t1 := first.Transition; t1.Condition < 2 || len(t1.Classes) != 3 {
		t.Errorf("T of condition %v for %v", t1.Condition, t1.Classes)
	}
	half := [][]float64{{.5, .5, 0}, {0, .5, .5}, {.5, 0, .5}}
	if t1 := first.Transition; !reflect.DeepEqual(t1.Nominal, half) {
		t.Errorf("T of the labels that came with the data is %v, want %v", t1.Nominal, half)
	}
	contains(t, "T.csv", string(read(t, filepath.Join(work, "runs", "noisy", first.ID, store.TransitionFile))), "Coat,0,0.5,0.5")
	weights := filepath.Join(work, "runs", "noisy", first.ID, "checkpoints", "best.safetensors")
	// The validation labels are clean, so that cross-entropy selects the epoch, not forward.
	images := filepath.Join("data", "clothing1m", "images")
	start(t, work, vars, "predict", weights, filepath.Join(images, "2", "12.jpg"), filepath.Join(images, "3", "13.jpg"), filepath.Join(images, "4", "14.jpg"),
		"--out", "p.csv").ends(t, 0)
	var crossEntropy float64
	for class, line := range strings.Fields(string(read(t, filepath.Join(work, "p.csv"))))[1:] {
		record := strings.Split(line, ",")
		p, err := strconv.ParseFloat(record[len(record)-3+class], 64)
		if err != nil {
			t.Fatal(err)
		}
		crossEntropy -= math.Log(p) / 3
	}
	if v := first.Selected.ValLoss; math.Abs(v-crossEntropy) > 1e-3 {
		t.Errorf("validation loss %v, the cross-entropy of clean labels is %v", v, crossEntropy)
	}
	start(t, work, vars, "train", "clean.yaml", "weights="+weights).ends(t, 0)
	if r := theResult(t, filepath.Join(work, "runs", "clean")); r.Config.Weights != weights {
		t.Errorf("weights %q", r.Config.Weights)
	}
}

// The quick version does all of Table 3, the last row from the network of its own
// forward run, and its results say that they are quick.
func TestClothing1MQuick(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	vars := realVars(t, work)
	writeClothes(t, filepath.Join(work, "data", "clothing1m"))
	exe := buildProgram(t, "experiments/clothing1m")
	small := []string{"--quiet", "batch_size=2", "steps_per_epoch=1", "examples={train: 2, validation: 1, test: 2}"}
	startProgram(t, exe, work, vars, append(small, "quick", "--loss", "cross-entropy", "--out", "resnet50")...).ends(t, app.ExitDone)
	network := exportedNetwork(t, "clothes.pt2", work) // resnet50 takes ten times as long
	small = append(small, "model="+network)
	startProgram(t, exe, work, vars, append(small, "quick", "--out", "runs")...).ends(t, app.ExitDone)
	paths, err := filepath.Glob(filepath.Join(work, "runs", "*", store.ResultFile))
	if err != nil || len(paths) != 5 {
		t.Fatalf("%d results, %v", len(paths), err)
	}
	var forward, started string // its network, and where a run started from
	for _, path := range paths {
		r := readResult(t, path)
		if v := r.Last.ValAccuracy; !r.Config.Quick || v != 0 && v != 100 {
			t.Errorf("%s: quick is %v, %v %% of one validation image", r.Config.Name(), r.Config.Quick, v)
		}
		if r.Config.Loss == "forward" {
			forward = filepath.Join(filepath.Dir(path), store.CheckpointsDir, train.BestFile)
		}
		started += r.Config.Weights
	}
	if started != forward {
		t.Errorf("fine-tuning starts from %q, want %q", started, forward)
	}
	for _, path := range paths { // as if they were of the table's network
		write(t, path, bytes.ReplaceAll(read(t, path), []byte(network), []byte("resnet50")))
	}
	for out, rows := range map[string]int{"resnet50": 1, "runs": 5} {
		p := start(t, work, vars, "report", "--table3", out)
		p.ends(t, app.ExitDone)
		if n := strings.Count(p.out.String(), "1 quick, do not quote: make clothing1m"); n != rows {
			t.Errorf("%s: %d quick rows in\n%s", out, n, p.out.String())
		}
	}
	p := startProgram(t, exe, work, vars, "quick", "weights=none.safetensors")
	p.ends(t, app.ExitConfig)
	contains(t, "the error", p.err.String(), "weights: no file ", "none.safetensors")
}

// Without an image that has both labels T is unknown: that is one error where a
// loss needs T, not training with T = I, and a warning where no loss does. Clean
// labels need no T.
func TestClothing1MWithoutPairs(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	vars := realVars(t, work)
	root := filepath.Join(work, "data", "clothing1m")
	writeClothes(t, root)
	network := exportedNetwork(t, "clothes.pt2", work)
	labels := filepath.Join(root, "noisy_label_kv.txt")
	noisy := strings.SplitAfter(string(read(t, labels)), "\n")
	write(t, labels, []byte(strings.Join(noisy[:6], ""))) // none of the images with clean ones
	write(t, filepath.Join(work, "c.yaml"), []byte("dataset: clothing1m\nmodel: "+network+"\nepochs: 1\nbatch_size: 2\nsteps_per_epoch: 1\n"+
		"examples: {train: 2, test: 2}\noptimizer: {milestones: []}\n"))
	for _, loss := range []string{"forward", "backward"} {
		p := start(t, work, vars, "train", "c.yaml", "loss="+loss)
		p.ends(t, app.ExitData)
		contains(t, "the error", p.err.String(), "no example with both labels belongs to class T-Shirt", "give T as a CSV file instead")
	}
	const unknown = "T of the labels is unknown, and so is the error of an estimate; T.csv is not written: "
	write(t, filepath.Join(root, "images", "0", "0.jpg"), []byte("GIF"))
	p := start(t, work, vars, "train", "c.yaml", "loss=forward-estimated", "--max-bad", "1")
	p.ends(t, app.ExitDone)
	contains(t, "stdout", p.out.String(), "warning (seed 1): "+unknown)
	paths, err := filepath.Glob(filepath.Join(work, "runs", "c", "*", store.ResultFile))
	if err != nil || len(paths) != 2 { // with the cross-entropy run
		t.Fatalf("%d results, %v", len(paths), err)
	}
	for _, path := range paths {
		r := readResult(t, path)
		for _, once := range []string{unknown, "left out of the images: 1"} {
			if said := strings.Count(strings.Join(r.Warnings, "\n"), once); said != 1 {
				t.Errorf("%s: %d times %q in %q", r.Config.Loss, said, once, r.Warnings)
			}
		}
		if t1 := r.Transition; t1.Nominal != nil || t1.Realised != nil || t1.Estimated == nil || !math.IsNaN(t1.EstimateError) {
			t.Errorf("%s: %+v, want an estimate alone", r.Config.Loss, t1)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), store.TransitionFile)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a T.csv, or %v", r.Config.Loss, err)
		}
	}
	start(t, work, vars, "train", "c.yaml", "dataset=clothing1m-clean", "loss=forward", "--out", "clean").ends(t, app.ExitDone)
	if r := theResult(t, filepath.Join(work, "clean")); r.Transition.Condition != 1 {
		t.Errorf("forward on clean labels with T of condition %v, want T = I", r.Transition.Condition)
	}
}

// theResult is that of the only run below a folder.
func theResult(t *testing.T, root string) (r store.Result) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "*", store.ResultFile))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%d results in %s, %v", len(paths), root, err)
	}
	return readResult(t, paths[0])
}

func readResult(t *testing.T, path string) (r store.Result) {
	t.Helper()
	if err := json.Unmarshal(read(t, path), &r); err != nil {
		t.Fatal(err)
	}
	return r
}
