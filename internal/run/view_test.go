package run

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/views"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// meanColour is an encoder without weights: the mean of each channel, and the height of the image.
type meanColour struct{}

func (meanColour) Parameters() []nn.Parameter { return nil }
func (meanColour) Forward(x torch.Tensor, _ nn.Mode) torch.Tensor {
	height := torch.Full(float64(x.Size(2)), torch.Options{}, x.Size(0), 1)
	return torch.Cat(1, x.Mean(2, 3), height)
}

// withEncoder adds an encoder, with files of the given content, and its view to the tables.
func withEncoder(t *testing.T, e encoders.Entry, weights, vocabulary string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	var paths []string
	for name, f := range map[string]*encoders.File{weights: &e.File, vocabulary: &e.Vocabulary} {
		if name != "" {
			path := filepath.Join(configtest.Write(t, map[string]string{"file": name}), "file")
			sum := expect.Got(files.SHA256(path))(t)
			*f = encoders.File{SHA256: sum, Size: int64(len(name)), Member: "x/" + sum}
			paths = append(paths, path)
		}
	}
	allEncoders, allViews := encoders.All, views.All
	t.Cleanup(func() { encoders.All, views.All = allEncoders, allViews })
	encoders.All = append(slices.Clip(encoders.All), e)
	views.All = append(slices.Clip(views.All), views.Entry{Name: e.Name, Data: e.Data, Encoder: e.Name})
	if _, err := e.Add(paths[:1]...); (err == nil) != (len(paths) == 1) {
		t.Errorf("%v of one of %d files", err, len(paths))
	}
	expect.Got(e.Add(paths...))(t)
}

// writeImages writes an array [n size size 3] as an NPY file, and labels a and b in turn.
func writeImages(t *testing.T, pixels []byte, n, size int) own.Source {
	t.Helper()
	header := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d, %d, 3), }", n, size, size)
	header += strings.Repeat(" ", 117-len(header)) + "\n"
	dir := configtest.Write(t, map[string]string{
		"x.npy": "\x93NUMPY\x01\x00\x76\x00" + header + string(pixels), "y.txt": strings.Repeat("a\nb\n", n/2),
	})
	return own.Source{Path: filepath.Join(dir, "x.npy"), Labels: filepath.Join(dir, "y.txt")}
}

// Images become the input that their encoder was trained on: resized to its side, a smaller one for small images, and
// shifted and scaled by its constants.
func TestFeaturesOfAnEncoder(t *testing.T) {
	torchtest.Open(t)
	withEncoder(t, encoders.Entry{
		Name: "mean-colour", Data: dataset.Image, Features: 4, Shift: 100, Scale: 50, Small: 8, Side: 16,
		Load: func(string, nn.Init) (nn.Module, error) { return meanColour{}, nil },
	}, "none", "")
	for _, tt := range []struct{ size, given, side int }{{4, 0, 8}, {8, 0, 8}, {12, 0, 16}, {12, 6, 6}} {
		const n = 8
		pixels := make([]byte, n*tt.size*tt.size*3)
		for k := range pixels {
			pixels[k] = byte(10*(k/(tt.size*tt.size*3)) + 50*(k%3)) // one colour an image
		}
		source := writeImages(t, pixels, n, tt.size)
		source.View, source.Side = "mean-colour", tt.given
		c := config.Config{Dataset: "own", Device: "cpu", Source: source}
		splits := expect.Got(Features(t.Context(), c, dataset.Options{}))(t)
		got := splits[0]
		if len(got) != 4*n || len(splits) != 3 || splits[2] != nil {
			t.Fatalf("%d numbers, want 4 of %d images", len(got), n)
		}
		for i := range n {
			for channel := range 3 {
				want := (float64(10*i+50*channel) - 100) / 50
				if v := float64(got[4*i+channel]); math.Abs(v-want) > 1e-5 {
					t.Errorf("images of %d, image %d, channel %d: %v, want %v", tt.size, i, channel, v, want)
				}
			}
			if got[4*i+3] != float32(tt.side) {
				t.Errorf("images of %d with --side %d become %v pixels high, want %d", tt.size, tt.given, got[4*i+3], tt.side)
			}
		}
	}
	c := config.Config{Dataset: "own", Source: own.Source{Path: "x.csv", Text: "text", View: "tfidf"}}
	if got, err := Features(t.Context(), c, dataset.Options{}); got != nil || err != nil {
		t.Errorf("a view without an encoder returns features: %v, %v", got, err)
	}
}
