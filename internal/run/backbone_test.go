package run

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// exported returns the path of a network exported by PyTorch.
func exported(t *testing.T, name string) string {
	t.Helper()
	return expect.Got(filepath.Abs(filepath.Join("..", "..", "torch", "export", "testdata", name)))(t)
}

// noiseImages returns n images [3 side side] of random bytes.
func noiseImages(n, side int) dataset.Split {
	x := make([]byte, n*3*side*side)
	for k := range x {
		x[k] = byte(k * k % 251)
	}
	return dataset.Split{X: x, Shape: []int{3, side, side}, Labels: make([]int, n)}
}

// cacheFiles returns the files of the feature cache.
func cacheFiles(t *testing.T) []string {
	t.Helper()
	dir, err := featureFolder()
	expect.OK(t, err)
	return files.Glob(dir, "*")
}

// Features are the network's outputs for images normalised with ImageNet's moments. They are computed once, resume
// after a kill, and do not depend on the labels.
func TestFeatures(t *testing.T) {
	torchtest.Open(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	const n = 75
	images := noiseImages(n, 24)
	b, err := describeBackbone(own.Source{Backbone: exported(t, "cifar10.pt2")}, torch.CPU)
	if err != nil || b.side != 24 {
		t.Fatalf("%+v, %v: want a backbone for 24 x 24", b, err)
	}
	steps := 0
	features := func(ctx context.Context, labels int) (dataset.Split, error) {
		steps = 0
		d := &dataset.Dataset{Train: images}
		d.Train.Labels = slices.Repeat([]int{labels}, n)
		err := b.features(ctx, d, func(string, int, int) { steps++ })
		return d.Train, err
	}
	first, err := features(t.Context(), 0)
	if err != nil || steps != 4 || !slices.Equal(first.Shape, []int{10}) || len(first.Features) != 10*n || first.X != nil {
		t.Fatalf("%v after %d steps, shape %v, %d features, want the start, 3 steps and [10]", err, steps, first.Shape,
			len(first.Features))
	}
	torchtest.NoLeak(t, func() {
		torch.Scope(func() {
			p := expect.Got(export.Load(b.Backbone, export.Options{}))(t)
			const image = 40
			x := make([]float32, 3*24*24)
			for k, v := range images.Example(image) {
				channel := k / (24 * 24)
				x[k] = (float32(v)/255 - float32([]float64{.485, .456, .406}[channel])) / float32([]float64{.229, .224,
					.225}[channel])
			}
			want := torch.Slice[float64](p.Forward(torch.FromSlice(x, 1, 3, 24, 24), nn.Eval))
			torchtest.Close(t, "features", torch.FromSlice(first.Features[10*image:10*(image+1)]), want, 1e-4)
		})
	})
	if again, err := features(t.Context(), 1); err != nil || steps != 1 || !slices.Equal(again.Features, first.Features) {
		t.Errorf("%v after %d steps: want the features of the cache", err, steps)
	}

	// Only a changed image and a new one are computed, and rows cut off by a kill are computed again.
	more := noiseImages(n+1, 24)
	more.X[5*3*24*24]++
	before := images
	images = more
	changed, err := features(t.Context(), 0)
	if err != nil || steps != 2 || !slices.Equal(changed.Features[:50], first.Features[:50]) ||
		slices.Equal(changed.Features[50:60], first.Features[50:60]) ||
		!slices.Equal(changed.Features[60:10*n], first.Features[60:]) {
		t.Errorf("%v after %d steps, want the start and two images, and one changed feature", err, steps)
	}
	images = before
	cached := cacheFiles(t)
	if len(cached) != 1 {
		t.Fatalf("the cache holds %v, want one file", cached)
	}
	whole := expect.Got(os.ReadFile(cached[0]))(t)
	const record = 16 + 4 + 4*10
	if err := os.WriteFile(cached[0], whole[:20+40*record+7], 0o644); err != nil { // 40 rows and some bytes
		t.Fatal(err)
	}
	if resumed, err := features(t.Context(), 0); err != nil || steps != 3 ||
		!slices.Equal(resumed.Features[:400], first.Features[:400]) {
		t.Errorf("%v after %d steps, want the start and the 35 images that are left in 2", err, steps)
	}
	expect.OK(t, os.Remove(cached[0]))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := features(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a stopped computation", err)
	}
}

// A safetensors file of ResNet-50's weights is a backbone with 2048 features, whatever the number of its classes.
// Images of other sizes are resized.
func TestResNet50Features(t *testing.T) {
	torchtest.Open(t)
	path := filepath.Join(t.TempDir(), "weights.safetensors")
	torch.Scope(func() {
		init := nn.Init{Rand: rand.New(rand.NewPCG(1, 2)), Scheme: "he_normal"}
		full := expect.Got(models.ResNet50{Classes: 3}.New(init))(t)
		state := map[string]torch.Tensor{}
		for _, p := range full.Parameters() {
			state[p.Name] = p.Tensor
		}
		expect.OK(t, torch.SaveSafetensors(path, state, nil))
		features := expect.Got(models.ResNet50{}.Features(init))(t)
		expect.OK(t, models.LoadWeights(features, path, "fc"))
		last := state["fc.weight"]
		x := torch.Zeros(torch.Options{}, 1, 3, 64, 64)
		torch.NoGrad(func() {
			want := torch.Slice[float64](full.Forward(x, nn.Eval).Sub(state["fc.bias"]))
			got := features.Forward(x, nn.Eval).Mm(last.Transpose(0, 1))
			torchtest.Close(t, "logits from the features", got, want, 1e-4)
		})
	})
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	b := expect.Got(describeBackbone(own.Source{Backbone: path, Side: 64}, torch.CPU))(t)
	d := &dataset.Dataset{Train: noiseImages(2, 24)}
	if err := b.features(t.Context(), d, nil); err != nil || !slices.Equal(d.Train.Shape, []int{2048}) {
		t.Errorf("features %v, %v, want 2048", d.Train.Shape, err)
	}
}

// A file that cannot be a backbone for the images is refused.
func TestBackboneErrors(t *testing.T) {
	torchtest.Open(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	folder := configtest.Write(t, map[string]string{"notes.safetensors": "not weights"})
	text := filepath.Join(folder, "notes.safetensors")
	for name, c := range map[string]struct {
		source own.Source
		want   string
	}{
		"numbers":     {own.Source{Backbone: exported(t, "mnist.pt2")}, "must take square images"},
		"other side":  {own.Source{Backbone: exported(t, "cifar10.pt2"), Side: 32}, "exported for images of 24 x 24"},
		"no file":     {own.Source{Backbone: filepath.Join(folder, "none.pt2")}, "no such file"},
		"no weights":  {own.Source{Backbone: text}, "ResNet-50"},
		"two outputs": {own.Source{Backbone: exported(t, "two-outputs.pt2")}, "output"},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := describeBackbone(c.source, torch.CPU)
			if err == nil {
				err = b.features(t.Context(), &dataset.Dataset{Train: noiseImages(2, 24)}, nil)
			}
			expect.Fails(t, err, c.want, name)
		})
	}
}

// A backbone replaced since the training is refused.
func TestReplacedBackbone(t *testing.T) {
	torchtest.Open(t)
	path := filepath.Join(t.TempDir(), "backbone.pt2")
	content := expect.Got(os.ReadFile(exported(t, "cifar10.pt2")))(t)
	for k, extra := range []string{"", "another"} {
		expect.OK(t, os.WriteFile(path, append(slices.Clone(content), extra...), 0o644))
		b := expect.Got(describeBackbone(own.Source{Backbone: path}, torch.CPU))(t)
		images := noiseImages(2, 24)
		was := store.Backbone{Path: path, SHA256: fmt.Sprintf("%x", sha256.Sum256(content)), Features: 10}
		err := b.ofNew(t.Context(), &images, was, nil)
		expect.Fails(t, err, []string{"", "has changed since the training"}[k], extra)
	}
}

// Batches depend on the pixels: 32 images of 128 pixels, 7 of 260.
func TestImagesAtATime(t *testing.T) {
	for side, want := range map[int]int{0: 32, 64: 32, 128: 32, 224: 10, 260: 7, 2000: 1} {
		expect.Same(t, want, (&backbone{side: side, batch: featureBatch}).imagesAtATime(), fmt.Sprint(side))
	}
}
