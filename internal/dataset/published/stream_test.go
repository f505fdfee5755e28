package published

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/picture"
	"github.com/losscorr/losscorr/internal/expect"
)

// openClothes opens a small set after its folder was tampered with.
func openClothes(t *testing.T, maxBad int, tamper func(root string)) *dataset.Dataset {
	t.Helper()
	datasettest.Isolate(t)
	root := t.TempDir()
	writeClothes(t, root, few)
	tamper(root)
	return expect.Got(Open("clothing1m", dataset.Options{Root: root, MaxBad: maxBad}))(t)
}

// damage makes three images of the training set bad, in three ways. Only the
// missing one is in the sample that is looked for at the beginning.
func damage(t *testing.T) func(root string) {
	return func(root string) {
		expect.OK(t, os.Remove(filepath.Join(root, key(3))))
		for k, content := range map[int]string{10: "", 11: "GIF8?"} {
			path := filepath.Join(root, key(k))
			expect.OK(t, os.Remove(path)) // it is a link
			datasettest.Put(t, path, content)
		}
	}
}

func TestBatchesOfBadImages(t *testing.T) {
	d := openClothes(t, 3, damage(t))
	rows := make([]int64, few)
	want := make([]byte, few)
	for k := range rows {
		rows[k], want[k] = int64(k), shade(k)
	}
	for _, k := range []int{3, 10, 11} {
		want[k] = picture.MidGrey
	}
	for range 2 { // an image counts once, however often it is read
		var reds []byte
		for pixels, err := range d.Train.Images.Batches(rows, 7) {
			expect.OK(t, err)
			for square := range slices.Chunk(pixels, 3*clothingSide*clothingSide) {
				reds = append(reds, square[0])
				if square[0] == picture.MidGrey && !bytes.Equal(square, bytes.Repeat([]byte{picture.MidGrey}, len(square))) {
					t.Errorf("image %d is not grey", len(reds))
				}
			}
		}
		expect.Same(t, want, reds)
	}
	bad := dataset.SkippedLines(d.Train.Images.Bad())
	expect.Same(t, []string{key(10) + ": empty file", key(11) + ": image: unknown format: want JPEG, PNG, GIF, WebP, " +
		"BMP or TIFF", key(3) + ": file does not exist"}, bad)
}

// A fault of the machine is an error, not a bad image.
func TestBatchesUnreadable(t *testing.T) {
	d := openClothes(t, 100, func(root string) {
		expect.OK(t, os.Remove(filepath.Join(root, key(3))))
		expect.OK(t, os.Mkdir(filepath.Join(root, key(3)), 0o755))
	})
	for _, err := range d.Train.Images.Batches([]int64{3}, 1) {
		expect.Says(t, err, key(3))
	}
	expect.Same(t, nil, d.Train.Images.Bad())
}

// The workers are gone when the loop is, however it is left: synctest takes a
// goroutine that stays behind for a deadlock.
func TestBatchesLeaveNothing(t *testing.T) {
	images := openClothes(t, 1, damage(t)).Train.Images
	rows := make([]int64, few)
	for k := range rows {
		rows[k] = int64(k)
	}
	for name, loop := range map[string]func(t *testing.T){
		"break": func(t *testing.T) {
			for _, err := range images.Batches(rows, 3) {
				expect.OK(t, err)
				break
			}
		},
		"panic": func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("the panic of the loop did not arrive")
				}
			}()
			for _, err := range images.Batches(rows, 3) {
				panic(fmt.Sprint("in the loop, ", err))
			}
		},
		"end": func(t *testing.T) {
			for _, err := range images.Batches(rows[12:], 3) {
				expect.OK(t, err)
			}
		},
		"error": func(t *testing.T) {
			var err error
			for _, err = range images.Batches(rows, 3) {
			}
			expect.Says(t, err, "more than the 1 that --max-bad allows")
		},
	} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, loop) })
	}
}
