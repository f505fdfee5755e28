package published

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/download"
)

// cifar10 is Krizhevsky's 60,000 photographs of 32 x 32 pixels in ten classes, in the binary version.
var cifar10 = Entry{
	Name: "cifar10", Title: "CIFAR-10", Kind: dataset.Image,
	Flips: []correction.Flip{
		{From: "truck", To: "automobile"}, {From: "bird", To: "airplane"}, {From: "deer", To: "horse"},
		{From: "cat", To: "dog"}, {From: "dog", To: "cat"},
	},
	files:  []string{"cifar-10-binary.tar.gz"},
	source: "https://www.cs.toronto.edu/~kriz/cifar.html",
	// Size and hash are from TensorFlow Datasets; the authors' MD5 is c32a1d4ab5d03f1284b67883e8d87530.
	remote: download.File{
		Address: "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
		Size:    170052171,
		SHA256:  "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
	},
	layouts: []layout{
		{
			marks: []mark{{at: "cifar-10-binary.tar.gz"}, {at: "cifar-10-batches-bin"}, {at: "data_batch_1.bin", from: "."}},
			read: cifar{
				train: []string{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
					"data_batch_5.bin"},
				test:    []string{"test_batch.bin"},
				classes: "batches.meta.txt", count: 10,
			}.read,
		},
		imageCopy("cifar10", "train/airplane", "CIFAR-10", cifar10Classes),
	},
}

// cifar100 has as many images, in 100 classes and 20 super-classes of five.
var cifar100 = Entry{
	Name: "cifar100", Title: "CIFAR-100", Kind: dataset.Image, Groups: true,
	files:  []string{"cifar-100-binary.tar.gz"},
	source: "https://www.cs.toronto.edu/~kriz/cifar.html",
	// Size and hash are from TensorFlow Datasets; the authors' MD5 is 03b5dce01913d631647c71ecec9e9cb8.
	remote: download.File{
		Address: "https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz",
		Size:    168513733,
		SHA256:  "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
	},
	layouts: []layout{
		{
			marks: []mark{{at: "cifar-100-binary.tar.gz"}, {at: "cifar-100-binary"}, {at: "fine_label_names.txt", from: "."}},
			read: cifar{
				train:   []string{"train.bin"},
				test:    []string{"test.bin"},
				classes: "fine_label_names.txt", count: 100,
				groups: "coarse_label_names.txt", groupCount: 20,
			}.read,
		},
		imageCopy("cifar100", "train/aquarium_fish", "CIFAR-100", cifar100Classes),
	},
}

var (
	cifarShape  = []int{3, 32, 32}
	cifarPixels = 3 * 32 * 32
)

var cifar10Classes = strings.Fields("airplane automobile bird cat deer dog frog horse ship truck")

// cifar100Groups are the super-classes of CIFAR-100 with their classes, from
// https://www.cs.toronto.edu/~kriz/cifar.html. Both are numbered in alphabetical order.
var cifar100Groups = []struct{ name, classes string }{
	{"aquatic_mammals", "beaver dolphin otter seal whale"},
	{"fish", "aquarium_fish flatfish ray shark trout"},
	{"flowers", "orchid poppy rose sunflower tulip"},
	{"food_containers", "bottle bowl can cup plate"},
	{"fruit_and_vegetables", "apple mushroom orange pear sweet_pepper"},
	{"household_electrical_devices", "clock keyboard lamp telephone television"},
	{"household_furniture", "bed chair couch table wardrobe"},
	{"insects", "bee beetle butterfly caterpillar cockroach"},
	{"large_carnivores", "bear leopard lion tiger wolf"},
	{"large_man-made_outdoor_things", "bridge castle house road skyscraper"},
	{"large_natural_outdoor_scenes", "cloud forest mountain plain sea"},
	{"large_omnivores_and_herbivores", "camel cattle chimpanzee elephant kangaroo"},
	{"medium_mammals", "fox porcupine possum raccoon skunk"},
	{"non-insect_invertebrates", "crab lobster snail spider worm"},
	{"people", "baby boy girl man woman"},
	{"reptiles", "crocodile dinosaur lizard snake turtle"},
	{"small_mammals", "hamster mouse rabbit shrew squirrel"},
	{"trees", "maple_tree oak_tree palm_tree pine_tree willow_tree"},
	{"vehicles_1", "bicycle bus motorcycle pickup_truck train"},
	{"vehicles_2", "lawn_mower rocket streetcar tank tractor"},
}

var cifar100Classes = func() (classes []string) {
	for _, g := range cifar100Groups {
		classes = append(classes, strings.Fields(g.classes)...)
	}
	slices.Sort(classes)
	return classes
}()

// cifar describes the binary version of https://www.cs.toronto.edu/~kriz/cifar.html: files of records,
// each with the label of the super-class (if any), the label, and the pixels, a plane for each channel.
type cifar struct {
	train, test       []string // members of the archive, all of the same size
	classes, groups   string   // the members with the names, one per line
	count, groupCount int
}

func (c cifar) read(s archive.Container, _ dataset.Options) (*dataset.Dataset, error) {
	build := func() (*dataset.Dataset, error) { return c.build(s) }
	if s.IsFolder() { // as fast as a cache
		return archive.Fresh(s, build)
	}
	return archive.Cached(fmt.Sprintf("cifar%d", c.count), "", s, build)
}

func (c cifar) build(s archive.Container) (*dataset.Dataset, error) {
	d := &dataset.Dataset{}
	if c.groups != "" {
		d.Groups = make([]int, c.count)
	}
	seen := map[string]bool{}
	err := s.Walk(func(m archive.Member) (err error) {
		name := path.Base(m.Name)
		train, test := slices.Index(c.train, name), slices.Index(c.test, name)
		switch {
		case m.Dir || train < 0 && test < 0 && name != c.classes && name != c.groups:
			return nil
		case seen[name]:
			return fmt.Errorf("%s: a second %s", m.Name, name)
		case train >= 0:
			err = c.readPart(m, &d.Train, train, len(c.train), d.Groups)
		case test >= 0:
			err = c.readPart(m, &d.Test, test, len(c.test), d.Groups)
		case name == c.classes:
			d.Classes, err = readNames(m, c.count)
		default:
			d.GroupNames, err = readNames(m, c.groupCount)
		}
		seen[name] = true
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Concat(c.train, c.test, []string{c.classes, c.groups}) {
		if name != "" && !seen[name] {
			if s.IsFolder() { // it may have other files
				return nil, fmt.Errorf("%s: %s is missing: unpack the whole archive there", s.Path, name)
			}
			return nil, fmt.Errorf("%s: the archive is incomplete, since %s is missing: %w", s.Path, name, archive.ErrDamaged)
		}
	}
	return d, nil
}

// readPart reads a file of records into its place in the split, and sets the super-class of each class.
func (c cifar) readPart(m archive.Member, s *dataset.Split, part, parts int, groups []int) error {
	record := 1 + cifarPixels
	if c.groups != "" {
		record++
	}
	n := int(m.Size) / record
	if n == 0 || int(m.Size)%record != 0 || m.Size > maxValues {
		return fmt.Errorf("%s: %d bytes are not a whole number of %d-byte records: the file is truncated, or from "+
			"another data set", m.Name, m.Size, record)
	}
	if s.Labels == nil {
		*s = dataset.Split{X: make([]byte, parts*n*cifarPixels), Shape: cifarShape, Labels: make([]int, parts*n)}
	} else if s.Len() != parts*n {
		return fmt.Errorf("%s: %d records, but another part has %d: one of them is truncated", m.Name, n, s.Len()/parts)
	}
	content, err := m.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", m.Name, err)
	}
	defer content.Close()
	r := bufio.NewReaderSize(content, 1<<20)
	raw, at := make([]byte, record), record-cifarPixels-1 // at is the byte of the label
	for k := range n {
		if _, err := io.ReadFull(r, raw); err != nil {
			return fmt.Errorf("%s: record %d: %w", m.Name, k, archive.Damaged(err))
		}
		class := int(raw[at])
		if class >= c.count {
			return fmt.Errorf("%s: label %d of record %d (byte %d), want one in [0, %d)", m.Name, class, k, k*record+at, c.count)
		}
		s.Labels[part*n+k] = class
		copy(s.Example(part*n+k), raw[at+1:])
		if groups != nil {
			if groups[class] = int(raw[0]); groups[class] >= c.groupCount {
				return fmt.Errorf("%s: record %d (byte %d): super-class %d, want one in [0, %d)", m.Name, k, k*record, raw[0],
					c.groupCount)
			}
		}
	}
	return nil
}

// readNames reads a file of names, one per line.
func readNames(m archive.Member, count int) ([]string, error) {
	text, err := m.Read()
	if err != nil {
		return nil, err
	}
	names := strings.Fields(string(text))
	if len(names) != count {
		return nil, fmt.Errorf("%s: %d names, want %d", m.Name, len(names), count)
	}
	return names, nil
}

// imageCopy is the layout of a copy as image files, in the folder NAME-jpeg or its archive. folder is one of its
// folders of images.
func imageCopy(name, folder, title string, classes []string) layout {
	in, packed := name+"-jpeg", name+"-jpeg.tar.gz"
	return layout{
		marks: []mark{{at: in + "/" + packed}, {at: packed}, {at: in + "/" + folder, from: in}, {at: folder, from: "."}},
		read: func(s archive.Container, opt dataset.Options) (*dataset.Dataset, error) {
			return readCIFARCopy(s, opt, title, classes)
		},
	}
}

// readCIFARCopy reads CIFAR as image files, and adds the super-classes of CIFAR-100.
func readCIFARCopy(s archive.Container, opt dataset.Options, name string, classes []string) (*dataset.Dataset, error) {
	d, err := readImages(s, opt)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(d.Train.Shape, cifarShape) {
		return nil, fmt.Errorf("%s: images of shape %v, or of several sizes: want %s's %v", s.Path, d.Train.Shape, name,
			cifarShape)
	}
	if !slices.Equal(d.Classes, classes) {
		return nil, fmt.Errorf("%s: classes %q: want %s's %q", s.Path, d.Classes, name, classes)
	}
	d.Variant += " copy"
	if len(classes) == len(cifar100Classes) {
		d.Groups = make([]int, len(classes))
		for g, group := range cifar100Groups {
			d.GroupNames = append(d.GroupNames, group.name)
			for _, class := range strings.Fields(group.classes) {
				d.Groups[slices.Index(classes, class)] = g
			}
		}
	}
	return d, nil
}
