package dataset

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"io/fs"
	"math"
	"net/http"

	"golang.org/x/image/draw"
)

// eachImage calls found with the value of each name in wanted and the content of that file.
// It leaves out those that are missing. A .tar.gz is read from its beginning at each call, so that
// one call should ask for many images.
func eachImage(ctx context.Context, path string, wanted map[string][]int, found func(places []int, raw []byte) error) error {
	container, err := newSource(path)
	if err != nil {
		return err
	}
	if container.isFolder() {
		files := imageFiles{root: path}
		for name, places := range wanted {
			if err := ctx.Err(); err != nil {
				return err
			}
			var raw bytes.Buffer
			problem, err := files.load(name, &raw)
			if err == nil && problem == nil {
				err = found(places, raw.Bytes())
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	err = container.walk(func(m member) error {
		places, ok := wanted[m.name]
		switch {
		case len(wanted) == 0:
			return fs.SkipAll
		case !ok:
			return ctx.Err()
		}
		delete(wanted, m.name)
		raw, err := m.read()
		if err != nil {
			return err
		}
		return found(places, raw)
	})
	if errors.Is(err, fs.SkipAll) {
		err = nil
	}
	return err
}

const (
	maxOriginal = 8 << 20 // bytes of an image that is shown as it is
	previewSide = 1024
)

// newOriginal returns an image as browsers show it: one of another format, or of many
// bytes, becomes a JPEG of at most 1024 x 1024 pixels. A broken one is the zero Original.
func newOriginal(raw []byte) (Original, error) {
	switch mime := http.DetectContentType(raw); mime {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		if len(raw) <= maxOriginal {
			return Original{Image: raw, MIME: mime}, nil
		}
	}
	width, height, err := imageSize(raw)
	if err != nil {
		return Original{}, nil
	}
	largeImages.Lock()
	defer largeImages.Unlock()
	img, _, err := decodeImage(raw, width, height)
	if err != nil {
		return Original{}, nil
	}
	scale := min(1, float64(previewSide)/float64(max(width, height)))
	side := func(n int) int { return max(1, int(math.Round(float64(n)*scale))) }
	preview := image.NewRGBA(image.Rect(0, 0, side(width), side(height)))
	draw.ApproxBiLinear.Scale(preview, preview.Bounds(), img, img.Bounds(), draw.Src, nil)
	var b bytes.Buffer
	err = jpeg.Encode(&b, preview, nil)
	return Original{Image: b.Bytes(), MIME: "image/jpeg"}, err
}
