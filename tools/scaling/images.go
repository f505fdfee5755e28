package scaling

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/losscorr/losscorr/dataset"
)

// photoSide is the side of the images as they are on disk, decodedSide as they are trained on.
const (
	photoSide   = 256
	decodedSide = 64
)

// images measures how many JPEG files a second are read, decoded and resized, by the
// number of workers. The files are in the system's cache of files, and decoded images of an
// earlier measurement are not used.
func (r *run) images() (err error) {
	a := axes{"images", fmt.Sprintf("Decoding of JPEG files, %d to %d pixels a side", photoSide, decodedSide), "workers", "images per second"}
	dir, remove, err := folder()
	if err != nil {
		return err
	}
	defer remove()
	files := 2000
	if r.Quick {
		files = 20
	}
	photos := filepath.Join(dir, "photos")
	if err := writePhotos(photos, files); err != nil {
		return fmt.Errorf("write images: %w", err)
	}
	const cache = "XDG_CACHE_HOME"
	defer restore(cache)()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	cores := runtime.NumCPU()
	workers := slices.Compact(slices.Sorted(slices.Values([]int{1, min(2, cores), cores})))
	return r.each(workers, func(workers int) error {
		runtime.GOMAXPROCS(workers)
		seconds, err := r.seconds(func() error {
			empty := filepath.Join(dir, "cache")
			if err := errors.Join(os.RemoveAll(empty), os.Setenv(cache, empty)); err != nil {
				return err
			}
			return decode(r.ctx, photos, files)
		})
		if err == nil {
			r.add(a, "JPEG", 1, float64(workers), float64(files)/seconds)
		}
		return err
	})
}

// restore returns what sets a variable of the environment back to what it is now.
func restore(name string) func() {
	old, set := os.LookupEnv(name)
	return func() {
		if set {
			_ = os.Setenv(name, old)
		} else {
			_ = os.Unsetenv(name)
		}
	}
}

func decode(ctx context.Context, dir string, files int) error {
	d, err := dataset.OpenOwn(ctx, dataset.Source{Path: dir, Side: decodedSide}, dataset.Options{Offline: true})
	if err == nil && d.Train.Len() != files {
		err = fmt.Errorf("%d of %d images were read", d.Train.Len(), files)
	}
	return err
}

// writePhotos writes JPEG files of two classes, of which some are equal: smooth shades with
// some noise, which compress as photographs do.
func writePhotos(dir string, files int) error {
	rng := rand.New(rand.NewPCG(17, 2))
	var encoded [][]byte
	for range min(files, 40) {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, photo(rng), &jpeg.Options{Quality: 90}); err != nil {
			return err
		}
		encoded = append(encoded, b.Bytes())
	}
	for k := range files {
		class := filepath.Join(dir, []string{"cat", "dog"}[k%2])
		if err := os.MkdirAll(class, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(class, fmt.Sprintf("%05d.jpg", k)), encoded[k%len(encoded)], 0o644); err != nil {
			return err
		}
	}
	return nil
}

func photo(rng *rand.Rand) image.Image {
	picture := image.NewRGBA(image.Rect(0, 0, photoSide, photoSide))
	dx, dy := rng.IntN(3), rng.IntN(3)
	for y := range photoSide {
		for x := range photoSide {
			shade := func() uint8 { return uint8((x*dx+y*dy)/5 + rng.IntN(40)) }
			picture.SetRGBA(x, y, color.RGBA{R: shade(), G: shade(), B: shade(), A: 255})
		}
	}
	return picture
}
