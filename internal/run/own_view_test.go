package run

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/views"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// loadTextures returns a network from images [N 3 H W] to features [N 8] with the weights of a file.
func loadTextures(path string, init nn.Init) (nn.Module, error) {
	init.Scheme = "zeros" // the file has all weights
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

// Your own view is an encoder, whose weights are added once, and an entry in each table, before command.Main is called.
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

// The view of the example returns the features of its network.
func TestOwnView(t *testing.T) {
	torchtest.Open(t)
	weights := filepath.Join(t.TempDir(), "textures.safetensors")
	torch.Scope(func() { // the sum of the nine pixels of all channels
		state := map[string]torch.Tensor{
			"conv.weight": torch.Full(1, torch.Options{}, 8, 3, 3, 3), "conv.bias": torch.Full(.5, torch.Options{}, 8),
		}
		expect.OK(t, torch.SaveSafetensors(weights, state, nil))
	})
	withEncoder(t, encoders.Entry{
		Name: "textures", Data: dataset.Image, Features: 8, Shift: 127.5, Scale: 127.5, Small: 32, Side: 64,
		Load: loadTextures,
	}, string(expect.Got(os.ReadFile(weights))(t)), "")
	const n, size = 12, 32 * 32 * 3
	var pixels []byte
	for k := range n {
		pixels = append(pixels, slices.Repeat([]byte{byte(140 + 5*k)}, size)...)
	}
	source := writeImages(t, pixels, n, 32)
	source.View = "textures"
	got := expect.Got(Features(t.Context(), config.Config{Dataset: "own", Device: "cpu", Source: source},
		dataset.Options{}))(t)
	for k := range n {
		want := .5 + 27*(float64(140+5*k)-127.5)/127.5
		if v := float64(got[0][8*k]); len(got[0]) != 8*n || math.Abs(v-want) > .02*want {
			t.Errorf("image %d: %v, want %v", k, v, want)
		}
	}
}
