package picture

import (
	"fmt"
	"image"
	"image/color"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// numbered writes a PNG of 7 x 4 pixels whose red value is the number of the pixel, with an EXIF orientation.
func numbered(t *testing.T, orientation int) (path string, stored image.Image) {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 7, 4))
	for k := range 28 {
		img.Set(k%7, k/7, color.NRGBA{R: byte(k), A: 255})
	}
	raw := datasettest.PNGFile(t, img)
	path = datasettest.File(t, "x.png", datasettest.WithEXIF(raw, orientation))
	return path, img
}

// reds are the red values of an image, row by row.
func reds(img image.Image) string {
	out := ""
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			red, _, _, _ := img.At(x, y).RGBA()
			out += fmt.Sprint(red>>8, " ")
		}
		out += "/ "
	}
	return out
}

// A part of the image as it is stored is turned with it: of a photo on its side by the sizes, of others where a photo
// on its side in the same list was as it is stored. The oracle is the turned part of the stored image.
func TestCropsOfStoredImages(t *testing.T) {
	corner := func(int, int) image.Rectangle { return image.Rect(1, 1, 4, 3) }
	sideways, _ := numbered(t, 6)
	for orientation := 1; orientation <= 8; orientation++ {
		path, stored := numbered(t, orientation)
		part := image.NewNRGBA(image.Rect(0, 0, 3, 2))
		for k := range 6 {
			part.Set(k%3, k/3, stored.At(1+k%3, 1+k/3))
		}
		for _, of := range []image.Point{{7, 4}, {14, 8}} {
			members := Crops([]Crop{{Name: "a", File: sideways, In: corner, Of: of}, {Name: "b", File: path, In: corner,
				Of: of}})
			got := expect.Got(members[1].Image())(t)
			expect.Same(t, reds(oriented(part, orientation)), reds(got), orientation, of)
		}
	}
}

// The size of the image of a part decides which image it is of.
func TestCropsBySize(t *testing.T) {
	for _, c := range []struct {
		orientation int
		of          image.Point
		in          string // the size that the part refers to
		problem     string
	}{
		{1, image.Pt(7, 4), "7 x 4", ""},
		{1, image.Pt(700, 400), "7 x 4", ""},
		{1, image.Pt(70, 43), "7 x 4", ""}, // 4.3 pixels
		{1, image.Pt(4, 7), "", "its box is for a 4 x 7 picture, but the file is 7 x 4"},
		{1, image.Pt(7, 7), "", "its box is for a 7 x 7 picture, but the file is 7 x 4"},
		{1, image.Point{}, "7 x 4", ""},
		{3, image.Pt(7, 4), "7 x 4", ""},
		{6, image.Pt(4, 7), "4 x 7", ""},
		{6, image.Pt(40, 70), "4 x 7", ""},
		{6, image.Pt(7, 4), "7 x 4", ""},
		{6, image.Pt(9, 9), "", "its box is for a 9 x 9 picture, but the file is 4 x 7"},
		{6, image.Point{}, "4 x 7", ""},
	} {
		path, _ := numbered(t, c.orientation)
		in := ""
		members := Crops([]Crop{{Name: "a", File: path, Of: c.of, In: func(w, h int) image.Rectangle {
			in = fmt.Sprintf("%d x %d", w, h)
			return image.Rect(0, 0, 2, 2)
		}}})
		expect.Fails(t, members[0].Problem, c.problem, c.orientation, c.of)
		if c.problem == "" {
			expect.Same(t, c.in, in, c.orientation, c.of)
		}
	}
	// Alone, a photo that stands on its head is one as it is seen.
	path, stored := numbered(t, 3)
	got, err := Crops([]Crop{{Name: "a", File: path, Of: image.Pt(7, 4), In: func(int, int) image.Rectangle {
		return image.Rect(0, 0, 1, 1)
	}}})[0].Image()
	if err != nil || got.At(0, 0) != color.Model.Convert(got.ColorModel(), stored.At(6, 3)) {
		t.Errorf("%v: %s, want the last pixel", err, reds(got))
	}
}
