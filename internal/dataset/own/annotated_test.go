package own

import (
	"image"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// Each box is an image with its class and the pixels of the box.
func TestBoxes(t *testing.T) {
	datasettest.Isolate(t)
	s := sizedBoxes(t, "coco", 1, image.Point{}, [4]int{1, 2, 4, 4}, [4]int{10, 3, 4, 4}, [4]int{16, 6, 9, 9},
		[4]int{0, 0, 4, 4})
	d := good(t, s, 0)
	expect.Same(t, []string{"x.png#1", "x.png#2", "x.png#3", "x.png#4"}, d.Train.IDs)
	expect.Same(t, []int{1, 0, 1, 0}, d.Train.Labels)
	expect.Same(t, []string{"cat", "dog"}, d.Classes)
	expect.Same(t, []int{3, 4, 4}, d.Train.Shape) // the third is cut off at the border
	for k, corner := range [][2]int{{1, 2}, {10, 3}, {16, 6}, {0, 0}} {
		x := d.Train.X[k*48 : (k+1)*48]
		if first, last := [2]byte{x[0], x[16]}, [2]byte{x[15], x[31]}; first != [2]byte{byte(10 * corner[0]),
			byte(10 * corner[1])} || last != [2]byte{byte(10 * (corner[0] + 3)), byte(10 * (corner[1] + 3))} {
			t.Errorf("box %d: corners %v and %v", k, first, last)
		}
	}
	originals := shown(t, s, "x.png#2")
	if originals[0].MIME != "image/jpeg" || originals[0].Sum == 0 {
		t.Errorf("%+v", originals)
	}
	before := expect.Got(s.Fingerprint())(t)
	expect.OK(t, os.Chtimes(filepath.Join(filepath.Dir(s.Path), "x.png"), time.Unix(1, 0), time.Unix(1, 0)))
	if after := expect.Got(s.Fingerprint())(t); after == before {
		t.Error("another image, and the same fingerprint")
	}
}
