package own

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"path/filepath"
	"testing"

	"golang.org/x/image/bmp"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/picture"
	"github.com/losscorr/losscorr/internal/expect"
)

// The cache holds pixels, which do not depend on labels.
func TestOwnImagesCache(t *testing.T) {
	datasettest.Isolate(t)
	root := datasettest.Album(t, datasettest.Shaded(t, "a/1.png", "b/1.png", "b/2.png", "b/3.png")...)
	labels := filepath.Join(t.TempDir(), "l.csv")
	decoded := func(s Source) (n int) {
		expect.OK(t, expect.Err(Read(t.Context(), s, dataset.Options{Progress: func(string, int, int) { n++ }})))
		return n
	}
	for _, step := range []struct {
		table string
		side  int
		want  int
	}{
		{"a/1.png,x\nb/1.png,y\nb/2.png,x\n", 0, 4}, {"a/1.png,y\nb/1.png,y\nb/2.png,x\n", 0, 0},
		{"a/1.png,y\nb/1.png,y\nb/2.png,x\n", 8, 4},
	} {
		datasettest.Put(t, labels, "file_name,label\nb/3.png,y\n"+step.table)
		expect.Same(t, step.want, decoded(Source{Path: root, Labels: labels, Side: step.side}))
	}
}

func TestOwnImagesStreamed(t *testing.T) {
	datasettest.Isolate(t)
	entries := datasettest.Shaded(t, "train/a/1.png", "train/a/2.png", "train/b/1.png", "train/b/2.png", "test/a/1.png",
		"test/b/1.png")
	entries[3].Content = "x"
	root := datasettest.Album(t, entries...)
	opt := dataset.Options{MaxBad: 1, InMemory: 5 * 3 * 2 * 2}
	d := expect.Got(Read(t.Context(), Source{Path: root, Side: 2}, opt))(t)
	expect.Same(t, nil, d.Train.X)
	expect.Same(t, []int{4, 2, 1}, []int{d.Train.Len(), d.Test.Len(), len(d.Files)})
	var got []byte
	for pixels, err := range d.Train.Images.Batches([]int64{2, 3, 0}, 1) {
		expect.OK(t, err)
		got = append(got, pixels[0])
	}
	expect.Same(t, []byte{2, picture.MidGrey, 0}, got, d.Train.Images.Bad())
	expect.Same(t, []string{"train/b/2.png"}, dataset.SkippedNames(d.Train.Images.Bad()), d.Train.Images.Bad())
	path := datasettest.File(t, "own.zip", datasettest.Zip(t, entries))
	expect.Says(t, expect.Err(Read(t.Context(), Source{Path: path, Side: 2}, opt)),
		path+": 6 images of 2 x 2 pixels need more than",
		"GiB of memory, and an archive cannot be read in random order: unpack it, or make the images smaller (--side)")
}

func TestOriginalImages(t *testing.T) {
	datasettest.Isolate(t)
	entries := datasettest.Shaded(t, "train/a/1.png", "train/a/2.png", "train/b/1.png", "test/a/1.png", "train/b/3.png")
	entries[1].Content = "x" // is left out
	entries = append(entries, datasettest.Entry{Name: "train/b/2.bmp",
		Content: encoded(t, 1500, 750, color.White, bmp.Encode)})
	root := datasettest.Album(t, entries...)
	archives := t.TempDir()
	datasettest.Put(t, archives+"/a.tar.gz", string(datasettest.TarGz(t, entries)))
	datasettest.Put(t, archives+"/a.zip", string(datasettest.Zip(t, entries)))
	for _, path := range []string{root, archives + "/a.tar.gz", archives + "/a.zip"} {
		all := shown(t, Source{Path: path}, "train/b/2.bmp", "train/a/1.png", "train/b/1.png", "train/a/1.png",
			"train/a/2.png", "train/c/1.png")
		for k, want := range map[int]string{1: entries[0].Content, 2: entries[2].Content, 3: entries[0].Content} {
			expect.Same(t, want, string(all[k].Image), path, k)
			expect.Same(t, "image/png", all[k].MIME, path, k)
		}
		c, format, err := image.DecodeConfig(bytes.NewReader(all[0].Image))
		if err != nil || format != "jpeg" || all[0].MIME != "image/jpeg" || c.Width != 1024 || c.Height != 512 {
			t.Errorf("%s: BMP as %s of %d x %d: %v", path, format, c.Width, c.Height, err)
		}
		expect.Same(t, []Original{{}, {}}, all[4:], "a broken and a missing image")
	}
}

// Of two ways to read the paths of a table that find equally many images, the one without folders
// above the tree holds: a/1.png is not the image 1.png, though one label has no image.
func TestOwnImagesPathsAsTheyAre(t *testing.T) {
	datasettest.Isolate(t)
	root := datasettest.Album(t, datasettest.Shaded(t, "1.png", "2.png", "3.png", "4.png", "a/1.png", "a/2.png", "a/3.png",
		"a/4.png")...)
	labels := datasettest.File(t, "y.csv",
		"file_name,label\na/1.png,cat\na/2.png,dog\na/3.png,cat\na/4.png,dog\na/5.png,dog\n")
	d := good(t, Source{Path: root, Labels: labels}, 5)
	expect.Same(t, []string{"a/1.png", "a/2.png", "a/3.png", "a/4.png"}, d.Train.IDs)
}

// Small images are small whether or not they have one size.
func TestImageSide(t *testing.T) {
	for name, c := range map[string]struct {
		sizes [][2]int
		want  int
	}{
		"one size":               {[][2]int{{200, 150}, {200, 150}}, 200},
		"small, of several":      {[][2]int{{24, 24}, {20, 32}, {24, 24}, {30, 30}}, 32},
		"one large, of several":  {[][2]int{{24, 24}, {32, 20}, {32, 129}, {24, 24}}, 0},
		"the first large":        {[][2]int{{300, 300}, {24, 24}, {24, 24}}, 0},
		"as large as small ones": {[][2]int{{128, 100}, {100, 128}}, 128},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "photos")
			for k, size := range c.sizes {
				datasettest.Put(t, filepath.Join(dir, "cat", fmt.Sprintf("%d.png", k)),
					datasettest.PNG(t, size[0], size[1], color.White))
			}
			expect.Same(t, c.want, expect.Got(Source{Path: dir}.ImageSide(t.Context()))(t))
		})
	}
}
