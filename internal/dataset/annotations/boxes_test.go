package annotations

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
)

// read returns the labels of a set as lines: name, and box in an image of 20 x 20 pixels.
func (s sample) read(t *testing.T) (labels []string, left []dataset.Skipped) {
	t.Helper()
	set := expect.Got(Read(s.make(t)))(t)
	for _, l := range set.Labels {
		box := "whole"
		if l.Box != (Box{}) {
			box = l.In(20, 20).String()
		}
		labels = append(labels, l.Name+" "+box)
	}
	return labels, set.Left
}

// compareLeft compares what was left out with names and parts of the reasons.
func compareLeft(t *testing.T, left []dataset.Skipped, want map[string]string) {
	t.Helper()
	expect.Same(t, slices.Sorted(maps.Keys(want)), slices.Sorted(slices.Values(dataset.SkippedNames(left))), left)
	for _, l := range left {
		expect.Says(t, l.Why, want[l.Name])
	}
}

// A shape with an area is the upright rectangle around it; one without, and one with a bad number, is left out.
func TestShapesOfCVAT(t *testing.T) {
	text := `<annotations><image name="a.jpg" width="20" height="20"><tag label="x"/>
<box label="x" xtl="2" ytl="8" xbr="12" ybr="12"/>
<polyline label="x" points="1,1;9,9"/>
<box label="x" xtl="2" ytl="8" xbr="12" ybr="12" rotation="90.00"/>
<box label="x" xtl="2" ytl="8" xbr="12" ybr="12" rotation="180.0"/>
<box label="x" xtl="5" ytl="5" xbr="15" ybr="15" rotation="45"/>
<polygon label="x" points="3.00,4.00;7.00,4.00;5.00,9.00"/>
<ellipse label="x" cx="10" cy="10" rx="6" ry="3"/>
<ellipse label="x" cx="10" cy="10" rx="6" ry="3" rotation="90"/>
<mask label="x" rle="1" left="3" top="4" width="5" height="6"/>
<cuboid label="x" xtl1="2" ytl1="3" xbl1="2" ybl1="8" xtr1="6" ytr1="3" xbr1="6" ybr1="8" xtl2="9" ytl2="2" xbl2="9" ybl2="7" xtr2="9" ytr2="2" xbr2="9" ybr2="7"/>
<skeleton label="x"><points label="y" points="1,1"/></skeleton>
<points label="x" points="1,1"/>
<polygon label="x" points="1,1;2,b;3,3"/>
<box xtl="2" ytl="8" xbr="12" ybr="12"/>
<box label="x" xtl="a" ytl="8" xbr="12" ybr="12"/>
<box label="x" xtl="9" ytl="8" xbr="2" ybr="12"/>
<box label="x" xtl="NaN" ytl="8" xbr="2" ybr="12"/>
<tag label="z"/></image></annotations>`
	labels, left := sample{path: "a.xml", files: map[string]string{"a.xml": text, "a.jpg": ""}}.read(t)
	want := []string{
		"a.jpg whole", "a.jpg#1 (2,8)-(12,12)", "a.jpg#2 (5,5)-(9,15)", "a.jpg#3 (2,8)-(12,12)", "a.jpg#4 (2,2)-(18,18)",
		"a.jpg#polygon1 (3,4)-(7,9)", "a.jpg#ellipse1 (4,7)-(16,13)", "a.jpg#ellipse2 (7,4)-(13,16)",
		"a.jpg#mask1 (3,4)-(8,10)",
		"a.jpg#cuboid1 (2,2)-(9,8)", "a.jpg#tag2 whole",
	}
	expect.Same(t, want, labels)
	compareLeft(t, left, map[string]string{
		"a.jpg#polyline1": "<polyline> has no area", "a.jpg#skeleton1": "<skeleton> has no area",
		"a.jpg#points1":  "<points> has no area",
		"a.jpg#polygon2": `points has "b", want numbers`, "a.jpg#5": "<box> has no label",
		"a.jpg#6": `xtl is "a", want a number`,
		"a.jpg#7": "its box has a size of -7 x 4", "a.jpg#8": "NaN or infinite",
	})
}

// A box of COCO is its bbox, or lies around its polygons where it has none; without both it is the image.
func TestBoxesOfCOCO(t *testing.T) {
	const polygon = `, "segmentation": [[3, 4, 7, 4, 5, 9], [2, 4, 3, 4, 3, 5]]`
	for _, c := range []struct{ box, want, why string }{
		{`"bbox": [1, 2, 3.5, 4]` + polygon, "(1,2)-(5,6)", ""},
		{`"bbox": ["1", "2", "3.5", "4"]`, "(1,2)-(5,6)", ""},
		{`"bbox": [-2, 2, 4, 4]`, "(0,2)-(2,6)", ""},
		{`"bbox": [0, 0, 1, 1]`, "(0,0)-(1,1)", ""},
		{`"bbox": [5, 5, 0.5, 0.5]`, "(5,5)-(6,6)", ""},
		{`"bbox": []` + polygon, "(2,4)-(7,9)", ""},
		{`"bbox": null` + polygon, "(2,4)-(7,9)", ""},
		{`"bbox": [0, 0, 0, 0]` + polygon, "(2,4)-(7,9)", ""},
		{`"x": 1` + polygon, "(2,4)-(7,9)", ""},
		{`"bbox": [], "segmentation": []`, "whole", ""},
		{`"bbox": null`, "whole", ""},
		{`"x": 1`, "whole", ""},
		{`"bbox": [0, 0, 0, 0]`, "", "its box has a size of 0 x 0"},
		{`"bbox": [], "segmentation": {"size": [9, 9], "counts": "abc"}`, "", "it has a mask but no bbox: add the bbox"},
		{`"bbox": [9, 9, -3, -3]` + polygon, "", "its box has a size of -3 x -3"},
		{`"bbox": [9, 9, 3, 0]`, "", "its box has a size of 3 x 0"},
		{`"bbox": [0.2, 0.3, 0.1, 0.1]`, "", "its box, 0.2 to 0.3 across and 0.3 to 0.4 down, seems to be in shares of the image"},
		{`"bbox": [1, 2]`, "", "left, top, width and height"},
		{`"bbox": [1, 2, "a", 4]`, "", "left, top, width and height"},
		{`"bbox": [1, 2, 1e999, 4]`, "", "NaN or infinite"},
		{`"segmentation": [[3, 4]]`, "", "its polygon has 2 numbers"},
		{`"segmentation": [[3, 4, 3, 6, 3, 8]]`, "", "its box has a size of 0 x 4"},
	} {
		text := `{"images": [{"id": 1, "file_name": "a.jpg"}], "categories": [{"id": 1, "name": "x"}],
			"annotations": [{"id": 1, "image_id": 1, "category_id": 1}, {"id": 2, "image_id": 1, "category_id": 1, ` + c.box + `}]}`
		labels, left := sample{path: "a.json", files: map[string]string{"a.json": text, "a.jpg": ""}}.read(t)
		want := []string{"a.jpg#1 whole"}
		if c.want != "" {
			want = append(want, "a.jpg#2 "+c.want)
		}
		expect.Same(t, want, labels, c.box)
		if c.why != "" {
			compareLeft(t, left, map[string]string{"a.jpg#2": c.why})
		}
	}
}

// An annotation that belongs to no image, to two or to no class is left out; ids of annotations need not differ.
func TestIDsOfCOCO(t *testing.T) {
	text := `{"images": [{"id": 1, "file_name": "a.jpg"}, {"file_name": "b.jpg"}, {"id": 3, "file_name": "c.jpg"}, {"id": 3, "file_name": "d.jpg"},
		{"id": 3, "file_name": "c.jpg"}, {"id": 4, "file_name": "e.jpg"}, {"id": 4, "file_name": "e.jpg"}],
		"categories": [{"id": 1, "name": "x"}, {"id": 2}], "annotations": [{"id": 7, "image_id": 1, "category_id": 1},
		{"id": 7, "image_id": 1, "category_id": 1}, {"id": 7, "image_id": "1", "category_id": "1"}, {"image_id": 1, "category_id": 1},
		{"image_id": 1, "category_id": 1}, {"id": 10, "image_id": 3, "category_id": 1}, {"id": 11, "image_id": 4, "category_id": 1},
		{"id": 12, "category_id": 1}, {"id": 13, "image_id": 1, "category_id": 2}, {"id": 14, "image_id": 1}, {"id": 15, "image_id": 9, "category_id": 1},
		{"id": 15, "image_id": 9, "category_id": 1}]}`
	labels, left := sample{path: "a.json", files: map[string]string{"a.json": text, "a.jpg": "", "b.jpg": "", "c.jpg": "",
		"d.jpg": "", "e.jpg": ""}}.read(t)
	expect.Same(t, []string{"a.jpg#7 whole", "a.jpg#7-2 whole", "a.jpg#7-3 whole", "a.jpg# whole", "a.jpg#-2 whole",
		"e.jpg#11 whole"}, labels)
	compareLeft(t, left, map[string]string{
		"c.jpg#10": "c.jpg and d.jpg have the same image id 3", "annotation 12": `unknown image_id ""`,
		"a.jpg#13": `no named category has the id "2"`, "a.jpg#14": `no named category has the id ""`,
		"annotation 15": `unknown image_id "9"`, "annotation 15-2": `unknown image_id "9"`,
	})
}

// A path of another machine is the longest end of it that there is, unless images of two paths would be one file.
func TestPathsOfOtherMachines(t *testing.T) {
	for _, c := range []struct {
		files  []string // that there are
		names  []string // in the annotations
		labels []string
		left   map[string]string
	}{
		{[]string{"images/a.jpg", "images/b.jpg"}, []string{`C:\set\images\a.jpg`, "/home/x/b.jpg"},
			[]string{"images/a.jpg#0", "b.jpg#1"}, nil},
		{[]string{"images/x/a.jpg", "images/y/a.jpg"}, []string{`D:\y\a.jpg`, `D:\x\a.jpg`},
			[]string{"y/a.jpg#0", "x/a.jpg#1"}, nil},
		{[]string{"images/a.jpg", "images/b.jpg"}, []string{`x\a.jpg`, `y\a.jpg`, "b.jpg"}, []string{"b.jpg#2"},
			map[string]string{`x\a.jpg#0`: "is not in", `y\a.jpg#1`: "is not in"}},
		{[]string{"images/a.jpg"}, []string{"a.jpg", "/x/a.jpg"}, []string{"a.jpg#0"},
			map[string]string{"x/a.jpg#1": "is not in"}},
		{[]string{`images/a\b.jpg`, "images/b.jpg"}, []string{`a\b.jpg`}, []string{`a\b.jpg#0`}, nil},
	} {
		var images, annotations []string
		for k, name := range c.names {
			images = append(images, fmt.Sprintf(`{"id": %d, "file_name": "%s"}`, k, strings.ReplaceAll(name, `\`, `\\`)))
			annotations = append(annotations, fmt.Sprintf(`{"id": %d, "image_id": %d, "category_id": 1}`, k, k))
		}
		s := sample{path: "set.json", files: map[string]string{"set.json": fmt.Sprintf(
			`{"images": [%s], "annotations": [%s], "categories": [{"id": 1, "name": "x"}]}`, strings.Join(images, ","),
			strings.Join(annotations, ","))}}
		for _, name := range c.files {
			s.files[name] = ""
		}
		labels, left := s.read(t)
		for k := range labels {
			labels[k] = strings.TrimSuffix(labels[k], " whole")
		}
		expect.Same(t, c.labels, labels, c.names)
		compareLeft(t, left, c.left)
	}
}

// The subset of an image of CVAT is its folder, so that two images may have one name.
func TestSubsetsOfCVAT(t *testing.T) {
	text := `<annotations><image name="a.jpg" subset="Train"><tag label="x"/></image><image name="a.jpg" subset="Test"><tag label="y"/></image>
<image name="b.jpg" subset="Test"><tag label="y"/></image><image name="c.jpg" subset="Test"><tag label="y"/></image>
<image name="d.jpg" subset="Train"><tag label="y"/></image><image name="d.jpg" subset="Test"><box label="y" xtl="1" ytl="1" xbr="5" ybr="5"/></image></annotations>`
	labels, left := sample{path: "a.xml", files: map[string]string{"a.xml": text, "images/Train/a.jpg": "",
		"images/Test/a.jpg": "", "images/b.jpg": "", "images/d.jpg": ""}}.read(t)
	expect.Same(t, []string{"Train/a.jpg whole", "Test/a.jpg whole", "b.jpg whole"}, labels)
	compareLeft(t, left, map[string]string{
		"Test/c.jpg": "the image Test/c.jpg is not in", "Train/d.jpg": "the image Train/d.jpg is not in",
		"Test/d.jpg#1": "the image Test/d.jpg is not in",
	})
}

// The image of an XML file of Pascal VOC is the one of its filename, with any ending, or else of its own name.
func TestImagesOfVOC(t *testing.T) {
	for _, c := range []struct {
		files map[string]string // the filename by the XML file
		there []string
		want  []string
	}{
		{map[string]string{"a": "a", "b": "b.v1"}, []string{"a.png", "b.v1.JPG"}, []string{"a.png", "b.v1.JPG"}},
		{map[string]string{"a": "a.jpg", "b": "IMG_7.jpg"}, []string{"a.jpg", "b.jpg"}, []string{"a.jpg", "b.jpg"}},
		{map[string]string{"a": "7.jpg", "b": "6.jpg"}, []string{"7.jpg", "6.jpg", "a.jpg"}, []string{"7.jpg", "6.jpg"}},
		{map[string]string{"a": "", "b": ""}, []string{"a.json", "a.png", "b.jpg", "b.png"}, []string{"a.png", "b.jpg"}},
		{map[string]string{"a": "a.jpg", "b": "a.jpg"}, []string{"a.jpg", "b.jpg"}, []string{"a.jpg", "b.jpg"}},
		{map[string]string{"a": `C:\x\a.jpg`, "b": "a.bmp"}, []string{"a.jpg", "b.jpg"}, []string{"a.jpg", "b.jpg"}},
		{map[string]string{"cam1/a": "a.jpg", "cam2/a": "a.jpg"}, []string{"cam1/a.jpg", "cam2/a.jpg"},
			[]string{"cam1/a.jpg", "cam2/a.jpg"}},
		{map[string]string{"cam1/a": "cam1/a.jpg", "cam2/b": "b"}, []string{"cam1/a.jpg", "b.png"},
			[]string{"cam1/a.jpg", "b.png"}},
	} {
		s := sample{path: ".", files: map[string]string{}}
		for xml, name := range c.files {
			if name != "" {
				name = "<filename>" + name + "</filename>"
			}
			s.files["Annotations/"+xml+".xml"] = "<annotation>" + name +
				"<object><name>x</name><bndbox><xmin>2</xmin><ymin>3</ymin><xmax>5</xmax><ymax>6</ymax></bndbox></object></annotation>"
		}
		for _, name := range c.there {
			s.files["JPEGImages/"+name] = ""
		}
		for k := range c.want {
			c.want[k] += "#1 (1,2)-(5,6)"
		}
		labels, left := s.read(t)
		expect.Same(t, c.want, labels, c.files)
		expect.Same(t, nil, left, c.files)
	}
}

// A bad object leaves the others of its file.
func TestBadObjectsOfVOC(t *testing.T) {
	object := func(name string, xmin, xmax any) string {
		return fmt.Sprintf("<object>%s<bndbox><xmin>%v</xmin><ymin>3</ymin><xmax>%v</xmax><ymax>6</ymax></bndbox></object>",
			name, xmin, xmax)
	}
	const x = "<name>x</name>"
	text := "<annotation><filename>a.jpg</filename><size><width>0</width><height>0</height></size>" + object(x, 2, 5) +
		object("", 2, 5) + object(x, "1px", 5) +
		"<object>" + x + "</object>" + object(x, 9, 5) + object(x, "nan", 5) + object(x, 5, 5) +
		"<object>" + x + "<bndbox><xmin>.1</xmin><ymin>.2</ymin><xmax>.5</xmax><ymax>.5</ymax></bndbox></object></annotation>"
	labels, left := sample{path: ".", files: map[string]string{"Annotations/a.xml": text, "JPEGImages/a.jpg": ""}}.read(t)
	expect.Same(t, []string{"a.jpg#1 (1,2)-(5,6)", "a.jpg#7 (4,2)-(5,6)"}, labels)
	compareLeft(t, left, map[string]string{
		"a.jpg#2": "the object has no name", "a.jpg#3": `<xmin> is "1px", want a number`,
		"a.jpg#4": "the object needs a bndbox with xmin, ymin, xmax and ymax",
		"a.jpg#5": "its box has a size of -3 x 4", "a.jpg#6": "NaN or infinite", "a.jpg#8": "its box, 0.1 to 0.5 across",
	})
}

// A bad line leaves the others of its file. In a pose data set, the numbers after a box are its key points.
func TestBadLinesOfYOLO(t *testing.T) {
	for _, c := range []struct {
		pose   string
		labels []string
		left   map[string]string
	}{
		{"", []string{"#1 (8,6)-(12,14)", "#2 (8,6)-(12,14)", "#8 (2,4)-(14,18)", "#9 (2,2)-(18,10)"}, map[string]string{
			"#3": `unknown class number "7"`, "#4": "3 numbers after the class", "#5": `"x" is not a number`,
			"#6": "its box has a size of -0.2 x 0.4", "#7": "NaN or infinite",
		}},
		{"kpt_shape: [1, 2]\n", []string{"#1 (8,6)-(12,14)", "#2 (8,6)-(12,14)", "#8 (0,2)-(5,6)"}, map[string]string{
			"#3": `unknown class number "7"`, "#4": "3 numbers after the class", "#5": `"x" is not a number`,
			"#6": "its box has a size of -0.2 x 0.4", "#7": "NaN or infinite",
			"#9": "8 numbers after the class, want 4 for a box, or 6 with the key points",
		}},
	} {
		text := "0 .5 .5 .2 .4\n1 .5 .5 .2 .4\n7 .5 .5 .2 .4\n0 .5 .5 .2\n0 .5 .5 x .4\n0 .5 .5 -.2 .4\n0 .5 nan .2 .4\n0 " +
			".1 .2 .3 .2 .7 .9\n0 .1 .1 .9 .1 .9 .5 .1 .5"
		labels, left := sample{path: "data.yaml", files: map[string]string{"data.yaml": "train: images\n" + c.pose +
			"names: [x, y]\n", "images/a.jpg": "", "labels/a.txt": text}}.read(t)
		for k := range labels {
			labels[k] = strings.TrimPrefix(labels[k], "images/a.jpg")
		}
		for k := range left {
			left[k].Name = strings.TrimPrefix(left[k].Name, "images/a.jpg")
		}
		expect.Same(t, c.labels, labels, c.pose)
		compareLeft(t, left, c.left)
	}
}
