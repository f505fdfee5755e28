package own

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"slices"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/picture"
	"github.com/losscorr/losscorr/internal/npy"
)

// divideContent keeps the rows first of a split, with size elements each, and returns the rows second.
func divideContent(s *dataset.Split, size int, first, second []int) (rest dataset.Split) {
	if files, ok := s.Images.(*picture.Files); ok {
		s.Images, rest.Images = files.Pick(first), files.Pick(second)
	}
	s.X, rest.X = divide(s.X, size, first, second)
	s.Halves, rest.Halves = divide(s.Halves, size, first, second)
	s.Features, rest.Features = divide(s.Features, size, first, second)
	s.Texts, rest.Texts = divide(s.Texts, size, first, second)
	return rest
}

// openExamples opens an array of features or images and checks its shape and type.
func openExamples(path string) (*npy.Array, error) {
	a, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	if err := checkExamples(a); err != nil {
		a.Close()
		return nil, fmt.Errorf("%s: array of %s %v: %w", path, a.Type, a.Shape, err)
	}
	return a, nil
}

func checkExamples(a *npy.Array) error {
	dims := len(a.Shape)
	bytes := a.Type.Kind == npy.Unsigned && a.Type.Size == 1
	switch {
	case dims < 2 || dims > 4:
		return errors.New("want features [N D] or images [N H W C] or [N H W]")
	case slices.Contains(a.Shape, 0):
		return errors.New("it is empty")
	case a.Type.Kind == npy.Unicode || a.Type.Kind == npy.Bytes:
		return errors.New("want numbers; texts are read from tables (CSV, TSV, JSON lines or Parquet)")
	case dims > 2 && !bytes:
		return errors.New("for images want bytes, x.astype('uint8') with values from 0 to 255; for features want [N D], " +
			"x.reshape(len(x), -1)")
	case dims == 4 && a.Shape[3] != 1 && a.Shape[3] != 3:
		return errors.New("want images [N H W C] with 1 or 3 channels; convert [N C H W] with numpy.moveaxis(x, 1, -1), " +
			"and [N H W 4] with x[..., :3]")
	}
	return nil
}

// content reads the examples of an array as a split without labels.
func (s Source) content(ctx context.Context, a *npy.Array) (split dataset.Split, err error) {
	switch {
	case len(a.Shape) > 2:
		return s.images(ctx, a)
	case a.Type.Kind == npy.Unsigned && a.Type.Size == 1:
		split.X, err = a.Bytes()
	case a.Type.Kind == npy.Float && a.Type.Size == 2:
		split.Halves, err = a.Halves()
	default:
		split.Features, err = a.Float32s()
	}
	if err != nil {
		return split, err
	}
	split.Shape = []int{a.Shape[1]}
	at := slices.IndexFunc(split.Halves, func(bits uint16) bool { return bits>>10&0x1f == 0x1f })
	if at < 0 {
		at = slices.IndexFunc(split.Features, func(x float32) bool { return x-x != 0 })
	}
	if at >= 0 {
		return split, fmt.Errorf("%s: row %d, column %d (from 0) is NaN, infinite or too large for float32: fill in "+
			"missing values, or leave the column out", a.Path, at/a.Shape[1], at%a.Shape[1])
	}
	return split, nil
}

// images reads bytes [N H W C] as planes [N 3 H W], resized to Source.Side. Grey becomes three equal planes, as
// for files, since the networks for images take colours.
func (s Source) images(ctx context.Context, a *npy.Array) (split dataset.Split, err error) {
	n, height, width := a.Shape[0], a.Shape[1], a.Shape[2]
	pixels, err := a.Bytes()
	if err != nil {
		return split, err
	}
	write, shape := picture.WritePlanes, []int{3, height, width}
	enlarged := (s.Backbone != "" || s.View != "") && max(height, width) <= s.Side // by the backbone, a batch at a time
	asTheyAre := s.Side == 0 && max(height, width) <= ownSide || s.Side == height && s.Side == width || enlarged
	if !asTheyAre {
		side := cmp.Or(s.Side, ownSide)
		write, shape = (&picture.Squarer{Side: side}).Square, []int{3, side, side}
	}
	split = dataset.Split{X: pixels, Shape: shape}
	from, to := len(pixels)/n, split.Size()
	if from != to {
		split.X = make([]byte, n*to)
	}
	for k := range n {
		if err := ctx.Err(); err != nil {
			return split, err
		}
		write(split.X[k*to:(k+1)*to], asImage(pixels[k*from:(k+1)*from], width, height))
	}
	return split, nil
}

// asImage makes an image from bytes [H W C], grey if C is 1.
func asImage(pixels []byte, width, height int) image.Image {
	if len(pixels) == width*height {
		return &image.Gray{Pix: pixels, Stride: width, Rect: image.Rect(0, 0, width, height)}
	}
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for k := range width * height {
		copy(img.Pix[4*k:], pixels[3*k:3*k+3])
		img.Pix[4*k+3] = 255
	}
	return img
}
