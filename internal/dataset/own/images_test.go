package own

import (
	"archive/tar"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/text/unicode/norm"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// told is what is known of the examples of a split: name, class and value.
func told(d *dataset.Dataset, s dataset.Split) string {
	var parts []string
	for k, id := range s.IDs {
		parts = append(parts, fmt.Sprintf("%s=%s:%d", id, d.Classes[s.Labels[k]], s.Example(k)[0]))
	}
	return strings.Join(parts, " ")
}

func TestOwnImagesLayouts(t *testing.T) {
	datasettest.Isolate(t)
	for _, test := range []struct {
		name        string
		entries     []datasettest.Entry
		train, test string
	}{
		{"classes", datasettest.Shaded(t, "cat/b.png", "dog/a.PNG", "cat/a.png", "README.md", "dog/b.png"),
			"cat/a.png=cat:2 cat/b.png=cat:0 dog/a.PNG=dog:1 dog/b.png=dog:4", ""},
		{"inside one more folder", datasettest.Shaded(t, "pets/cat/a.png", "pets/dog/a.png", "pets/dog/b.png",
			"pets/dog/c.png"), "pets/cat/a.png=cat:0 pets/dog/a.png=dog:1 pets/dog/b.png=dog:2 pets/dog/c.png=dog:3", ""},
		{"splits", datasettest.Shaded(t, "test/cat/a.png", "train/cat/a.png", "train/dog/a.png", "val/dog/a.png",
			"valid/dog/a.png", "test/dog/a.png"),
			"train/cat/a.png=cat:1 train/dog/a.png=dog:2 val/dog/a.png=dog:3 valid/dog/a.png=dog:4",
			"test/cat/a.png=cat:0 test/dog/a.png=dog:5"},
		{"train alone, in a folder", datasettest.Shaded(t, "x/train/cat/a.png", "x/train/dog/b.png", "x/train/dog/c.png",
			"x/train/dog/d.png"), "x/train/cat/a.png=cat:0 x/train/dog/b.png=dog:1 x/train/dog/c.png=dog:2 " +
			"x/train/dog/d.png=dog:3", ""},
		{"a class train", datasettest.Shaded(t, "train/a.png", "test/a.png", "car/a.png", "car/b.png"),
			"car/a.png=car:2 car/b.png=car:3 test/a.png=test:1 train/a.png=train:0", ""},
		{"deeper in classes", datasettest.Shaded(t, "cat/a.png", "dog/2017/b.png", "dog/2018/b.png", "dog/2018/cam/b.png"),
			"cat/a.png=cat:0 dog/2017/b.png=dog:1 dog/2018/b.png=dog:2 dog/2018/cam/b.png=dog:3", ""},
		{"splits in any case, deeper", datasettest.Shaded(t,
			"x/Training/cat/a.png", "x/Training/dog/a.png", "x/Testing/dog/2017/a.png", "x/VAL/cat/a.png",
			"x/Training/cat/2017/a.png"),
			"x/Training/cat/2017/a.png=cat:4 x/Training/cat/a.png=cat:0 x/Training/dog/a.png=dog:1 x/VAL/cat/a.png=cat:3",
			"x/Testing/dog/2017/a.png=dog:2"},
		{"metadata", append(datasettest.Shaded(t, "deep/er/a.png", "b.png", "c.png", "d.png"),
			datasettest.Entry{Name: "metadata.csv",
				Content: "file_name,label\nb.png,10\ndeep/er/a.png,9\nc.png,10\nd.png,9.0\n"}),
			"b.png=10:1 c.png=10:2 d.png=9:3 deep/er/a.png=9:0", ""},
		{"metadata of splits", append(datasettest.Shaded(t, "train/a.png", "train/b.png", "test/a.png", "train/c.png",
			"train/d.png"),
			datasettest.Entry{Name: "train/metadata.jsonl",
				Content: "{\"file_name\": \"a.png\", \"label\": \"cat\"}\n{\"file_name\": \"b.png\", \"label\": " +
					"\"dog\"}\n{\"file_name\": \"c.png\", \"label\": \"dog\"}\n{\"file_name\": \"d.png\", \"label\": \"dog\"}\n"},
			datasettest.Entry{Name: "test/metadata.csv", Content: "file_name,label\na.png,dog\n"}),
			"train/a.png=cat:0 train/b.png=dog:1 train/c.png=dog:3 train/d.png=dog:4", "test/a.png=dog:2"},
	} {
		archives := t.TempDir()
		for path, content := range map[string][]byte{"a.tar.gz": datasettest.TarGz(t, test.entries),
			"a.tgz": datasettest.TarGz(t, test.entries), "a.zip": datasettest.Zip(t, test.entries)} {
			datasettest.Put(t, filepath.Join(archives, path), string(content))
		}
		for _, path := range []string{datasettest.Album(t, test.entries...), archives + "/a.tar.gz", archives + "/a.tgz",
			archives + "/a.zip"} {
			d := good(t, Source{Path: path}, 0)
			expect.Same(t, test.train, told(d, d.Train), test.name, path)
			expect.Same(t, test.test, told(d, d.Test), test.name, path)
			expect.Same(t, []int{1, 0}, []int{len(d.Files), d.Validation.Len()}, test.name, path)
			expect.Same(t, []int{3, 2, 2}, d.Train.Shape, test.name, path)
		}
	}
}

// A table of labels names images by their paths, from whatever folder, or by their
// names, and takes the place of the folders' classes.
func TestOwnImagesLabels(t *testing.T) {
	datasettest.Isolate(t)
	root := datasettest.Album(t, datasettest.Shaded(t, "train/cat/a.png", "train/cat/b.png", "train/dog/c.png",
		"test/dog/a.png", "train/dog/d.png")...)
	labels := filepath.Join(t.TempDir(), "noisy.csv")
	for name, table := range map[string]string{
		"paths":           "train/cat/a.png,dog,cat,1\ntrain/cat/b.png,cat,,1\ntrain/dog/c.png,dog,dog,2\n",
		"from above":      "/album/train/cat/a.png,dog,cat,1\nb.png,cat,,1\nc.png,dog,dog,2\n"[1:],
		"by Windows":      "album\\train\\cat\\a.png,dog,cat,1\n.\\album\\train\\cat\\b.png,cat,,1\nalbum\\train\\dog\\c.png,dog,dog,2\n",
		"some names only": "c.png,dog,dog,2\nb.png,cat,,1\ntrain/cat/a.png,dog,cat,1\n",
	} {
		table = strings.ReplaceAll(table, ",1\n", ",1,yes\n")
		datasettest.Put(t, labels, "file_name,label,really,shot,sure\n"+strings.ReplaceAll(table, ",2\n", ",2,no\n")+
			"d.png,dog,dog,,\n")
		s := Source{Path: root, Labels: labels, Truth: "really", Group: "shot", Trusted: "sure"}
		d := good(t, s, 0)
		expect.Same(t, "train/cat/a.png=dog:0 train/cat/b.png=cat:1 train/dog/c.png=dog:2 train/dog/d.png=dog:4, "+
			"test/dog/a.png=dog:3", told(d, d.Train)+", "+told(d, d.Test), name)
		expect.Same(t, []bool{true, true, false, false}, d.Train.Trusted, name)
		expect.Same(t, []int{0, -1, 1, 1}, d.Train.Truth, name)
		expect.Same(t, []int32{0, 0, 1, 2}, d.Train.Group, name)
		expect.Same(t, 2, len(d.Files), name)
	}

	// The names of a table begin above the images by the same number of folders: zzz is not
	// above cat.
	datasettest.Put(t, labels,
		"file_name,label\ntrain/cat/a.png,dog\ntrain/cat/b.png,cat\nc.png,dog\nd.png,dog\nzzz/train/dog/c.png,cat\n")
	d := good(t, Source{Path: root, Labels: labels}, 1)
	expect.Same(t, []string{"zzz/train/dog/c.png: " + labels + " lists it, but there is no such image"},
		dataset.SkippedLines(d.Skipped))

	datasettest.Put(t, labels,
		"file_name,label,part\ntrain/cat/a.png,dog,test\ntrain/cat/b.png,cat,val\ntrain/dog/c.png,dog,train\ntest/dog/a.png,cat,train\nd.png,dog,train\n")
	d = good(t, Source{Path: root, Labels: labels, Split: "part"}, 0)
	expect.Same(t, "test/dog/a.png=cat:3 train/cat/b.png=cat:1 train/dog/c.png=dog:2 train/dog/d.png=dog:4, "+
		"train/cat/a.png=dog:0", told(d, d.Train)+", "+told(d, d.Test))
}

// Names of labels that lack the images' ending or have another form of Unicode, and absolute paths, mean the one image
// that they can mean. IDs are the names of the files.
func TestOwnImagesLabelsLikeNames(t *testing.T) {
	datasettest.Isolate(t)
	nfc, nfd := norm.NFC.String("é"), norm.NFD.String("é")
	root := datasettest.Album(t, datasettest.Shaded(t,
		"x/"+nfd+"1.png", "x/"+nfc+"2.png", "y/a.PNG", "y/b.v1.png", "z/A.png", "z/a.png", "z/c.png", "z/c.jpg")...)
	labels := filepath.Join(t.TempDir(), "y.csv")
	rest := "x/" + nfc + "2.png,p\ny/b.v1.png,p\nz/A.png,p\nz/a.png,q\nz/c.jpg,q\nz/c.png,q\n"
	in := func(folder string) string {
		return folder + strings.ReplaceAll("x/"+nfc+"1,p\ny/a.PNG,q\n"+rest[:len(rest)-1], "\n", "\n"+folder) + "\n"
	}
	want := "x/" + nfd + "1.png=p:0 x/" + nfc + "2.png=p:1 y/a.PNG=q:2 y/b.v1.png=p:3 " +
		"z/A.png=p:4 z/a.png=q:5 z/c.jpg=q:7 z/c.png=q:6"
	for _, test := range []struct{ name, table string }{
		{"composed", "x/" + nfc + "1.png,p\ny/a.PNG,q\n" + rest},
		{"decomposed", "x/" + nfd + "1.png,p\ny/a.PNG,q\n" + strings.ReplaceAll(rest, nfc, nfd)},
		{"only names, composed", nfc + "1.png,p\ny/a.PNG,q\n" + rest},
		{"no ending", "x/" + nfc + "1,p\ny/a,q\n" + strings.Replace(rest, "y/b.v1.png", "b.v1", 1)},
		{"another case", "x/" + nfc + "1.PNG,p\ny/A.png,q\n" + rest},
		{"absolute elsewhere", in("/home/other/")},
		{"absolute on Windows", in(`C:\data\`)},
	} {
		datasettest.Put(t, labels, "file_name,label\n"+test.table)
		d := good(t, Source{Path: root, Labels: labels, Side: 2}, 0)
		expect.Same(t, want, told(d, d.Train), test.name)
	}
	for _, test := range []struct{ table, want string }{
		{"c,q\n", `"c" is the name of 2 images (z/c.jpg, z/c.png): use their paths`},
		{"z/c,q\ny/a.PNG,q\n", `z/c: ` + labels + ` lists it, but there is no such image`},
		{"b.v2.png,q\n", `no label in ` + labels + ` matches an image: names such as "b.v2.png"`},
	} {
		datasettest.Put(t, labels, "file_name,label\n"+test.table)
		refused(t, Source{Path: root, Labels: labels}, 0, test.want)
	}
}

// A test set of its own may have labels of its own.
func TestOwnImagesTestSet(t *testing.T) {
	datasettest.Isolate(t)
	train, test := datasettest.Album(t, datasettest.Shaded(t, "cat/a.png", "dog/a.png", "dog/b.png", "dog/c.png")...),
		datasettest.Album(t, datasettest.Shaded(t, "1.png", "2.png")...)
	labels := datasettest.File(t, "test.csv", "file_name,label\n1.png,dog\n2.png,cat\n")
	s := Source{Path: train, Test: test, TestLabels: labels}
	d := good(t, s, 0)
	expect.Same(t, "cat/a.png=cat:0 dog/a.png=dog:1 dog/b.png=dog:2 dog/c.png=dog:3, 1.png=dog:0 2.png=cat:1",
		told(d, d.Train)+", "+told(d, d.Test))
	expect.Same(t, 3, len(d.Files))
	given := datasettest.File(t, "train.csv", // has a column that the test set's labels lack
		"file_name,label,really\na.png,cat,\ncat/a.png,cat,dog\ndog/a.png,dog,\nb.png,dog,\nc.png,dog,\n")
	of := s // columns that the labels of the test set alone have
	of.ID, of.Label = "file_name", "label"
	good(t, of, 0)
	of.Group = "shot"
	refused(t, of, 0, `a column "shot" (--group) needs a table of labels (--labels)`)
	of.Group, of.TestLabels = "", ""
	datasettest.Put(t, filepath.Join(test, "metadata.csv"), "file_name,label\n1.png,dog\n2.png,cat\n")
	good(t, of, 0)
	expect.OK(t, os.Remove(filepath.Join(test, "metadata.csv")))
	of.TestLabels = labels
	of.Labels, of.Truth = given, "really"
	refused(t, of, 1, `"a.png" is the name of 2 images`)
	datasettest.Put(t, given, "file_name,label,really\ncat/a.png,cat,dog\ndog/a.png,dog,\nb.png,dog,\nc.png,dog,\n")
	d = good(t, of, 0)
	expect.Same(t, []int{1, -1, -1, -1}, d.Train.Truth)
	expect.Same(t, nil, d.Test.Truth)
	s.Path = datasettest.Album(t, datasettest.Shaded(t, "train/cat/a.png", "train/dog/a.png", "test/dog/a.png")...)
	refused(t, s, 0, `has test examples (1 ("test/dog/a.png")), and `+test+" is a second test set: use one of them")
}

// A picture of one colour is the same in every format, at every size.
func TestOwnImagesFormats(t *testing.T) {
	datasettest.Isolate(t)
	colour := color.NRGBA{200, 100, 50, 255}
	part := image.NewPaletted(image.Rect(1, 1, 3, 3), color.Palette{colour})
	entries := []datasettest.Entry{
		{Name: "a/1.jpg", Content: datasettest.JPEG(t, 9, 7, colour)},
		{Name: "a/2.png", Content: datasettest.PNG(t, 300, 8, colour)},
		{Name: "a/3.gif", Content: encoded(t, 5, 5, colour, func(b io.Writer, img image.Image) error {
			return gif.Encode(b, img, &gif.Options{NumColors: 1, Quantizer: oneColour{colour}})
		})},
		{Name: "b/4.bmp", Content: encoded(t, 1, 90, colour, bmp.Encode)},
		{Name: "b/5.tiff", Content: encoded(t, 70, 70, colour, func(b io.Writer, img image.Image) error {
			return tiff.Encode(b, img, &tiff.Options{Compression: tiff.Deflate})
		})},
		{Name: "b/6.webp", Content: datasettest.WebP(t)},
		// The first picture of an animation may be a part of it.
		{Name: "b/7.gif", Content: encoded(t, 1, 1, colour, func(b io.Writer, _ image.Image) error {
			return gif.EncodeAll(b, &gif.GIF{Image: []*image.Paletted{part}, Delay: []int{0}, Config: image.Config{Width: 4,
				Height: 4}})
		})},
	}
	root := datasettest.Album(t, entries...)
	for side, want := range map[int]int{0: 64, 4: 4, 100: 100} {
		d := good(t, Source{Path: root, Side: side}, 0)
		expect.Same(t, []int{3, want, want}, d.Train.Shape, side)
		expect.Same(t, 7, d.Train.Len(), side)
		for k, id := range d.Train.IDs {
			planes := d.Train.Example(k)
			if id == "b/6.webp" {
				continue // its colour is another one
			}
			middle := want*want/2 + want/2
			for c, v := range []byte{200, 100, 50} {
				if got := int(planes[c*want*want+middle]); got < int(v)-6 || got > int(v)+6 {
					t.Errorf("side %d: %s has %d in channel %d, want about %d", side, id, got, c, v)
				}
			}
			if corner := planes[0]; (id == "b/7.gif") != (corner < 60) {
				t.Errorf("side %d: %s has %d in its corner", side, id, corner)
			}
		}
	}
}

// oneColour is a palette for GIF.
type oneColour struct{ color.Color }

func (c oneColour) Quantize(color.Palette, image.Image) color.Palette { return color.Palette{c.Color} }

// Images keep their size if all have the same one of at most 64 pixels.
func TestOwnImagesSize(t *testing.T) {
	datasettest.Isolate(t)
	for _, test := range []struct {
		sizes [2]image.Point
		want  []int
	}{
		{[2]image.Point{{28, 20}, {28, 20}}, []int{3, 20, 28}},
		{[2]image.Point{{64, 64}, {64, 64}}, []int{3, 64, 64}},
		{[2]image.Point{{65, 64}, {65, 64}}, []int{3, 64, 64}},
		{[2]image.Point{{28, 28}, {28, 29}}, []int{3, 64, 64}},
	} {
		var entries []datasettest.Entry
		for k, name := range []string{"a/1.png", "b/1.png", "a/2.png", "b/2.png"} {
			size := test.sizes[k%2]
			entries = append(entries, datasettest.Entry{Name: name, Content: datasettest.PNG(t, size.X, size.Y, color.White)})
		}
		d := good(t, Source{Path: datasettest.Album(t, entries...)}, 0)
		expect.Same(t, test.want, d.Train.Shape, test.sizes)
		expect.Same(t, 4*test.want[0]*test.want[1]*test.want[2], len(d.Train.X), test.sizes)
	}
	refused(t, Source{Path: datasettest.Album(t, datasettest.Shaded(t, "a/1.png", "b/1.png")...), Side: 5000}, 0,
		"images of 5000 x 5000 pixels: want a side from 1 to 1024, or 0 to choose one")
}

func TestOwnImagesRefuse(t *testing.T) {
	datasettest.Isolate(t)
	two := datasettest.Shaded(t, "cat/a.png", "dog/b.png")
	four := datasettest.Shaded(t, "cat/a.png", "dog/b.png", "dog/c.png", "dog/d.png")
	table := func(rows string) datasettest.Entry {
		return datasettest.Entry{Name: "metadata.csv", Content: "file_name,label\n" + rows}
	}
	for _, test := range []struct {
		entries []datasettest.Entry
		want    string
	}{
		{[]datasettest.Entry{{Name: "cat/a.txt", Content: "x"}}, "found no images: their names must end in .jpg, .jpeg"},
		{datasettest.Shaded(t, "Train/a.png", "Train/b.png", "Test/c.png", "Test/d.png"),
			"Test/c.png is in the wrong folder: want CLASS/FILE or {train,val,test}/CLASS/FILE"},
		{append(two, table("cat/a.png,cat\n")),
			"labels and images do not match: dog/b.png: no label in metadata.csv: correct them, or leave them out " +
				"with --max-bad 1"},
		{append(two, table("cat/a.png,cat\ndog/b.png,dog\nx.png,dog\n")), "x.png: "},
		{append(two, table("1.png,cat\n")),
			`no label in metadata.csv matches an image: names such as "1.png" do not match cat/a.png, dog/b.png`},
		{append(two, table("cat/a.png,cat\na.png,dog\n")), "metadata.csv: a second label for cat/a.png, which has one in"},
		{append(datasettest.Shaded(t, "x/a.png", "y/a.png"), table("a.png,cat\n")),
			`"a.png" is the name of 2 images (x/a.png, y/a.png): use their paths relative to`},
		{append(two, table("../cat/a.png,cat\n")),
			`"../cat/a.png" leads out of the folder of the images: use paths relative to`},
		{append(two, table("/etc/a.png,cat\n")), `no label in metadata.csv matches an image: names such as "/etc/a.png"`},
		{datasettest.Replace(four, datasettest.Entry{Name: "dog/c.png", Content: "x"}),
			"damaged images: 1 are missing or do not decode: fix or remove them, or leave them out with --max-bad 1: " +
				"dog/c.png: image: unknown format"},
		{append(two, datasettest.Entry{Name: "cat/c.png", Kind: tar.TypeSymlink}),
			`the archive is refused because of its member "cat/c.png": it is neither a file nor a folder, perhaps a link`},
		{append(four, datasettest.Entry{Name: "dog/\xfc.png", Content: datasettest.Grey(t, 3)}),
			`"dog/\xfc.png": the name is not UTF-8: rename the file`},
		{append(two, datasettest.Entry{Name: "cat/a.png", Content: datasettest.Grey(t, 3)}), "cat/a.png is listed twice"},
	} {
		path := datasettest.File(t, "own.tar.gz", datasettest.TarGz(t, test.entries))
		refused(t, Source{Path: path}, 0, test.want, path)
	}
	refused(t, Source{Path: "photos.rar"}, 0, "photos.rar: no such file")
	other := datasettest.File(t, "reviews.md", "# x\n")
	refused(t, Source{Path: other}, 0, other+" is neither a folder nor a .tar.gz, .tgz or .zip, which hold images, nor a table "+
		"(.csv, .tsv,", "an array (.npy) or annotations (coco, cvat,")

	labels := datasettest.File(t, "labels.txt", "cat\ndog\ndog\n")
	root := datasettest.Album(t, four...)
	refused(t, Source{Path: root, Group: "patient"}, 0, root+
		`: the labels are the folders of the images: a column "patient" (--group) needs a table of labels (--labels)`)
	refused(t, Source{Path: root, Labels: labels}, 0, labels+": 3 labels for 4 training images in "+root+
		", which are cat/a.png, dog/b.png, dog/c.png and 1 more in the order of their paths: use a table with the columns "+
		"file_name and label")
}

// Whatever is bad is left out and listed, up to the limit.
func TestOwnImagesMaxBad(t *testing.T) {
	datasettest.Isolate(t)
	entries := datasettest.Shaded(t, "a/1.png", "a/2.png", "b/3.png", "b/4.png", "b/5.png", "b/6.png")
	entries[1].Content = "x"
	entries = append(entries, datasettest.Entry{Name: "metadata.csv",
		Content: "file_name,label\na/1.png,a\na/2.png,a\nb/3.png,b\nb/5.png,b\nb/6.png,b\nc.png,b\n"})
	root := datasettest.Album(t, entries...)
	for _, allowed := range []int{1, 2} { // the match alone is bad; so is an image
		refused(t, Source{Path: root}, allowed, fmt.Sprint("--max-bad ", allowed+1))
	}
	for range 2 { // the second time from the cache
		d := good(t, Source{Path: root}, 3)
		expect.Same(t, "a/1.png=a:0 b/3.png=b:2 b/5.png=b:4 b/6.png=b:5", told(d, d.Train))
		expect.Same(t, "a/2.png c.png b/4.png", strings.Join(dataset.SkippedNames(d.Skipped), " "), d.Skipped)
	}
}

// Links in a folder are followed, as data sets made of the files or folders of another have them.
func TestOwnImagesLinks(t *testing.T) {
	datasettest.Isolate(t)
	from := datasettest.Album(t, datasettest.Shaded(t, "x.png", "in/y.png")...)
	root := datasettest.Album(t, datasettest.Shaded(t, "a/1.png", "a/2.png")...)
	for name, target := range map[string]string{"b": "", "c": "in", "a/3.png": "in/y.png"} {
		expect.OK(t, os.Symlink(filepath.Join(from, target), filepath.Join(root, name)))
	}
	d := good(t, Source{Path: root}, 0)
	expect.Same(t, "a/1.png=a:0 a/2.png=a:1 a/3.png=a:1 b/in/y.png=b:1 b/x.png=b:0 c/y.png=c:1", told(d, d.Train))
}

// encoded returns an image of one colour, written by encode.
func encoded(t *testing.T, w, h int, c color.Color, encode func(io.Writer, image.Image) error) string {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	var b bytes.Buffer
	expect.OK(t, encode(&b, img))
	return b.String()
}
