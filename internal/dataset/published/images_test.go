package published

import (
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// pets are five training and two test images; the value of each is its place.
func pets(t *testing.T) []datasettest.Entry {
	return []datasettest.Entry{
		{Name: "pets/README", Content: "about"},
		{Name: "pets/train/dog/b.png", Content: datasettest.Grey(t, 4)},
		{Name: "pets/train/dog/a.png", Content: datasettest.Grey(t, 3)},
		{Name: "pets/train/cat/"},
		{Name: "pets/train/cat/10.png", Content: datasettest.Grey(t, 1)},
		{Name: "pets/train/cat/9.png", Content: datasettest.Grey(t, 2)},
		{Name: "pets/train/cat/0.png", Content: datasettest.Grey(t, 0)},
		{Name: "pets/test/cat/x.png", Content: datasettest.Grey(t, 20)},
		{Name: "pets/test/dog/x.png", Content: datasettest.Grey(t, 21)},
	}
}

// openCopy reads images as a copy of a data set.
func openCopy(path string, opt dataset.Options) (*dataset.Dataset, error) {
	s, err := archive.Open(path)
	if err != nil {
		return nil, err
	}
	return readImages(s, opt)
}

func TestReadImages(t *testing.T) {
	datasettest.Isolate(t)
	root := t.TempDir()
	datasettest.Unpack(t, root, pets(t))
	for _, path := range []string{
		datasettest.File(t, "pets.tar.gz", datasettest.TarGz(t, pets(t))),
		datasettest.File(t, "pets.zip", datasettest.Zip(t, pets(t))),
		filepath.Join(root, "pets"),
		root + "/pets/",
	} {
		d := expect.Got(openCopy(path, dataset.Options{}))(t)
		expect.Same(t, []byte{0, 1, 2, 3, 4}, datasettest.Values(d.Train))
		expect.Same(t, []byte{20, 21}, datasettest.Values(d.Test))
		expect.Same(t, []int{0, 0, 0, 1, 1}, d.Train.Labels)
		expect.Same(t, []int{0, 1}, d.Test.Labels)
		expect.Same(t, "PNG", d.Variant)
		expect.Same(t, []string{"cat", "dog"}, d.Classes)
		expect.Same(t, []int{3, 2, 2}, d.Train.Shape)
	}
}

func TestImagesRefuse(t *testing.T) {
	datasettest.Isolate(t)
	header := datasettest.Grey(t, 1)
	for _, test := range []struct {
		entries []datasettest.Entry
		want    string
	}{
		{datasettest.Replace(pets(t), datasettest.Entry{Name: "pets/test/dog/x.png",
			Content: header[:len(header)-20]}), "pets/test/dog/x.png: png: invalid format: unexpected EOF"},
		{without(pets(t), "pets/test/dog/x.png"),
			`no readable image of class "dog" in test: want train/CLASS/FILE and test/CLASS/FILE, with every class`},
		{append(pets(t), datasettest.Entry{Name: "pets/test/cow/x.png", Content: header}),
			`classes without a training example, each with a test example: 1 ("cow of pets/test/cow/x.png")`},
		{append(pets(t), datasettest.Entry{Name: "pets/train/cat/2017/x.png", Content: header}),
			"pets/train/cat/2017/x.png is in the wrong folder: want train/CLASS/FILE"},
		{append(pets(t), datasettest.Entry{Name: "pets/train/x.png", Content: header}),
			"pets/train/x.png is in the wrong folder: want CLASS/FILE or {train,val,test}/CLASS/FILE; move it"},
		{append(pets(t), datasettest.Entry{Name: "more/train/cat/x.png", Content: header}),
			"more/train/cat/x.png is in the wrong folder: want CLASS/FILE or {train,val,test}/CLASS/FILE; move it"},
	} {
		path := datasettest.File(t, "pets.tar.gz", datasettest.TarGz(t, test.entries))
		expect.Says(t, expect.Err(openCopy(path, dataset.Options{})), path+": ", test.want)
	}
	expect.Is(t, expect.Err(openCopy("missing", dataset.Options{})), os.ErrNotExist)
}

// cifarCopy is an image of each class in train and test.
func cifarCopy(t *testing.T, image func(k int) string) (entries []datasettest.Entry) {
	for k, class := range cifar10Classes {
		entries = append(entries,
			datasettest.Entry{Name: "train/" + class + "/0000.jpg", Content: image(k)},
			datasettest.Entry{Name: "test/" + class + "/0000.jpg", Content: image(k)})
	}
	return entries
}

// A copy is found under its usual names, says what it is, and gives way to the
// official archive.
func TestCIFAR10Copy(t *testing.T) {
	datasettest.Isolate(t)
	entries := cifarCopy(t, func(k int) string { return datasettest.JPEG(t, 32, 32, color.Gray{byte(20 * k)}) })
	packed := datasettest.TarGz(t, entries)
	folder, folderOf := t.TempDir(), t.TempDir()
	datasettest.Unpack(t, folder, entries)
	datasettest.Unpack(t, filepath.Join(folderOf, "cifar10-jpeg"), entries)
	both := datasettest.Save(t, "cifar10-jpeg.tar.gz", packed)
	for _, root := range []string{
		datasettest.Save(t, "cifar10-jpeg/cifar10-jpeg.tar.gz", packed), datasettest.Save(t, "cifar10/cifar10-jpeg.tar.gz",
			packed),
		both, folder, folderOf,
	} {
		d := expect.Got(Open("cifar10", dataset.Options{Root: root}))(t)
		expect.Same(t, []string{"JPEG copy", "cifar10"}, []string{d.Variant, d.Name})
		expect.Same(t, cifar10Classes, d.Classes)
		expect.Same(t, 10, d.Train.Len())
	}
	datasettest.Put(t, filepath.Join(both, "cifar-10-binary.tar.gz"), string(datasettest.TarGz(t, cifar10Small())))
	expect.Same(t, "", expect.Got(Open("cifar10", dataset.Options{Root: both}))(t).Variant, "beside the official archive")

	larger := datasettest.Replace(entries, datasettest.Entry{Name: "test/cat/0000.jpg", Content: datasettest.JPEG(t, 33, 32,
		color.White)})
	_, err := Open("cifar10", dataset.Options{Root: datasettest.Save(t, "cifar10-jpeg.tar.gz", datasettest.TarGz(t, larger))})
	expect.Says(t, err, "images of shape [3 64 64], or of several sizes: want CIFAR-10's [3 32 32]")
	_, err = Open("cifar10", dataset.Options{Root: datasettest.Save(t, "cifar10-jpeg.tar.gz",
		datasettest.TarGz(t, entries[2:]))})
	expect.Says(t, err, `classes ["automobile"`, `"truck"]: want CIFAR-10's ["airplane" "automobile"`)
	// A damaged copy is downloaded again.
	_, err = Open("cifar10", dataset.Options{Root: datasettest.Save(t, "cifar10-jpeg.tar.gz", packed[:len(packed)/2])})
	expect.Says(t, err, "truncated", "(once it is deleted, the next run downloads cifar-10-binary.tar.gz, unless "+
		"--offline)")
}

// A copy of CIFAR-100 has the super-classes that its paths do not name, and a class
// called as the folder of the training images.
func TestCIFAR100Copy(t *testing.T) {
	datasettest.Isolate(t)
	var entries []datasettest.Entry
	for k, class := range cifar100Classes {
		image := datasettest.JPEG(t, 32, 32, color.Gray{byte(2 * k)})
		entries = append(entries, datasettest.Entry{Name: "train/" + class + "/0.jpg", Content: image},
			datasettest.Entry{Name: "train/" + class + "/1.jpg", Content: image},
			datasettest.Entry{Name: "test/" + class + "/0.jpg", Content: image})
	}
	root := datasettest.Save(t, "cifar100/cifar100-jpeg.tar.gz", datasettest.TarGz(t, entries))
	d := expect.Got(Open("cifar100", dataset.Options{Root: root}))(t)
	expect.Same(t, "JPEG copy", d.Variant)
	expect.Same(t, []int{200, 100, 100, 20}, []int{d.Train.Len(), d.Test.Len(), len(d.Classes), len(d.GroupNames)})
	sizes, stay := make([]int, 20), 0
	for class, group := range d.Groups {
		sizes[group]++
		if next := class/5*5 + (class+1)%5; d.Groups[next] == group {
			stay++
		}
	}
	expect.Same(t, slices.Repeat([]int{5}, 20), sizes)
	// Of the published code's flips, to the next of five consecutive numbers.
	expect.Same(t, 6, stay)
	train := slices.Index(d.Classes, "train")
	expect.Same(t, "vehicles_1", d.GroupNames[d.Groups[train]])
	expect.Same(t, train, d.Train.Labels[2*train])
	root = datasettest.Save(t, "cifar100-jpeg.tar.gz", datasettest.TarGz(t, entries[3:]))
	expect.Says(t, expect.Err(Open("cifar100", dataset.Options{Root: root})),
		`classes ["aquarium_fish"`, `"worm"]: want CIFAR-100's ["apple" "aquarium_fish"`)
}
