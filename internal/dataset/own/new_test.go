package own

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// Images with as many bytes as a network's vectors have numbers are these vectors, row by
// row, as reshape(len(x), -1) would have it; larger ones are not.
func TestNewPicturesAsVectors(t *testing.T) {
	pixels := make([]byte, 5*4*3)
	for k := range pixels {
		pixels[k] = byte(k)
	}
	form := Form{Shape: []int{12}, Bytes: true}
	for _, shape := range []string{"5, 4, 3", "5, 4, 3, 1", "5, 2, 2, 3", "5, 12"} {
		datasettest.Here(t, "x.npy", datasettest.Array("|u1", shape, pixels))
		s, _, err := OpenNew(t.Context(), Source{}, []string{"x.npy"}, form, dataset.Options{})
		expect.OK(t, err)
		expect.Same(t, dataset.Split{X: pixels, Shape: form.Shape, IDs: rowNames(5), Labels: make([]int, 5)}, s, shape)
	}
	datasettest.Here(t, "x.npy", datasettest.Array("|u1", "1, 12, 5", pixels))
	_, _, err := OpenNew(t.Context(), Source{}, []string{"x.npy"}, form, dataset.Options{})
	expect.Says(t, err, "the network takes [12]")
}

// Names that nobody asked for may be the same; a column that is named has to have different ones.
func TestNewTextsOfEqualNames(t *testing.T) {
	datasettest.Here(t, "t.csv", "id,text\n7,a b\n7,b\n")
	form := Form{Shape: []int{4}, Words: []string{"a", "b"}, Vocabulary: 6}
	split, _, err := OpenNew(t.Context(), Source{Text: "text"}, []string{"t.csv"}, form, dataset.Options{})
	expect.OK(t, err)
	expect.Same(t, []string{"7", "7"}, split.IDs)
	_, _, err = OpenNew(t.Context(), Source{Text: "text", ID: "id"}, []string{"t.csv"}, form, dataset.Options{})
	expect.Says(t, err, `t.csv:3: column "id": "7" is listed twice`)
	expect.Says(t, expect.Err(OpenLabels(Source{Path: "t.csv", Label: "text"})), "2 training examples: want at least 4")
	datasettest.Here(t, "t.csv", "id,y\n7,p\n7,q\n8,p\n9,q\n")
	d := expect.Got(OpenLabels(Source{Path: "t.csv", Label: "y"}))(t)
	expect.Same(t, rowNames(4), d.Train.IDs)
	expect.Same(t, []int{0, 1, 0, 1}, d.Train.Labels)
}

// A broken image is named as it was given.
func TestNewImagesByName(t *testing.T) {
	datasettest.Isolate(t)
	dir := datasettest.Album(t, append(datasettest.Shaded(t, "a/1.png"), datasettest.Entry{Name: "b/1: x.png",
		Content: "junk"})...)
	form := Form{Shape: []int{3, 8, 8}, Bytes: true}
	paths := []string{filepath.Join(dir, "a", "1.png"), filepath.Join(dir, "b", "1: x.png")}
	split, skipped, err := OpenNew(t.Context(), Source{}, paths, form, dataset.Options{MaxBad: 1})
	if err != nil || len(split.IDs) != 1 || len(skipped) != 1 || !strings.HasPrefix(skipped[0], paths[1]+": ") {
		t.Errorf("%q %q %v", split.IDs, skipped, err)
	}
	_, _, err = OpenNew(t.Context(), Source{}, paths, form, dataset.Options{})
	expect.Says(t, err, paths[1]+": image: unknown format")
}
