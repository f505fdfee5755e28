package annotations

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// sample is a folder of annotations of a form.
type sample struct {
	form   string
	path   string            // of the annotations in the folder
	files  map[string]string // by their paths; an image's content does not matter
	labels []string          // name, class, box
	change string            // an example that becomes a cat
	from   string            // what stands there before
	to     string
	out    string // the file that changes, in what is written; "" where it is the one file
}

var samples = []sample{
	{"coco", "instances_train.json", map[string]string{
		"instances_train.json": `{"info": {"x": "cat"}, "images": [{"id": 7, "file_name": "a.jpg", "width": 9, "height": 9}, {"id": 8, "file_name": "sub/b.jpg"}],
 "annotations": [{"id": 1, "image_id": 7, "category_id": 3, "bbox": [1, 2, 3.5, 4], "area": 3},
  {"id":2,"image_id":8,"category_id":10}, {"id": 3, "image_id": 8, "iscrowd": 1, "category_id": 3, "segmentation": {}}],
 "categories": [{"id": 3, "name": "dog"}, {"id": 10, "name": "cat"}]}`,
		"train/a.jpg": "", "train/sub/b.jpg": "",
	}, []string{"a.jpg#1 dog (1,2)-(5,6)", "sub/b.jpg#2 cat whole"}, "a.jpg#1", `"category_id": 3, "bbox"`,
		`"category_id": 10, "bbox"`, ""},
	{"coco", "labels.json", map[string]string{ // as FiftyOne names it
		"labels.json": `{"info": {},"categories": [{"id": 1,"name": "dog","supercategory": null},{"id": 2,"name": "cat"}],"images": [{"id": 1,"file_name": "a.jpg"}],
"annotations": [{"id": 1,"image_id": 1,"category_id": 1,"bbox": [1,2,3,4]}]}`, "data/a.jpg": "",
	}, []string{"a.jpg#1 dog (1,2)-(4,6)"}, "a.jpg#1", `"category_id": 1`, `"category_id": 2`, ""},
	{"cvat", "annotations.xml", map[string]string{
		"annotations.xml": `<?xml version="1.0" encoding="utf-8"?>
<annotations><version>1.1</version><meta><label>dog</label></meta>
 <image id="0" name="a.jpg" width="9" height="9"><tag label="a &amp; b" source="manual"/>
  <box xtl="1.00" ytl="2.00" xbr="4.50" ybr="6.00" label='dog' occluded="0"><attribute name="label">dog</attribute></box></image>
</annotations>`, "images/a.jpg": "",
	}, []string{"a.jpg a & b whole", "a.jpg#1 dog (1,2)-(5,6)"}, "a.jpg#1", `label='dog'`, `label='cat'`, ""},
	{"voc", ".", map[string]string{
		"Annotations/a.xml": "<annotation>\n <filename>a.jpg</filename>\n <object><name>dog</name><pose>dog</pose>\n  " +
			"<bndbox><xmin>2</xmin><ymin>3</ymin><xmax>5</xmax><ymax>6</ymax></bndbox>\n  " +
			"<part><name>head</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</ymax></bndbox></part></object>\n</annotation>",
		"Annotations/b.xml": "<annotation><object><name>cat</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</ymax></bndbox></object></annotation>",
		"JPEGImages/a.jpg":  "", "JPEGImages/b.jpg": "",
	}, []string{"a.jpg#1 dog (1,2)-(5,6)", "b.jpg#1 cat (0,0)-(2,2)"}, "a.jpg#1", "<name>dog</name>", "<name>cat</name>",
		"Annotations/a.xml"},
	{"voc", ".", map[string]string{ // as FiftyOne names its folders
		"labels/a.xml": "<annotation><filename>a.png</filename><object><name>dog</name><bndbox><xmin>2</xmin><ymin>3</ymin><xmax>5</xmax><ymax>6</ymax></bndbox></object></annotation>",
		"data/a.png":   "",
	}, []string{"a.png#1 dog (1,2)-(5,6)"}, "a.png#1", "<name>dog</name>", "<name>cat</name>", "labels/a.xml"},
	{"yolo", "data.yaml", map[string]string{
		"data.yaml":          "train: images/train\nval: images/val\nnames: {0: dog, 2: cat}\n",
		"images/train/a.jpg": "", "labels/train/a.txt": "0 0.3 0.4 .4 .4\r\n\r\n2 .1 .1 .5 .1 .5 .6\r\n",
		"images/val/b.jpg": "", "labels/val/b.txt": "2 .5 .5 1 1", "images/val/empty.jpg": "",
	}, []string{"images/train/a.jpg#1 dog (1,2)-(5,6)", "images/train/a.jpg#3 cat (1,1)-(5,6)",
		"images/val/b.jpg#1 cat (0,0)-(10,10)"}, "images/train/a.jpg#1", "0 0.3", "2 0.3", "labels/train/a.txt"},
}

// unusual are samples of what few programs write.
var unusual = []sample{
	{"coco", "set.json", map[string]string{ // of Python on Windows: NaN, a byte order mark, ids that are texts
		"set.json": "\ufeff" + `{"images": [{"id": "x", "file_name": "C:\\set\\train\\a.jpg"}], "annotations": [{"area": NaN, "note": "\"NaN, -Infinity",
 "id": "q", "image_id": "x", "category_id": "c1", "score": -Infinity, "bbox": null, "segmentation": [[1, 2, 4, 2], [5, 4, 4, 6]]}, {"id": 2, "image_id": "x", "category_id": "c2"}],
 "categories": [{"id": "c0", "name": "dog"}, {"id": "c1", "name": "dog"}, {"id": "c2", "name": "cat"}, {"id": "c3", "name": "cat"}]}`, "images/train/a.jpg": "",
	}, []string{`train/a.jpg#"q" dog (1,2)-(5,6)`, "train/a.jpg#2 cat whole"}, `train/a.jpg#"q"`, `"category_id": "c1"`,
		`"category_id": "c2"`, ""},
	{"cvat", "annotations.xml", map[string]string{
		"annotations.xml": `<annotations><image id="0" name="a.jpg" subset="Train" width="10" height="10">
  <polygon label="dog" points="1.00,2.00;5.00,2.00;4.00,6.00" z_order="0"></polygon></image></annotations>`, "images/Train/a.jpg": "", "images/a.jpg": "",
	}, []string{"Train/a.jpg#polygon1 dog (1,2)-(5,6)"}, "Train/a.jpg#polygon1", `label="dog"`, `label="cat"`, ""},
	{"voc", ".", map[string]string{
		"Annotations/cam1/a.xml": "<annotation><filename>old</filename><object><bndbox><xmin>2</xmin><ymin>3</ymin><xmax>5</xmax><ymax>6</ymax></bndbox><name>dog</name></object><size><width>10</width><height>10</height></size></annotation>",
		"JPEGImages/cam1/a.png":  "", "JPEGImages/a.png": "",
	}, []string{"cam1/a.png#1 dog (1,2)-(5,6)"}, "cam1/a.png#1", "<name>dog</name>", "<name>cat</name>",
		"Annotations/cam1/a.xml"},
	{"yolo", "data.yaml", map[string]string{
		"data.yaml":          "train: images/train\nkpt_shape: [2, 3]\nnames: [dog, cat]\n",
		"images/train/a.jpg": "", "labels/train/a.txt": " 0 0.3 0.4 .4 .4 .9 .9 2 0 0 0\n",
	}, []string{"images/train/a.jpg#1 dog (1,2)-(5,6)"}, "images/train/a.jpg#1", "0 0.3", "1 0.3", "labels/train/a.txt"},
}

func (s sample) make(t *testing.T) (path string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range s.files {
		datasettest.Put(t, filepath.Join(dir, filepath.FromSlash(name)), content)
	}
	return filepath.Join(dir, s.path)
}

// spellings are names of classes as files write them; XML has no way to write control characters.
var spellings = []struct{ name, json, xml string }{
	{"dog", `"dog"`, "dog"},
	{`a "b" \ 'c'`, `"a \"b\" \\ 'c'"`, "a &quot;b&quot; \\ &apos;c&apos;"},
	{"<&amp;>]]>", `"\u003c&amp;>]]>"`, "&lt;&amp;amp;&gt;]]&gt;"},
	{"日本 🐈\u2028é", `"日本 \ud83d\udc08\u2028\u00e9"`, "日本 &#x1f408;\u2028&#233;"},
	{"null: [1], {2} #%", `"null: [1], {2} #%"`, "null: [1], {2} #%"},
	{"\x01\x7f\u0085x", `"\u0001\u007f\u0085x"`, ""},
}

// spelt is the sample with another name in place of dog.
func (s sample) spelt(name, json, xml string) sample {
	if s.form == "yolo" {
		json = strconv.QuoteToASCII(name)
	}
	r := strings.NewReplacer(`"name": "dog"`, `"name": `+json, `["dog"`, "["+json, " dog", " "+json, "[dog", "["+json,
		"<name>dog", "<name>"+xml, "label='dog", "label='"+xml, `label="dog`, `label="`+xml)
	files, labels := maps.Clone(s.files), slices.Clone(s.labels)
	for file := range files {
		files[file] = r.Replace(files[file])
	}
	for k := range labels {
		labels[k] = strings.Replace(labels[k], " dog ", " "+name+" ", 1)
	}
	s.files, s.labels, s.from = files, labels, r.Replace(s.from)
	return s
}

// Each form is read and written with any name of a class, and each byte between the classes stays as it was.
func TestForms(t *testing.T) {
	for _, s := range slices.Concat(samples, unusual) {
		for _, c := range spellings {
			if xml := s.form == "cvat" || s.form == "voc"; !xml || c.xml != "" {
				t.Run(s.form, func(t *testing.T) {
					s.spelt(c.name, c.json, c.xml).holds(t, c.name, strings.Contains(s.from, "dog"))
				})
			}
		}
	}
}

// holds compares what is read of a sample, and what is written without and with a change of a class, in whose place
// stands its name or a number.
func (s sample) holds(t *testing.T, class string, named bool) {
	path := s.make(t)
	form, _ := Of(path)
	expect.Same(t, s.form, form.Name)
	set := expect.Got(Read(path))(t)
	var got []string
	for _, l := range set.Labels {
		box := "whole"
		if l.Box != (Box{}) {
			box = l.Box.In(10, 10).String()
		}
		got = append(got, fmt.Sprintf("%s %s %s", l.Name, l.Class, box))
		expect.OK(t, expect.Err(os.Stat(l.Image)))
	}
	expect.Same(t, s.labels, got)
	expect.Same(t, nil, set.Left)
	// Without a change each byte stays as it was.
	same := filepath.Join(t.TempDir(), "same")
	expect.OK(t, set.Write(same, map[string]string{s.change: class}))
	s.compare(t, same, "", "")
	changed := filepath.Join(t.TempDir(), "changed")
	expect.OK(t, set.Write(changed, map[string]string{s.change: "cat"}))
	s.compare(t, changed, s.from, s.to)
	expect.Says(t, set.Write(changed, nil), "exists: choose another name")
	// A class that is new to the file is read back from what was written, or an error before anything is.
	back := filepath.Join(t.TempDir(), "back")
	switch err := set.Write(back, map[string]string{s.change: class + "2"}); {
	case named && err != nil:
		t.Fatal(err)
	case !named:
		expect.Says(t, err, strconv.Quote(class+"2"))
		expect.Says(t, expect.Err(os.Stat(back)), "no such file")
		return
	}
	file := s.path
	if s.out != "" {
		file, back = s.out, filepath.Join(back, s.out)
	}
	content := expect.Got(os.ReadFile(back))(t)
	files := maps.Clone(s.files)
	files[file] = string(content)
	again := expect.Got(Read(sample{path: s.path, files: files}.make(t)))(t)
	changedTo := func(l Label) bool { return l.Name == s.change && l.Class == class+"2" }
	if !slices.ContainsFunc(again.Labels, changedTo) {
		t.Errorf("read back\n%s", content)
	}
}

// compare compares the output with the sample after replacing from by to.
func (s sample) compare(t *testing.T, out, from, to string) {
	t.Helper()
	if s.out == "" {
		want := strings.Replace(s.files[s.path], from, to, 1)
		expect.Same(t, want, string(expect.Got(os.ReadFile(out))(t)))
		return
	}
	expect.OK(t, filepath.WalkDir(out, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(out, path)
		if err != nil {
			return err
		}
		want := s.files[filepath.ToSlash(name)]
		if filepath.ToSlash(name) == s.out {
			want = strings.Replace(want, from, to, 1)
		}
		expect.Same(t, want, string(expect.Got(os.ReadFile(path))(t)), name)
		return nil
	}))
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		form, name, content, want string
	}{
		{"coco", "instances_train.json", `{"annotations": [}`, "malformed JSON: invalid character"},
		{"coco", "instances_train.json", `{"images": []}`, "the lists annotations and categories are missing"},
		{"coco", "instances_train.json", `{"classes": ["a"], "labels": {"a": 0}}`, "from FiftyOne export folders of classes, or COCO"},
		{"coco", "instances_train.json",
			`{"annotations": [{"category_id": 3}, {"category_id": 4}], "categories": [{"id": 3, "name": "dog"}, {"id": 4, "name": "dog"}]}`, `the categories 3 and 4 have the same name "dog": rename one`},
		{"coco", "instances_train.json",
			`{"annotations": [{"category_id": 3}], "categories": [{"id": 3, "name": "dog"}, {"id": 3, "name": "cat"}]}`,
			`the categories "dog" and "cat" have the same id 3`},
		{"cvat", "annotations.xml", "<annotations><image", "EOF"},
		{"cvat", "annotations.xml",
			`<annotations><track id="0" label="dog"><box frame="0" xtl="1" ytl="1" xbr="2" ybr="2" outside="0"/></track></annotations>`,
			`it has tracks, as in "CVAT for video": export the task again as "CVAT for images 1.1", with images`},
		{"yolo", "data.yaml", "names: 3", "names is neither a list of classes nor a map"},
	} {
		s := samples[slices.IndexFunc(samples, func(s sample) bool { return s.form == c.form })]
		path := s.make(t)
		root := path
		if s.path != "." {
			root = filepath.Dir(path)
		}
		datasettest.Put(t, filepath.Join(root, filepath.FromSlash(c.name)), c.content)
		expect.Says(t, expect.Err(Read(path)), c.want)
	}
}

// The names of files may be in another form of Unicode than the annotations, in either direction, and keep theirs.
func TestImagesInAnotherForm(t *testing.T) {
	for _, s := range samples {
		for _, forms := range [][2]norm.Form{{norm.NFC, norm.NFD}, {norm.NFD, norm.NFC}} {
			texts, onDisk := sample{path: s.path, files: map[string]string{}}, forms[1].String("ä")
			written := strings.NewReplacer("a.jpg", forms[0].String("ä.jpg"), "a.png", forms[0].String("ä.png"))
			for name, text := range s.files {
				if text == "" {
					name = strings.NewReplacer("a.jpg", onDisk+".jpg", "a.png", onDisk+".png").Replace(name)
				}
				name = strings.Replace(name, "labels/train/a.txt", "labels/train/"+forms[0].String("ä")+".txt", 1)
				texts.files[name] = written.Replace(text)
			}
			set := expect.Got(Read(texts.make(t)))(t)
			expect.Same(t, nil, set.Left, s.form)
			expect.Same(t, len(s.labels), len(set.Labels), s.form)
			expect.Says(t, set.Labels[0].Image, "/"+onDisk+".")
		}
	}
}
