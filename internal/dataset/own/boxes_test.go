package own

import (
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// sizedBoxes writes an image of 20 x 10 pixels, whose pixel (x, y) is (10 x, 10 y, 0), with an EXIF orientation, and
// annotations of a form with boxes in it: left, top, width and height. The annotations have a size of the image, if
// there is one.
func sizedBoxes(t *testing.T, form string, orientation int, size image.Point, boxes ...[4]int) Source {
	t.Helper()
	dir := t.TempDir()
	img := image.NewNRGBA(image.Rect(0, 0, 20, 10))
	for k := range 200 {
		img.Set(k%20, k/20, color.NRGBA{byte(10 * (k % 20)), byte(10 * (k / 20)), 0, 255})
	}
	raw := datasettest.PNGFile(t, img)
	datasettest.Put(t, filepath.Join(dir, "x.png"), string(datasettest.WithEXIF(raw, orientation)))
	classes := []string{"dog", "cat"}
	var parts []string
	for k, c := range boxes {
		x, y, w, h := c[0], c[1], c[2], c[3]
		parts = append(parts, map[string]string{
			"coco": fmt.Sprintf(`{"id": %d, "image_id": 1, "category_id": %d, "bbox": [%d, %d, %d, %d]}`, k+1, k%2, x, y, w, h),
			"voc": fmt.Sprintf("<object><name>%s</name><bndbox><xmin>%d</xmin><ymin>%d</ymin><xmax>%d</xmax><ymax>%d</ymax></bndbox></object>",
				classes[k%2], x+1, y+1, x+w, y+h),
			"cvat": fmt.Sprintf(`<box label="%s" xtl="%d" ytl="%d" xbr="%d" ybr="%d"/>`, classes[k%2], x, y, x+w, y+h),
		}[form])
	}
	pick := func(sized string) string {
		if size == (image.Point{}) {
			return ""
		}
		return fmt.Sprintf(sized, size.X, size.Y)
	}
	switch form {
	case "coco":
		datasettest.Put(t, filepath.Join(dir, "boxes.json"), `{"images": [{"id": 1, "file_name": "x.png"`+
			pick(`, "width": %d, "height": %d`)+`}, {"id": 2, "file_name": "gone.png"}], `+
			`"categories": [{"id": 0, "name": "dog"}, {"id": 1, "name": "cat"}], "annotations": [`+
			strings.Join(parts, ", ")+"]}")
		return Source{Path: filepath.Join(dir, "boxes.json")}
	case "cvat":
		datasettest.Put(t, filepath.Join(dir, "boxes.xml"), `<annotations><image name="x.png"`+
			pick(` width="%d" height="%d"`)+">"+strings.Join(parts, "")+"</image></annotations>")
		return Source{Path: filepath.Join(dir, "boxes.xml")}
	}
	datasettest.Put(t, filepath.Join(dir, "Annotations", "x.xml"), "<annotation><filename>x.png</filename>"+
		pick("<size><width>%d</width><height>%d</height><depth>3</depth></size>")+strings.Join(parts, "")+"</annotation>")
	return Source{Path: dir}
}

// The size in annotations says which picture a box is of: the image as it is seen, as it is stored, or one of another
// size. Boxes are squares of 4 x 4 pixels of the stored image, from (1, 2) and (10, 3), and as it is seen.
func TestSizesOfBoxes(t *testing.T) {
	datasettest.Isolate(t)
	stored := [][4]int{{1, 2, 4, 4}, {10, 3, 4, 4}, {1, 2, 4, 4}, {10, 3, 4, 4}}
	seen := [][4]int{{4, 1, 4, 4}, {3, 10, 4, 4}, {4, 1, 4, 4}, {3, 10, 4, 4}} // turned by a quarter
	scaled := func(boxes [][4]int, by int) (out [][4]int) {
		for _, b := range boxes {
			out = append(out, [4]int{by * b[0], by * b[1], by * b[2], by * b[3]})
		}
		return out
	}
	upright := []string{"(10,20)-(40,50)", "(100,30)-(130,60)"} // values of the first and the last pixel
	turned := []string{"(10,50)-(40,20)", "(100,60)-(130,30)"}
	for _, form := range []string{"coco", "voc", "cvat"} {
		for _, c := range []struct {
			name        string
			orientation int
			size        image.Point
			boxes       [][4]int
			want        []string
		}{
			{"as it is", 1, image.Pt(20, 10), stored, upright},
			{"no size", 1, image.Point{}, stored, upright},
			{"twice as large", 1, image.Pt(40, 20), scaled(stored, 2), upright},
			{"stored", 6, image.Pt(20, 10), stored, turned},
			{"stored, twice as large", 6, image.Pt(40, 20), scaled(stored, 2), turned},
			{"seen", 6, image.Pt(10, 20), seen, turned},
			{"seen, three times as large", 6, image.Pt(30, 60), scaled(seen, 3), turned},
			{"no size of a turned one", 6, image.Point{}, seen, turned},
		} {
			d := good(t, sizedBoxes(t, form, c.orientation, c.size, c.boxes...), 0)
			for k, want := range c.want {
				x := d.Train.X[k*48 : (k+1)*48]
				expect.Same(t, want, fmt.Sprintf("(%d,%d)-(%d,%d)", x[0], x[16], x[15], x[31]), form, c.name, k)
			}
		}
		s := sizedBoxes(t, form, 1, image.Pt(10, 10), stored...)
		refused(t, s, 1, "x.png#1: its box is for a 10 x 10 picture, but the file is 20 x 10")
	}
}

// What annotations describe and cannot be used counts as bad, with its reason, and leaves the others.
func TestBadBoxes(t *testing.T) {
	datasettest.Isolate(t)
	s := sizedBoxes(t, "coco", 1, image.Pt(20, 10), [4]int{1, 2, 4, 4}, [4]int{9, 2, -4, 4}, [4]int{5, 2, 4, 4},
		[4]int{5, 3, 4, 4}, [4]int{5, 4, 4, 4}, [4]int{5, 5, 4, 4})
	refused(t, s, 0, "x.png#2: its box has a size of -4 x 4", "--max-bad 1")
	d := good(t, s, 1)
	expect.Same(t, 5, d.Train.Len())
	expect.Same(t, []dataset.Skipped{{Name: "x.png#2", Why: "its box has a size of -4 x 4"}}, d.Skipped)
}

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
