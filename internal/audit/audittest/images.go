package audittest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Images makes a folder of n images, dir/shapes/CLASS/file.png, and its audit in
// dir/audit. A third of the circles are in the folder of the rings.
func Images(dir string, n int) (*audit.Folder, error) {
	rng := rand.New(rand.NewPCG(2, uint64(n)))
	t := [][]float64{
		{.64, .02, .3, .02, .02}, {.02, .92, .02, .02, .02}, {.05, .02, .89, .02, .02}, {.02, .02, .02, .92, .02},
		{.02, .02, .02, .14, .8},
	}
	names := []string{"circle", "cross", "ring", "square", "triangle"}
	list := draw(rng, n, t)
	for k := range list {
		list[k].id = fmt.Sprintf("%s/%05d.png", names[list[k].given], k)
	}
	slices.SortFunc(list, func(a, b example) int { return cmp.Compare(a.id, b.id) })
	source := filepath.Join(dir, "shapes")
	for _, e := range list {
		if err := drawShape(rng, filepath.Join(source, e.id), e.truth); err != nil {
			return nil, err
		}
	}
	f := audit.At(filepath.Join(dir, "audit"))
	s := audit.Summary{
		Source: own.Source{Path: source}, Command: "losscorr audit " + source, Model: "resnet14",
		Warnings: []string{
			"labels alone do not tell which class row circle of T-hat belongs to",
			"Class triangle has few examples: its numbers are rough.",
		},
	}
	return f, fill(f, s, names, t, list)
}

// drawShape writes an image with a pattern of its class in a random colour.
func drawShape(rng *rand.Rand, path string, class int) error {
	const side = 96
	ink := color.NRGBA{R: uint8(60 + rng.IntN(196)), G: uint8(rng.IntN(200)), B: uint8(rng.IntN(256)), A: 255}
	img := image.NewPaletted(image.Rect(0, 0, side, side), color.Palette{color.NRGBA{R: 240, G: 240, B: 235, A: 255}, ink})
	for k := range img.Pix {
		if x, y := k%side/8, k/side/8; (x*(1+class)+y)%5 < 2 {
			img.Pix[k] = 1
		}
	}
	var b bytes.Buffer
	return errors.Join(png.Encode(&b, img), os.MkdirAll(filepath.Dir(path), 0o777),
		os.WriteFile(path, b.Bytes(), 0o666))
}

// Originals returns a function that reads the original examples of a folder.
func Originals(f *audit.Folder) (func(ctx context.Context, ids []string) ([]own.Original, error), error) {
	s, err := f.Summary()
	return own.Looker(s.Source), err
}
