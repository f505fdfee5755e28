package scaling

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// photoSide is the side of the images on disk, and decodedSide in training.
const (
	photoSide   = 256
	decodedSide = 64
)

// BenchmarkImages reads, decodes and resizes JPEG files. They are in the system's file cache,
// but decoded images of an earlier measurement are not used.
func BenchmarkImages(b *testing.B) {
	files := 2000
	if testing.Short() {
		files = 20
	}
	dir := b.TempDir()
	photos, cache := filepath.Join(dir, "photos"), filepath.Join(dir, "cache")
	expect.OK(b, writePhotos(photos, files))
	b.Setenv("XDG_CACHE_HOME", cache)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	cores := runtime.NumCPU()
	for _, workers := range slices.Compact(slices.Sorted(slices.Values([]int{1, min(2, cores), cores}))) {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			runtime.GOMAXPROCS(workers)
			for b.Loop() {
				expect.OK(b, os.RemoveAll(cache))
				d, err := own.Read(b.Context(), own.Source{Path: photos, Side: decodedSide}, dataset.Options{Offline: true})
				if err != nil || d.Train.Len() != files {
					b.Fatalf("of %d images: %v", files, err)
				}
			}
			b.ReportMetric(float64(b.N*files)/b.Elapsed().Seconds(), "images/s")
		})
	}
}

// writePhotos writes JPEG files of two classes, some of them equal: smooth shades with some
// noise, which compress like photographs.
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
