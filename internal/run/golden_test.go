package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/datatest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

var update = flag.Bool("update", false, "rewrite testdata/golden.json")

// golden is the outcome of two epochs. Numbers have a tolerance, since processors add in different orders; hashes are
// exact.
type golden struct {
	Labels            string    `json:"labels"`               // hash of noisy_labels.csv
	Train, Validation string    `json:",omitempty"`           // hash of the rows of each, in order
	Epochs            []measure `json:"epochs"`               // by epoch
	Selected          int       `json:"selected"`             // epoch
	THat              []float64 `json:"t_hat,omitempty"`      // trace, norm and moment of T-hat
	Weights           []float64 `json:"weights"`              // sum, norm and number at the selected epoch
	Normalized        []float64 `json:"normalized,omitempty"` // sums of shift and of scale
}

// measure is metrics.Epoch without its time.
type measure struct {
	Rate, TrainLoss, ValLoss, ValAccuracy, TestAccuracy float64
}

const goldenFile = "testdata/golden.json"

// goldenTolerance is relative to the larger of 1 and the number. Fifty batch norms over two images amplify rounding.
func goldenTolerance(name string) float64 {
	if strings.HasPrefix(name, "resnet50/") {
		return .1
	}
	return 1e-3
}

// goldenCases are settings for each network, over each of its presets. Only networks that separate the classes estimate
// T-hat: for others, the order of additions decides which example is an anchor.
var goldenCases = []struct {
	name     string
	settings string
	presets  []string
}{
	{"mlp", "dataset: mnist\nbatch_size: 32\nloss: forward-estimated\n" + asymmetric, config.Presets},
	{"embedding", "dataset: imdb\nbatch_size: 16\nloss: forward-estimated\n" + asymmetric, config.Presets},
	{"lstm", "dataset: imdb\nmodel: lstm\nbatch_size: 16\nexamples: {words: 4, test: 10}\nloss: forward\n" + asymmetric,
		config.Presets},
	{"resnet14", "dataset: cifar10\nbatch_size: 16\nsteps_per_epoch: 2\nloss: forward\n" + asymmetric, config.Presets},
	{"resnet32", "dataset: cifar10\nmodel: resnet32\nbatch_size: 16\nsteps_per_epoch: 1\nexamples: {test: 10}\nloss: " +
		"forward\n" + asymmetric, []string{"code"}},
	{"resnet44", "dataset: cifar100\nbatch_size: 16\nsteps_per_epoch: 1\nexamples: {train: 60, test: 10}\nloss: forward\n" + asymmetric, []string{"code"}},
	{"resnet50", "dataset: clothing1m\nbatch_size: 2\nsteps_per_epoch: 1\nexamples: {train: 4, validation: 1, test: " +
		"1}\nloss: forward\n", []string{"code"}},
	{"sigmoid", "dataset: mnist\nbatch_size: 32\nloss: sigmoid\nnoise: {kind: symmetric, level: .4}\n", []string{"code"}},
	{"backward", "dataset: mnist\nbatch_size: 32\nloss: backward\nnoise: {kind: asymmetric, level: .2}\n",
		[]string{"code"}},
	{"crop", "dataset: own\nmodel: cnn\nsource: {path: images}\naugment: crop-flip\nbatch_size: 8\nvalidation: {share: " +
		".2}\noptimizer: {name: sgd, momentum: .9, weight_decay: 1e-3, schedule: steps}\nloss: forward\n" + asymmetric,
		[]string{"fixed"}},
	{"linear", "dataset: own\nmodel: linear\nsource: {path: t.csv, features: [x, y]}\nbatch_size: 16\nvalidation: " +
		"{share: .2, from: last}\n", config.Presets},
	{"word-average", "dataset: own\nmodel: word-average\nsource: {path: words.csv, text: text}\nbatch_size: " +
		"16\nvalidation: {share: .2}\n", []string{"fixed"}},
}

const asymmetric = "noise: {kind: asymmetric, level: .3}\n"

// Every network and preset trains for two epochs on small data to what it came to when
// golden.json was written by -update: metrics, split, noisy labels, T-hat and weights.
func TestGolden(t *testing.T) {
	torchtest.Open(t)
	dir := goldenData(t)
	want := map[string]golden{}
	if text, err := os.ReadFile(goldenFile); err == nil {
		expect.OK(t, json.Unmarshal(text, &want))
	} else if !*update {
		t.Fatal(err)
	}
	var mu sync.Mutex
	got := map[string]golden{}
	p := Pipeline{opt: dataset.Options{Offline: true}}
	defer p.free()
	t.Run("runs", func(t *testing.T) {
		for _, g := range goldenCases {
			for _, preset := range g.presets {
				if g.name == "resnet50" && os.Getenv("LOSSCORR_SLOW") == "" && !*update {
					delete(want, "resnet50/code/forward") // eight seconds; make -f .ci/checks.mk test-slow
					continue
				}
				runs := store.NewPlan([]config.Config{goldenRun(t, dir, g.settings, preset)}).Runs
				t.Run(g.name+"/"+preset, func(t *testing.T) {
					t.Parallel()
					root := t.TempDir() // goes with the subtest: a ResNet-50 leaves 300 MB of checkpoints
					for _, r := range runs {
						name := fmt.Sprintf("%s/%s/%s", g.name, preset, r.Config.Loss)
						found := goldenOf(t, &p, root, r.Config)
						mu.Lock()
						got[name] = found
						mu.Unlock()
						if !*update {
							compareGolden(t, name, found, want[name])
						}
					}
				})
			}
		}
	})
	if *update {
		text := expect.Got(json.MarshalIndent(got, "", " "))(t)
		expect.OK(t, os.WriteFile(goldenFile, append(text, '\n'), 0o666))
	}
	if len(want) != len(got) && !t.Failed() && !*update && flag.Lookup("test.run").Value.String() == "" {
		t.Errorf("%d runs in %s, %d were done; write it again with -update", len(want), goldenFile, len(got))
	}
}

func goldenRun(t *testing.T, dir, settings, preset string) config.Config {
	t.Helper()
	file := filepath.Join(dir, "c.yaml")
	expect.OK(t, os.WriteFile(file, []byte(settings+"epochs: 2\npreset: "+preset+"\ndata: data\n"), 0o666))
	overrides := []string{}
	if !strings.Contains(settings, "dataset: own") || strings.Contains(settings, "schedule: steps") {
		overrides = append(overrides, "optimizer.milestones=[1]")
	}
	runs := expect.Got(config.Load(file, overrides...))(t)
	runs[0].Device = "cpu"
	return runs[0]
}

// goldenData leaves small data sets in the official formats, and three of a user.
func goldenData(t *testing.T) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	table, words := "x,y,label\n", "text,label\n"
	for i := range 120 {
		k := i * 7 % 3
		table += fmt.Sprintf("%.4f,%.4f,c%d\n", float64(k)+.3*rng.NormFloat64(), rng.NormFloat64(), k)
		words += fmt.Sprintf("%s film %d,c%d\n", []string{"good", "bad", "long"}[k], rng.IntN(30), k)
	}
	all := map[string]string{"t.csv": table, "words.csv": words}
	for i := range 40 {
		picture := image.NewRGBA(image.Rect(0, 0, 32, 32))
		for at := range 32 * 32 {
			v := uint8(rng.IntN(120))
			picture.Set(at%32, at/32, color.RGBA{v + uint8(i%2*120), v, uint8(at % 200), 255})
		}
		var b strings.Builder
		expect.OK(t, png.Encode(&b, picture))
		all[fmt.Sprintf("images/%s/%d.png", []string{"cat", "dog"}[i%2], i)] = b.String()
	}
	dir := configtest.Write(t, all)
	data := func(elem ...string) string { return filepath.Join(append([]string{dir, "data"}, elem...)...) }
	datatest.Digits(t, data("mnist"), 300, 50)
	datatest.Reviews(t, data("imdb", "aclImdb_v1.tar.gz"), 40)
	datatest.CIFAR(t, data("cifar10", "cifar-10-binary.tar.gz"), 10, 0)
	datatest.CIFAR(t, data("cifar100", "cifar-100-binary.tar.gz"), 100, 20)
	datatest.Clothes(t, data("clothing1m"))
	return dir
}

// finish executes a run after the run it needs, if any, was executed in root.
func finish(t *testing.T, p *Pipeline, root string, c config.Config) (*store.Folder, store.Result) {
	t.Helper()
	folder := expect.Got(store.Claim(root, c, &store.Watch{}, store.DefaultLeaseTime))(t)
	defer folder.Close()
	expect.OK(t, folder.SetEnvironment(store.Environment{}))
	job := &store.Job{
		Config: c, Folder: folder, Progress: silent{}, Log: io.Discard, CheckpointEvery: -1,
		Warn: func(err error) { t.Error(err) },
	}
	if first, ok := c.Prerequisite(); ok {
		job.DependencyFolder = store.At(root, first.ID())
	}
	result := expect.Got(p.Execute(t.Context(), job))(t)
	result.ID, result.Schema, result.Config = c.ID(), 1, c // as grid.Runner does
	expect.OK(t, folder.WriteResult(result))
	return folder, result
}

func goldenOf(t *testing.T, p *Pipeline, root string, c config.Config) (g golden) {
	t.Helper()
	folder, result := finish(t, p, root, c)
	g.Labels = expect.Got(files.SHA256(folder.Path(store.LabelsFile)))(t)
	for _, e := range expect.Got(folder.Epochs())(t) {
		if math.IsNaN(e.TestAccuracy) { // no test set; JSON has no NaN
			e.TestAccuracy = -1
		}
		g.Epochs = append(g.Epochs, measure{e.LearningRate, e.TrainLoss, e.ValLoss, e.ValAccuracy, e.TestAccuracy})
	}
	g.Selected = result.Selected.Epoch
	if result.Transition.Estimated != nil {
		g.THat = moment(result.Transition.Estimated)
	}
	within(t, p, c, func(r *run) {
		data := r.split()
		g.Train, g.Validation = hashed(data.Train), hashed(data.Validation)
		if in := r.source.input; in.Shift != nil {
			g.Normalized = []float64{floats.Sum(in.Shift.Values), floats.Sum(in.Scale.Values)}
		}
		state, _, err := torch.LoadSafetensors(folder.Path(store.CheckpointsDir, train.BestFile))
		expect.OK(t, err)
		total, squares, number := 0.0, 0.0, 0
		for _, name := range slices.Sorted(maps.Keys(state)) {
			w := state[name].ToDType(torch.Float64)
			total += w.Sum().Item()
			squares += w.Mul(w).Sum().Item()
			number += w.Numel()
		}
		g.Weights = []float64{total, math.Sqrt(squares), float64(number)}
	})
	return g
}

// within calls f with a run after its data is opened and its labels are drawn.
func within(t *testing.T, p *Pipeline, c config.Config, f func(r *run)) {
	t.Helper()
	torch.Scope(func() {
		r := expect.Got(p.begin(c))(t)
		defer r.source.close()
		expect.OK(t, r.drawLabels())
		f(r)
	})
}

func hashed(s train.Set) string {
	h := sha256.Sum256([]byte(fmt.Sprint(torch.Slice[int64](s.Index))))
	return hex.EncodeToString(h[:])[:16]
}

// moment returns the trace, the norm, and the sum of the entries times their places.
func moment(t [][]float64) []float64 {
	trace, squares, place, at := 0.0, 0.0, 0.0, 0.0
	for i, row := range t {
		trace += row[i]
		for _, v := range row {
			squares += v * v
			at++
			place += v * at
		}
	}
	return []float64{trace, math.Sqrt(squares), place / at}
}

func compareGolden(t *testing.T, name string, got, want golden) {
	t.Helper()
	exact := func(g golden) []any { return []any{g.Labels, g.Train, g.Validation, g.Selected, len(g.Epochs)} }
	expect.Same(t, exact(want), exact(got), name+": labels, split, selected epoch and epochs")
	tolerance := goldenTolerance(name)
	for i, e := range got.Epochs {
		was, of := want.Epochs[i], fmt.Sprintf("%s: epoch %d: ", name, i+1)
		torchtest.Near(t, of+"rate", []float64{e.Rate}, []float64{was.Rate}, 1e-9)
		losses := []float64{was.TrainLoss, was.ValLoss}
		torchtest.Near(t, of+"losses", []float64{e.TrainLoss, e.ValLoss}, losses, tolerance)
		// An example near the border may change sides.
		accuracies := []float64{was.ValAccuracy, was.TestAccuracy}
		torchtest.Near(t, of+"accuracies", []float64{e.ValAccuracy, e.TestAccuracy}, accuracies, .05)
	}
	torchtest.Near(t, name+": T-hat", got.THat, want.THat, tolerance)
	torchtest.Near(t, name+": weights", got.Weights, want.Weights, tolerance)
	torchtest.Near(t, name+": preprocessing", got.Normalized, want.Normalized, tolerance)
}

// withLoss gives a run its loss and network, in a folder of runs.
func withLoss(t *testing.T, r *run, root string) {
	t.Helper()
	r.job = &store.Job{}
	if first, ok := r.Prerequisite(); ok {
		r.job.DependencyFolder = store.At(root, first.ID())
	}
	expect.OK(t, r.readFirst())
	expect.OK(t, r.chooseLoss())
	startingModel(t, r)
}

// withCrossEntropy gives a run cross-entropy and its network.
func withCrossEntropy(t *testing.T, r *run) *run {
	t.Helper()
	r.loss = r.crossEntropy()
	startingModel(t, r)
	return r
}

func startingModel(t *testing.T, r *run) nn.Module {
	t.Helper()
	expect.OK(t, r.makeModel())
	return r.model
}
