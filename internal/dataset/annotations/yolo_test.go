package annotations

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
)

// yoloSet reads YOLO of data.yaml and other files, with links, and returns the names and classes of the boxes.
func yoloSet(t *testing.T, yaml string, texts, links map[string]string) (set *Set, boxes []string) {
	t.Helper()
	files := map[string]string{"set/data.yaml": yaml}
	for name, text := range texts {
		files["set/"+name] = text
	}
	path := sample{path: "set/data.yaml", files: files}.make(t)
	for name, to := range links {
		expect.OK(t, os.Symlink(to, filepath.Join(filepath.Dir(path), name)))
	}
	set = expect.Got(Read(path))(t)
	for _, l := range set.Labels {
		if !isFile(l.Image) {
			t.Errorf("%s: no file %s", l.Name, l.Image)
		}
		boxes = append(boxes, l.Name+" "+l.Class)
	}
	return set, boxes
}

const (
	reds, blues = "0 .5 .5 .2 .2\n", "1 .5 .5 .2 .2\n"
	twoClasses  = "names: [red, blue]\n"
)

func TestYOLOImages(t *testing.T) {
	images := func(dir string) map[string]string {
		labels := strings.Replace(dir, "images/", "labels/", 1)
		return map[string]string{dir + "a b.jpg": "", dir + "c.JPG": "", labels + "a b.txt": reds, labels + "c.txt": blues}
	}
	with := func(files map[string]string, more ...string) map[string]string {
		for k := 0; k < len(more); k += 2 {
			files[more[k]] = more[k+1]
		}
		return files
	}
	nfc, nfd := norm.NFC.String("é"), norm.NFD.String("é")
	for _, c := range []struct {
		name, yaml   string
		files, links map[string]string
		want, left   []string
	}{
		{"list with spaces", "train: train.txt\n",
			with(images("images/"), "train.txt", "\ufeff./images/a b.jpg\r\n\r\nimages/c.JPG\r\nimages/gone.jpg\r\n"), nil,
			[]string{"images/a b.jpg#1 red", "images/c.JPG#1 blue"}, []string{"images/gone.jpg"}},
		{"list relative to itself, by Windows", "train: lists/train.txt\n",
			with(images("images/"), "lists/train.txt", "../images/a b.jpg\n..\\images\\c.JPG\n"), nil,
			[]string{"images/a b.jpg#1 red", "images/c.JPG#1 blue"}, nil},
		{"other files beside the images", "train: obj\n",
			with(images("obj/"), "obj/classes.txt", "red\nblue\n", "obj/c.json", "{}", "obj/c.npy", "", "obj/c.xml", "",
				"obj/d.png", "", "obj/e.MPO", "", "obj/e.txt", reds), nil,
			[]string{"obj/a b.jpg#1 red", "obj/c.JPG#1 blue", "obj/e.MPO#1 red"}, nil},
		{"linked folder beside images", "train: images/train\n",
			with(images("images/train/"), "store/e.png", "", "labels/train/cam/e.txt", reds),
			map[string]string{"images/train/cam": "../../store"},
			[]string{"images/train/a b.jpg#1 red", "images/train/c.JPG#1 blue", "images/train/cam/e.png#1 red"}, nil},
		{"linked folder of a split", "train: images/train\n",
			map[string]string{"store/e.png": "", "images/f.png": "", "labels/train/e.txt": reds},
			map[string]string{"images/train": "../store"},
			[]string{"images/train/e.png#1 red"}, nil},
		{"as Roboflow has it", "train: ../train/images\nval: ../valid/images\n",
			with(images("train/images/"), "valid/images/e.png", "", "valid/labels/e.txt", reds), nil,
			[]string{"train/images/a b.jpg#1 red", "train/images/c.JPG#1 blue", "valid/images/e.png#1 red"}, nil},
		{"a path that is elsewhere too", "path: elsewhere\ntrain: images\n",
			with(images("images/"), "elsewhere/x", ""), nil,
			[]string{"images/a b.jpg#1 red", "images/c.JPG#1 blue"}, nil},
		{"names in two forms of Unicode", "train: train.txt\n",
			with(map[string]string{"train.txt": "images/" + nfc + ".png\n"}, "images/"+nfd+".png", "", "labels/"+nfc+".txt",
				reds), nil,
			[]string{"images/" + nfd + ".png#1 red"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, got := yoloSet(t, c.yaml+twoClasses, c.files, c.links)
			expect.Same(t, c.want, got)
			expect.Same(t, append([]string{}, c.left...), dataset.SkippedNames(set.Left))
		})
	}
}

// Boxes outside the folder of data.yaml are written inside the copy, not over the data.
func TestYOLOOutsideItsFolder(t *testing.T) {
	set, boxes := yoloSet(t, "train: ../train/images\n"+twoClasses,
		map[string]string{"../train/images/a.png": "", "../train/labels/a.txt": reds}, nil)
	expect.Same(t, []string{"train/images/a.png#1 red"}, boxes)
	top := filepath.Dir(filepath.Dir(set.Path))
	expect.OK(t, set.Write(filepath.Join(top, "out"), map[string]string{boxes[0][:len(boxes[0])-4]: "blue"}))
	for file, want := range map[string]string{"train/labels/a.txt": reds, "out/train/labels/a.txt": blues} {
		expect.Same(t, want, string(expect.Got(os.ReadFile(filepath.Join(top, file)))(t)), file)
	}
}

// A changed box gets no number of a name that two numbers have.
func TestClassesOfOneName(t *testing.T) {
	set, _ := yoloSet(t, "train: images\nnames: [red, blue, ' red']\n", map[string]string{"images/a.png": "",
		"labels/a.txt": reds + blues}, nil)
	expect.Says(t, set.Write(filepath.Join(t.TempDir(), "out"), map[string]string{"images/a.png#2": "red"}),
		`a.png#2: the class numbers 0,2 share the name "red": rename one`)
}

// Two images of one stem have the same labels, which are written once, if they are decided alike.
func TestImagesThatShareLabels(t *testing.T) {
	set, _ := yoloSet(t, "train: images\n"+twoClasses,
		map[string]string{"images/a.png": "", "images/a.jpg": "", "labels/a.txt": reds}, nil)
	out := filepath.Join(t.TempDir(), "out")
	expect.OK(t, set.Write(out, map[string]string{"images/a.png#1": "blue", "images/a.jpg#1": "blue"}))
	expect.Same(t, blues, string(expect.Got(os.ReadFile(filepath.Join(out, "labels/a.txt")))(t)))
	set.Labels[0].Class = "blue" // so that its red is a change
	expect.Says(t, set.Write(out+"2", map[string]string{"images/a.png#1": "blue", "images/a.jpg#1": "red"}),
		"but have two classes: give both the same class")
}
