package run

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

type silent struct{}

func (silent) Resumed(int)         {}
func (silent) Epoch(metrics.Epoch) {}
func (silent) Batch(int, int)      {}

// trained executes a run on own data.
func trained(t *testing.T, settings ...string) *store.Folder {
	t.Helper()
	settings = append([]string{"dataset=own", "preset=fixed", "epochs=2", "batch_size=16"}, settings...)
	all := configtest.Load(t, "{}\n", settings...)
	root := t.TempDir()
	var p Pipeline
	defer p.free()
	var folder *store.Folder
	for _, run := range store.NewPlan(all).Runs {
		folder, _ = finish(t, &p, root, run.Config)
	}
	return folder
}

// free frees the data sets kept in memory for later runs.
func (p *Pipeline) free() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for key, s := range p.open {
		s.free()
		delete(p.open, key)
	}
}

// forms writes small data of two classes in each form. It returns the settings of each, and new data: the same examples
// without labels.
func forms(t *testing.T, dir string) map[string]struct{ settings, paths []string } {
	t.Helper()
	const n = 120
	rng := rand.New(rand.NewPCG(1, 2))
	numbers, texts, labels, numerals := "x1,x2,x3,label\n", "text,label\n", "label\n", "label\n"
	var values, digits []float32
	var single []string
	for k := range n {
		y := k % 2
		row := []float64{rng.NormFloat64() + 3*float64(y), rng.NormFloat64(), 10 * rng.NormFloat64()}
		words := fmt.Sprintf("%s film number%d and %s", []string{"good", "bad"}[y], rng.IntN(60),
			[]string{"nice", "dull", "long"}[rng.IntN(3)])
		numbers += fmt.Sprintf("%v,%v,%v,%d\n", row[0], row[1], row[2], y)
		texts += fmt.Sprintf("%s,%d\n", words, y)
		labels += strconv.Itoa(y) + "\n"
		for _, v := range row {
			values = append(values, float32(v))
		}
		for at := range 784 {
			digits = append(digits, float32(max(0, at%9-7))*rng.Float32())
		}
		numerals += strconv.Itoa(k%10) + "\n"
		for _, folder := range []string{"wide", "small"} {
			side := map[string]int{"wide": 20 + k%3, "small": 14}[folder]
			img := image.NewNRGBA(image.Rect(0, 0, side, 12))
			for at := range side * 12 {
				img.Set(at%side, at/side, color.NRGBA{byte(rng.IntN(100) + 100*y), byte(rng.IntN(256)), byte(at), 255})
			}
			path := filepath.Join(dir, folder, strconv.Itoa(y), fmt.Sprintf("%03d.png", k))
			expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o777))
			f := expect.Got(os.Create(path))(t)
			expect.OK(t, errors.Join(png.Encode(f, img), f.Close()))
			if folder == "wide" {
				single = append(single, path)
			}
		}
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"x.csv": numbers, "t.csv": texts, "y.csv": labels,
		"numerals.csv": numerals} {
		expect.OK(t, os.WriteFile(in(name), []byte(text), 0o666))
	}
	expect.OK(t, errors.Join(npy.WriteFloat32(in("x.npy"), values, 3), npy.WriteFloat32(in("digits.npy"), digits, 784)))
	slices.Sort(single) // the order of an image folder
	path := func(name string) string { return "source.path=" + in(name) }
	return map[string]struct{ settings, paths []string }{
		"numbers": {[]string{path("x.csv"), "source.features=[x1-x3]"}, []string{in("x.csv")}},
		"array":   {[]string{path("x.npy"), "source.labels=" + in("y.csv")}, []string{in("x.npy")}},
		"mostly zeros": {[]string{path("digits.npy"), "source.labels=" + in("numerals.csv"), "preprocessing=unit", "model=" +
			exported(t, "mnist.pt2")}, []string{in("digits.npy")}},
		"text":          {[]string{path("t.csv"), "source.text=text", "source.vocabulary=12"}, []string{in("t.csv")}},
		"images":        {[]string{path("small"), "model=cnn"}, []string{in("small")}},
		"single images": {[]string{path("wide"), "source.side=8", "model=cnn"}, single},
		"with a norm":   {[]string{path("x.csv"), "source.features=[x1-x3]", "loss=savage-logits"}, []string{in("x.csv")}},
		"two networks": {[]string{path("x.csv"), "source.features=[x1-x3]", "loss=co-teaching",
			"noise={kind: symmetric, level: .2}"}, []string{in("x.csv")}},
		"backbone": {[]string{path("wide"), "source.backbone=" + exported(t, "cifar10.pt2")}, single},
	}
}

// rowsOf returns the examples of the given rows.
func rowsOf(s dataset.Split, rows []int) dataset.Split {
	size := 1
	for _, d := range s.Shape {
		size *= d
	}
	out := dataset.Split{Shape: s.Shape, Labels: make([]int, len(rows))}
	for _, r := range rows {
		at, end := r*size, (r+1)*size
		switch {
		case s.X != nil:
			out.X = append(out.X, s.X[at:end]...)
		case s.Tokens != nil:
			out.Tokens = append(out.Tokens, s.Tokens[at:end]...)
		default:
			out.Features = append(out.Features, s.Features[at:end]...)
		}
	}
	return out
}

// Logits of new examples equal the training code's for the same examples, bit for bit, using only the run's folder.
func TestPredictIsTraining(t *testing.T) {
	torchtest.Open(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for name, c := range forms(t, t.TempDir()) {
		t.Run(name, func(t *testing.T) {
			folder := trained(t, append(c.settings, "folds={count: 2, out: 1}")...)
			result := expect.Got(folder.Result())(t)
			data := expect.Got(own.Read(t.Context(), result.Config.Source, dataset.Options{}))(t)
			alone := filepath.Join(t.TempDir(), "network.safetensors") // no other file is needed
			expect.OK(t, os.Rename(folder.Path(store.CheckpointsDir, train.BestFile), alone))
			network := expect.Got(OpenNetwork(alone))(t)
			expect.Same(t, result.Config.ID(), network.Config.ID(), "run of the network")
			s := result.Config.Source
			s.Path, s.Labels, s.Backbone = "", "", ""
			examples, _, err := own.OpenNew(t.Context(), s, c.paths, network.Form(), dataset.Options{})
			expect.OK(t, err)
			expect.Same(t, data.Train.Len(), len(examples.IDs), "new examples")
			rows := OutOfFold(result.Config, data.Train.Labels, nil)
			var got []float32
			torchtest.NoLeak(t, func() {
				got = expect.Got(network.Predict(t.Context(), rowsOf(examples, rows), torch.CPU, nil))(t)
			})
			want := expect.Got(folder.Logits(len(rows), len(data.Classes)))(t)
			tolerance := 0.
			if result.Config.Source.Backbone != "" { // its last batch is smaller here, so sums have another order
				tolerance = 1e-4
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, tolerance)); diff != "" {
				t.Errorf("logits (-training +got):\n%s", diff)
			}
		})
	}
}

// Without a test set the accuracy is estimated. Its interval contains the accuracy of a nearly perfect network although
// a quarter of the labels is wrong.
func TestCleanAccuracy(t *testing.T) {
	torchtest.Open(t)
	rng := rand.New(rand.NewPCG(3, 4))
	table := "x1,x2,label\n"
	for range 4000 {
		y := rng.IntN(2)
		given := y
		if rng.Float64() < .25 {
			given = 1 - y
		}
		table += fmt.Sprintf("%.3f,%.3f,%d\n", rng.NormFloat64()+6*float64(y), rng.NormFloat64(), given)
	}
	path := filepath.Join(configtest.Write(t, map[string]string{"d.csv": table}), "d.csv")
	for _, loss := range []string{"cross-entropy", "forward-estimated"} {
		result := expect.Got(trained(t, "source.path="+path, "source.features=[x1,x2]", "model=linear", "epochs=20", "loss="+
			loss).Result())(t)
		a := result.CleanAccuracy
		if a == nil || a.Low > 99.7 || a.High < 99.7 || a.Low < 80 || a.Low >= a.Estimate || a.Estimate < 92 {
			t.Errorf("%s: %+v, want about 99.7 (the network judges by the sign of x1-3, a normal deviate of 3)", loss, a)
		}
		if result.Selected.ValAccuracy > 85 {
			t.Errorf("validation accuracy %v: the labels are not noisy", result.Selected.ValAccuracy)
		}
	}
}

// A diverged network has no accuracy, even if T is known.
func TestNoCleanAccuracyOfADivergedNetwork(t *testing.T) {
	torchtest.Open(t)
	c := forms(t, t.TempDir())["numbers"]
	result, err := trained(t, append(c.settings, "noise={kind: symmetric, level: .2}",
		"optimizer.learning_rate=1e30")...).Result()
	expect.OK(t, err)
	if result.State != store.Diverged || result.CleanAccuracy != nil {
		t.Errorf("the run is %s, its accuracy %+v", result.State, result.CleanAccuracy)
	}
}

// A file without a network is bad data.
func TestOpenNetworkErrors(t *testing.T) {
	torchtest.Open(t)
	dir := t.TempDir()
	other := filepath.Join(dir, "other.safetensors")
	torch.Scope(func() {
		expect.OK(t, torch.SaveSafetensors(other, map[string]torch.Tensor{"w": torch.Zeros(torch.Options{}, 2)}, nil))
	})
	for path, want := range map[string]string{other: "its metadata do not describe the input",
		filepath.Join(dir, "none"): "no such file"} {
		if _, err := OpenNetwork(path); !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want dataset.ErrData with %q", err, want)
		}
	}
}
