package own

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// A folder may hold a pipe, links to devices and to nothing, and sparse files of any size: as
// images they are broken ones, other files are not looked at, and nothing waits.
func TestOwnImagesSpecialFiles(t *testing.T) {
	for _, limit := range []int{0, 1000} { // in memory, and streamed
		datasettest.Isolate(t)
		dir := datasettest.Album(t, datasettest.Shaded(t, "a/1.png", "a/2.png", "b/1.png", "b/2.png")...)
		for _, name := range []string{"a/pipe.png", "a/pipe.txt"} {
			expect.OK(t, syscall.Mkfifo(filepath.Join(dir, name), 0o600))
		}
		for name, to := range map[string]string{"a/zero.png": "/dev/zero", "a/none.png": "nowhere.png",
			"a/zero.txt": "/dev/zero", "a/none.txt": "nowhere.txt"} {
			expect.OK(t, os.Symlink(to, filepath.Join(dir, name)))
		}
		for _, name := range []string{"b/sparse.png", "b/sparse.txt"} {
			datasettest.Put(t, filepath.Join(dir, name), "x")
			expect.OK(t, os.Truncate(filepath.Join(dir, name), 50<<30))
		}
		opt := dataset.Options{MaxBad: 4, InMemory: limit}
		d := expect.Got(Read(t.Context(), Source{Path: dir, Side: 8}, opt))(t)
		skipped := d.Skipped
		if d.Train.Images != nil {
			for _, err := range d.Train.Images.Batches([]int64{0, 1, 2, 3, 4, 5, 6, 7}, 8) {
				expect.OK(t, err)
			}
			skipped = d.Train.Images.Bad()
		}
		want := []string{
			"a/none.png: it is a link to a missing file", "a/pipe.png: it is not a regular file but a pipe",
			"a/zero.png: it is not a regular file but a device",
			"b/sparse.png: 53687091200 bytes, want at most 67108864 in one file",
		}
		if d.Train.Images != nil {
			want[0] = "a/none.png: file does not exist"
		}
		expect.Same(t, want, dataset.SkippedLines(skipped))
	}
}

// A pipe in place of a file is an error at once.
func TestOwnPipes(t *testing.T) {
	datasettest.Here(t, "x.csv", "text,label\na,1\nb,2\nc,1\nd,2\n", "x.npy", datasettest.Array("<f4", "4, 1",
		[]float32{1, 2, 3, 4}))
	for _, name := range []string{"p.zip", "p.csv", "p.npy", "p.txt", "p.png"} {
		expect.OK(t, syscall.Mkfifo(name, 0o600))
	}
	for _, s := range []Source{
		{Path: "p.zip"}, {Path: "p.csv", Text: "text"}, {Path: "p.npy", Labels: "p.txt"}, {Path: "x.npy", Labels: "p.txt"},
		{Path: "x.npy", Labels: "p.npy"},
	} {
		refused(t, s, 0, "a pipe")
	}
	_, _, err := OpenNew(t.Context(), Source{}, []string{"p.png"}, Form{Shape: []int{3, 8, 8}, Bytes: true},
		dataset.Options{})
	expect.Says(t, err, "p.png: it is not a regular file but a pipe")
}
