package run

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/encoders"
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

// withMeanColour adds the encoder and its view to the tables.
func withMeanColour(t *testing.T) encoders.Entry {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	file := filepath.Join(t.TempDir(), "weights")
	if err := os.WriteFile(file, []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("none"))
	e := encoders.Entry{
		Name: "mean-colour", Data: dataset.Image, Features: 4, File: encoders.File{SHA256: hex.EncodeToString(sum[:]), Size: 4, Member: "x/weights.pth"},
		Shift: 100, Scale: 50, Small: 8, Side: 16, Load: func(string, nn.Init) (nn.Module, error) { return meanColour{}, nil },
	}
	allEncoders, allViews := encoders.All, views.All
	t.Cleanup(func() { encoders.All, views.All = allEncoders, allViews })
	encoders.All = append(encoders.All[:len(encoders.All):len(encoders.All)], e)
	views.All = append(views.All[:len(views.All):len(views.All)], views.Entry{Name: "mean-colour", Data: dataset.Image, Encoder: "mean-colour"})
	if _, err := e.Add(file); err != nil {
		t.Fatal(err)
	}
	return e
}

// Images become the input that their encoder was trained on: brought to its side, which is smaller
// for small images, and shifted and scaled by its own constants.
func TestFeaturesOfAnEncoder(t *testing.T) {
	torchtest.Open(t)
	withMeanColour(t)
	for _, tt := range []struct{ size, given, side int }{{4, 0, 8}, {8, 0, 8}, {12, 0, 16}, {12, 6, 6}} {
		dir := t.TempDir()
		const n = 8
		pixels := make([]byte, n*tt.size*tt.size*3)
		for k := range pixels {
			pixels[k] = byte(10*(k/(tt.size*tt.size*3)) + 50*(k%3)) // one colour an image
		}
		labels := make([]byte, n)
		for k := range labels {
			labels[k] = byte('0' + k%2)
		}
		file, given := filepath.Join(dir, "x.npy"), filepath.Join(dir, "y.txt")
		if err := writeImages(file, pixels, n, tt.size); err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, y := range labels {
			text += string(y) + "\n"
		}
		if err := os.WriteFile(given, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := config.Config{Dataset: "own", Device: "cpu", Source: own.Source{Path: file, Labels: given, View: "mean-colour", Side: tt.given}}
		splits, err := Features(t.Context(), c, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
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
		t.Errorf("a view without an encoder has features: %v, %v", got, err)
	}
}

// writeImages writes an array [n size size 3], as an NPY file of version 1.
func writeImages(path string, pixels []byte, n, size int) error {
	header := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d, %d, 3), }", n, size, size)
	header += strings.Repeat(" ", 117-len(header)) + "\n"
	return os.WriteFile(path, append([]byte("\x93NUMPY\x01\x00\x76\x00"+header), pixels...), 0o600)
}

// A backbone that is given by its file has features as an encoder of a view has.
func TestFeaturesOfABackboneFile(t *testing.T) {
	torchtest.Open(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	const n, side = 6, 24
	images := noiseImages(n, side)
	dir := t.TempDir()
	file, given := filepath.Join(dir, "x.npy"), filepath.Join(dir, "y.txt")
	pixels := make([]byte, len(images.X)) // the channels last
	for k, v := range images.X {
		image, channel, place := k/(3*side*side), k/(side*side)%3, k%(side*side)
		pixels[image*3*side*side+3*place+channel] = v
	}
	if err := errors.Join(writeImages(file, pixels, n, side), os.WriteFile(given, []byte(strings.Repeat("a\nb\n", n/2)), 0o600)); err != nil {
		t.Fatal(err)
	}
	source := own.Source{Path: file, Labels: given, Backbone: exported(t, "cifar10.pt2")}
	got, err := Features(t.Context(), config.Config{Dataset: "own", Device: "cpu", Source: source}, dataset.Options{})
	if err != nil || len(got) != 3 {
		t.Fatal(got, err)
	}
	b, err := describeBackbone(source, torch.CPU)
	want := &dataset.Dataset{Train: images}
	if err == nil {
		err = b.features(t.Context(), want, nil)
	}
	if err != nil || len(got[0]) != 10*n || !slices.Equal(got[0], want.Train.Features) {
		t.Errorf("%v: features %v, want %v", err, got[0], want.Train.Features)
	}
}
