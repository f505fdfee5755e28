package dataset

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pngOf is an image of one colour.
func pngOf(t *testing.T, w, h int, c color.Color) string {
	t.Helper()
	return encoded(t, w, h, c, func(b *bytes.Buffer, img image.Image) error { return png.Encode(b, img) })
}

func jpegOf(t *testing.T, w, h int, c color.Color) string {
	t.Helper()
	return encoded(t, w, h, c, func(b *bytes.Buffer, img image.Image) error { return jpeg.Encode(b, img, nil) })
}

func encoded(t *testing.T, w, h int, c color.Color, encode func(*bytes.Buffer, image.Image) error) string {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// grey is a PNG of 2 x 2 pixels of one value.
func grey(t *testing.T, v byte) string { return pngOf(t, 2, 2, color.NRGBA{v, v, v, 255}) }

// pets are five training and two test images; the value of each is its place.
func pets(t *testing.T) []entry {
	return []entry{
		{name: "pets/README", content: "about"},
		{name: "pets/train/dog/b.png", content: grey(t, 4)},
		{name: "pets/train/dog/a.png", content: grey(t, 3)},
		{name: "pets/train/cat/"},
		{name: "pets/train/cat/10.png", content: grey(t, 1)},
		{name: "pets/train/cat/9.png", content: grey(t, 2)},
		{name: "pets/train/cat/0.png", content: grey(t, 0)},
		{name: "pets/test/cat/x.png", content: grey(t, 20)},
		{name: "pets/test/dog/x.png", content: grey(t, 21)},
	}
}

// values are the first bytes of the examples.
func values(s Split) (v []byte) {
	for k := range s.Len() {
		v = append(v, s.Example(k)[0])
	}
	return v
}

// openCopy reads images as a copy of a data set.
func openCopy(path string, opt Options) (*Dataset, error) {
	s, err := newSource(path)
	if err != nil {
		return nil, err
	}
	return readImages(s, opt)
}

func TestReadImages(t *testing.T) {
	isolate(t)
	root := t.TempDir()
	unpack(t, root, pets(t))
	for _, path := range []string{
		filepath.Join(save(t, "pets.tar.gz", tarGz(t, pets(t))), "pets.tar.gz"),
		filepath.Join(save(t, "pets.zip", zipped(t, pets(t))), "pets.zip"),
		filepath.Join(root, "pets"),
		root + "/pets/",
	} {
		d, err := openCopy(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := values(d.Train); !slices.Equal(got, []byte{0, 1, 2, 3, 4}) {
			t.Errorf("training images %v, want them sorted by path", got)
		}
		if got := values(d.Test); !slices.Equal(got, []byte{20, 21}) {
			t.Errorf("test images %v", got)
		}
		if !slices.Equal(d.Train.Labels, []int{0, 0, 0, 1, 1}) || !slices.Equal(d.Test.Labels, []int{0, 1}) {
			t.Errorf("labels %v and %v", d.Train.Labels, d.Test.Labels)
		}
		if d.Variant != "PNG" || !slices.Equal(d.Classes, []string{"cat", "dog"}) || !slices.Equal(d.Train.Shape, []int{3, 2, 2}) {
			t.Errorf("variant %q, classes %q, shape %v", d.Variant, d.Classes, d.Train.Shape)
		}
	}
}

func TestDecodePlanes(t *testing.T) {
	var b bytes.Buffer
	img := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	for k := range 6 {
		img.Set(k%3, k/3, color.NRGBA{byte(10 + k), byte(100 + k), byte(200 + k), 128}) // transparency goes, colour stays
	}
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 18)
	if encoding, err := decodeInto(got, b.Bytes()); err != nil || encoding != "png" {
		t.Fatal(encoding, err)
	}
	if want := []byte{10, 11, 12, 13, 14, 15, 100, 101, 102, 103, 104, 105, 200, 201, 202, 203, 204, 205}; !slices.Equal(got, want) {
		t.Errorf("planes %v, want %v", got, want)
	}

	// The colours of a JPEG, against the standard library's own conversion.
	photo := jpegOf(t, 9, 5, color.NRGBA{200, 40, 90, 255})
	got = make([]byte, 3*9*5)
	if _, err := decodeInto(got, []byte(photo)); err != nil {
		t.Fatal(err)
	}
	same, err := jpeg.Decode(strings.NewReader(photo))
	if err != nil {
		t.Fatal(err)
	}
	for k := range 45 {
		c := color.NRGBAModel.Convert(same.At(k%9, k/9)).(color.NRGBA)
		if got[k] != c.R || got[45+k] != c.G || got[90+k] != c.B {
			t.Fatalf("pixel %d is %d %d %d, want %v", k, got[k], got[45+k], got[90+k], c)
		}
	}
}

func TestImagesRefuse(t *testing.T) {
	isolate(t)
	header := grey(t, 1)
	huge := []byte(header)
	copy(huge[16:], "\x00\x00\x23\x28\x00\x00\x23\x28") // width and height, then their checksum
	binary.BigEndian.PutUint32(huge[29:], crc32.ChecksumIEEE(huge[12:29]))
	for _, test := range []struct {
		name    string
		entries []entry
		want    string
	}{
		{"not an image", replace(pets(t), entry{name: "pets/train/dog/b.png", content: "GIF"}), "damaged images: 1 are missing or do not decode: fix or remove them, or leave them out with --max-bad 1: pets/train/dog/b.png: image: unknown format"},
		{"cut image", replace(pets(t), entry{name: "pets/test/dog/x.png", content: header[:len(header)-20]}), "pets/test/dog/x.png: png: invalid format: unexpected EOF"},
		{"huge header", replace(pets(t), entry{name: "pets/test/dog/x.png", content: string(huge)}), "pets/test/dog/x.png: 9000 x 9000 pixels by its header"},
		{"size", replace(pets(t), entry{name: "pets/test/dog/x.png", content: pngOf(t, 3, 2, color.White)}), "images differ in size: pets/train/dog/b.png has 2 x 2 pixels and pets/test/dog/x.png 3 x 2"},
		{"only in train", without(pets(t), "pets/test/dog/x.png"), `the classes of train and test differ: only train has ["dog"]: give test images of each of them, or remove their folders`},
		{"only in test", append(pets(t), entry{name: "pets/test/cow/x.png", content: header}), `the classes of train and test differ: only test has ["cow"]: give train images of each`},
		{"empty class", replace(without(pets(t), "pets/test/dog/x.png"), entry{name: "pets/test/dog/"}), `classes without an image in test: ["dog"]`},
		{"no test", slices.DeleteFunc(pets(t), func(e entry) bool { return strings.HasPrefix(e.name, "pets/test") }), "no image in a test/CLASS; wanted are train/CLASS/FILE and test/CLASS/FILE"},
		{"no folders", []entry{{name: "a.png", content: header}}, "no image in a train/CLASS"},
		{"too deep", append(pets(t), entry{name: "pets/train/cat/2017/x.png", content: header}), "pets/train/cat/2017/x.png is not where an image is to be: train/CLASS/FILE"},
		{"no class", append(pets(t), entry{name: "pets/train/x.png", content: header}), "pets/train/x.png is not where"},
		{"two sets", append(pets(t), entry{name: "more/train/cat/x.png", content: header}), `more than one folder with train and test: ["more" "pets"]`},
		{"twice", append(pets(t), entry{name: "pets/train/cat/0.png", content: header}), "pets/train/cat/0.png is there twice"},
		{"all bad", []entry{{name: "train/a/1.png", content: "x"}, {name: "test/a/1.png", content: "y"}}, "no image can be decoded; train/a/1.png: image: unknown format"},
		{"link", append(pets(t), entry{name: "pets/train/cat/link.png", kind: tar.TypeSymlink}), "perhaps a link"},
		{"parent", append(pets(t), entry{name: "pets/train/cat/../../../x.png", content: header}), "leads out"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(save(t, "pets.tar.gz", tarGz(t, test.entries)), "pets.tar.gz")
			_, err := openCopy(path, Options{})
			wants(t, err, path+": ", test.want)
		})
	}
	// Where one's own archive comes from is not known.
	packed := tarGz(t, pets(t))
	_, err := openCopy(filepath.Join(save(t, "pets.tar.gz", packed[:len(packed)/2]), "pets.tar.gz"), Options{})
	wants(t, err, "it is truncated: replace the file by an intact copy: unexpected EOF")
	if strings.Contains(err.Error(), "delete") {
		t.Errorf("of one's own archive: %v", err)
	}
	_, err = openCopy("missing", Options{})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
}

// Images that are left out leave no gap, and a limit holds for the cache too.
func TestImagesMaxBad(t *testing.T) {
	isolate(t)
	entries := replace(pets(t), entry{name: "pets/train/cat/10.png", content: "x"})
	entries = replace(entries, entry{name: "pets/train/dog/a.png", content: "x"})
	path := filepath.Join(save(t, "pets.tar.gz", tarGz(t, entries)), "pets.tar.gz")
	_, err := openCopy(path, Options{MaxBad: 1})
	wants(t, err, "2 are missing or do not decode, more than the 1 that --max-bad allows for: fix or remove them, or leave them out with --max-bad 2: pets/train/cat/10.png: image: unknown format; pets/train/dog/a.png: ")
	for range 2 {
		d, err := openCopy(path, Options{MaxBad: 2})
		if err != nil {
			t.Fatal(err)
		}
		if got := values(d.Train); !slices.Equal(got, []byte{0, 2, 4}) || !slices.Equal(d.Train.Labels, []int{0, 0, 1}) || len(d.Train.X) != 3*12 {
			t.Errorf("training images %v with labels %v, %d bytes", got, d.Train.Labels, len(d.Train.X))
		}
		if len(d.Skipped) != 2 || !strings.HasPrefix(d.Skipped[0], "pets/train/cat/10.png: image: ") {
			t.Errorf("skipped %q", d.Skipped)
		}
	}
	_, err = openCopy(path, Options{})
	wants(t, err, path+": damaged images: 2 are missing or do not decode")

	entries = replace(entries, entry{name: "pets/test/dog/x.png", content: "x"})
	path = filepath.Join(save(t, "pets.tar.gz", tarGz(t, entries)), "pets.tar.gz")
	_, err = openCopy(path, Options{MaxBad: 9})
	wants(t, err, `not one image of class "dog" in test decodes`)

	var many []entry
	for _, e := range pets(t) {
		if strings.HasPrefix(e.name, "pets/train") && !strings.HasSuffix(e.name, "/") {
			e.content = "x"
		}
		many = append(many, e)
	}
	many = append(many, entry{name: "pets/train/cat/1.png", content: "x"})
	_, err = openCopy(filepath.Join(save(t, "pets.tar.gz", tarGz(t, many)), "pets.tar.gz"), Options{})
	wants(t, err, "6 are missing or do not decode", "; and 1 more")
}

// cifarCopy is an image of each class in train and test.
func cifarCopy(t *testing.T, image func(k int) string) (entries []entry) {
	for k, class := range cifar10Classes {
		entries = append(entries,
			entry{name: "train/" + class + "/0000.jpg", content: image(k)},
			entry{name: "test/" + class + "/0000.jpg", content: image(k)})
	}
	return entries
}

// A copy is found under its usual names, says what it is, and gives way to the
// official archive.
func TestCIFAR10Copy(t *testing.T) {
	isolate(t)
	entries := cifarCopy(t, func(k int) string { return jpegOf(t, 32, 32, color.Gray{byte(20 * k)}) })
	packed := tarGz(t, entries)
	folder, folderOf := t.TempDir(), t.TempDir()
	unpack(t, folder, entries)
	unpack(t, filepath.Join(folderOf, "cifar10-jpeg"), entries)
	both := save(t, "cifar10-jpeg.tar.gz", packed)
	for _, root := range []string{
		save(t, "cifar10-jpeg/cifar10-jpeg.tar.gz", packed), save(t, "cifar10/cifar10-jpeg.tar.gz", packed),
		both, folder, folderOf,
	} {
		d, err := Open("cifar10", Options{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		if d.Variant != "JPEG copy" || d.Name != "cifar10" || d.Train.Len() != 10 || !slices.Equal(d.Classes, cifar10Classes) {
			t.Errorf("variant %q of %q, %d examples of %q", d.Variant, d.Name, d.Train.Len(), d.Classes)
		}
	}
	if err := os.WriteFile(filepath.Join(both, "cifar-10-binary.tar.gz"), tarGz(t, cifar10Small()), 0o644); err != nil {
		t.Fatal(err)
	}
	if d, err := Open("cifar10", Options{Root: both}); err != nil || d.Variant != "" {
		t.Errorf("beside the official archive the variant is %q: %v", d.Variant, err)
	}

	small := tarGz(t, cifarCopy(t, func(int) string { return grey(t, 1) }))
	_, err := Open("cifar10", Options{Root: save(t, "cifar10-jpeg.tar.gz", small)})
	wants(t, err, "images of shape [3 2 2], CIFAR-10's are [3 32 32]")
	_, err = Open("cifar10", Options{Root: save(t, "cifar10-jpeg.tar.gz", tarGz(t, entries[2:]))})
	wants(t, err, `classes ["automobile"`, "CIFAR-10's are")
	// What is downloaded in place of a damaged copy is not that copy.
	_, err = Open("cifar10", Options{Root: save(t, "cifar10-jpeg.tar.gz", packed[:len(packed)/2])})
	wants(t, err, "truncated", "(once it is deleted, the next run downloads cifar-10-binary.tar.gz, unless --offline)")
}

// A copy of CIFAR-100 has the super-classes that its paths do not name, and a class
// called as the folder of the training images.
func TestCIFAR100Copy(t *testing.T) {
	isolate(t)
	var entries []entry
	for k, class := range cifar100Classes {
		image := jpegOf(t, 32, 32, color.Gray{byte(2 * k)})
		entries = append(entries, entry{name: "train/" + class + "/0.jpg", content: image}, entry{name: "test/" + class + "/0.jpg", content: image})
	}
	packed, folder := tarGz(t, entries), t.TempDir()
	unpack(t, folder, entries)
	for _, root := range []string{save(t, "cifar100/cifar100-jpeg.tar.gz", packed), save(t, "cifar100-jpeg.tar.gz", packed), folder} {
		d, err := Open("cifar100", Options{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		if d.Variant != "JPEG copy" || d.Train.Len() != 100 || d.Test.Len() != 100 || len(d.Classes) != 100 || len(d.GroupNames) != 20 {
			t.Fatalf("variant %q, %d and %d examples, %d classes in %d groups", d.Variant, d.Train.Len(), d.Test.Len(), len(d.Classes), len(d.GroupNames))
		}
		sizes, stay := make([]int, 20), 0
		for class, group := range d.Groups {
			sizes[group]++
			if next := class/5*5 + (class+1)%5; d.Groups[next] == group {
				stay++
			}
		}
		if slices.ContainsFunc(sizes, func(n int) bool { return n != 5 }) {
			t.Errorf("super-classes of %v classes, want five each", sizes)
		}
		// Of the published code's flips, to the next of five consecutive numbers.
		if stay != 6 {
			t.Errorf("%d flips by index stay in their super-class, want 6 (method.md)", stay)
		}
		if train := slices.Index(d.Classes, "train"); d.GroupNames[d.Groups[train]] != "vehicles_1" || d.Train.Labels[train] != train {
			t.Errorf("class train is in %s", d.GroupNames[d.Groups[train]])
		}
	}
	_, err := Open("cifar100", Options{Root: save(t, "cifar100-jpeg.tar.gz", tarGz(t, entries[2:]))})
	wants(t, err, `classes ["aquarium_fish"`, "CIFAR-100's are")
}
