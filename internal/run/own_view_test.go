package run_test

import (
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/run"
	"github.com/losscorr/losscorr/internal/views"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// loadTextures returns a network from images [N 3 H W] to features [N 8] with the weights of a file.
func loadTextures(path string, init nn.Init) (nn.Module, error) {
	init.Scheme = "zeros" // nothing is drawn
	model := nn.NewSequential(
		nn.Named("conv", nn.NewConv2d(nn.Conv2d{In: 3, Out: 8, Kernel: 3}, init)),
		nn.ReLU{},
		nn.Func(func(x torch.Tensor) torch.Tensor { return x.Mean(2, 3) }),
	)
	var err error
	torch.Scope(func() {
		var state map[string]torch.Tensor
		if state, _, err = torch.LoadSafetensors(path); err == nil {
			err = nn.LoadState(model.Parameters(), state)
		}
	})
	return model, err
}

// A view of one's own is an encoder, whose file of weights is added once, and a line in each table, before
// command.Main is called.
func Example_ownView() {
	allEncoders, allViews := encoders.All, views.All
	defer func() { encoders.All, views.All = allEncoders, allViews }()
	encoders.All = append(slices.Clip(encoders.All), encoders.Entry{
		Name: "textures", Title: "a network of textures", Data: dataset.Image, Features: 8, Source: "our laboratory",
		File: encoders.File{ // losscorr encoders add textures textures.safetensors
			Member: "textures.safetensors", SHA256: "96f0a4ff9ec1fa23a9c9b1ffa5f1b8a9c2f3b44ac31c2b1a0bb6a9f0c1d2e3f4",
		},
		Shift: 127.5, Scale: 127.5, Small: 32, Side: 64, Load: loadTextures,
	})
	views.All = append(slices.Clip(views.All), views.Entry{
		Name: "textures", Title: "features of textures", Data: dataset.Image, Encoder: "textures", // audit --view textures
	})
	// os.Exit(command.Main(os.Args))
	fmt.Println(views.All.Named("textures").Title)
	// Output: features of textures
}

// The view of the example gives the features of its network.
func TestOwnView(t *testing.T) {
	torchtest.Open(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	allEncoders, allViews := encoders.All, views.All
	defer func() { encoders.All, views.All = allEncoders, allViews }()
	dir := t.TempDir()
	weights, data := filepath.Join(dir, "textures.safetensors"), filepath.Join(dir, "data")
	torch.Scope(func() { // the sum of the nine pixels of all channels
		state := map[string]torch.Tensor{"conv.weight": torch.Full(1, torch.Options{}, 8, 3, 3, 3), "conv.bias": torch.Full(.5, torch.Options{}, 8)}
		if err := torch.SaveSafetensors(weights, state, nil); err != nil {
			t.Fatal(err)
		}
	})
	sum, err := files.SHA256(weights)
	if err != nil {
		t.Fatal(err)
	}
	e := encoders.Entry{Name: "textures", Data: dataset.Image, Features: 8, File: encoders.File{Member: "textures.safetensors", SHA256: sum}, Shift: 127.5, Scale: 127.5, Small: 32, Side: 64, Load: loadTextures}
	encoders.All, views.All = append(slices.Clip(encoders.All), e), append(slices.Clip(views.All), views.Entry{Name: "textures", Data: dataset.Image, Encoder: "textures"})
	if _, err := e.Add(weights); err != nil {
		t.Fatal(err)
	}
	const n = 12
	for k := range n {
		picture := image.NewGray(image.Rect(0, 0, 32, 32))
		for i := range picture.Pix {
			picture.Pix[i] = byte(140 + 5*k)
		}
		path := filepath.Join(data, string(rune('a'+k%2)), fmt.Sprintf("%02d.png", k))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(file, picture); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	c := config.Config{Dataset: "own", Device: "cpu", Source: own.Source{Path: data, View: "textures"}}
	got, err := run.Features(t.Context(), c, dataset.Options{})
	if err != nil || len(got[0]) != 8*n {
		t.Fatalf("%d splits: %v", len(got), err)
	}
	for i := range n { // the classes one after the other
		k := 2 * (i % (n / 2))
		if i >= n/2 {
			k++
		}
		want := .5 + 27*(float64(140+5*k)-127.5)/127.5
		if v := float64(got[0][8*i]); math.Abs(v-want) > .02*want {
			t.Errorf("image %d: %v, want %v", i, v, want)
		}
	}
}
