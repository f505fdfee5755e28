package own_test

import (
	"image"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// annotated are COCO annotations of boxes in the image of sizedBoxes.
func annotated(t *testing.T, boxes ...[4]int) own.Source {
	t.Helper()
	datasettest.Isolate(t)
	return sizedBoxes(t, "coco", 1, image.Point{}, boxes...)
}

// Each box is an image with its class and the pixels of the box.
func TestBoxes(t *testing.T) {
	s := annotated(t, [4]int{1, 2, 4, 4}, [4]int{10, 3, 4, 4}, [4]int{16, 6, 9, 9}, [4]int{0, 0, 4, 4})
	d := expect.Got(own.Read(t.Context(), s, dataset.Options{}))(t)
	if want := []string{"x.png#1", "x.png#2", "x.png#3", "x.png#4"}; !slices.Equal(d.Train.IDs, want) ||
		!slices.Equal(d.Train.Labels, []int{1, 0, 1, 0}) || !slices.Equal(d.Classes, []string{"cat", "dog"}) {
		t.Errorf("%q, labels %v of %q", d.Train.IDs, d.Train.Labels, d.Classes)
	}
	if !slices.Equal(d.Train.Shape, []int{3, 4, 4}) { // the third is cut off at the border
		t.Fatalf("shape %v", d.Train.Shape)
	}
	for k, corner := range [][2]int{{1, 2}, {10, 3}, {16, 6}, {0, 0}} {
		x := d.Train.X[k*48 : (k+1)*48]
		if first, last := [2]byte{x[0], x[16]}, [2]byte{x[15], x[31]}; first != [2]byte{byte(10 * corner[0]),
			byte(10 * corner[1])} || last != [2]byte{byte(10 * (corner[0] + 3)), byte(10 * (corner[1] + 3))} {
			t.Errorf("box %d: corners %v and %v", k, first, last)
		}
	}
	originals, err := expect.Got(own.Open(s))(t).Originals(t.Context(), []string{"x.png#2"})
	if err != nil || originals[0].MIME != "image/jpeg" || originals[0].Sum == 0 {
		t.Errorf("%v, %+v", err, originals)
	}
	before := expect.Got(s.Fingerprint())(t)
	expect.OK(t, os.Chtimes(filepath.Join(filepath.Dir(s.Path), "x.png"), time.Unix(1, 0), time.Unix(1, 0)))
	if after, err := s.Fingerprint(); err != nil || after == before {
		t.Error("another image, and the same fingerprint", err)
	}
}
