package published

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/dataset/picture"
	"github.com/losscorr/losscorr/internal/humanize"
)

// readImages reads the images of a copy of a data set, in a folder or archive with the
// layout
//
//	train/CLASS/FILE
//	test/CLASS/FILE
//
// perhaps inside one more folder. The images have one size; grey ones become coloured,
// and transparency is dropped. Classes are numbered in the order of their names, and
// examples are in the order of their paths. The variant is the encoding of the images.
//
// It is an error if more images than Options.MaxBad cannot be decoded, if one differs
// in size, if a class has no image, if the classes of train and test differ, or if an
// archive holds links or names that lead out of it.
func readImages(s archive.Container, opt dataset.Options) (*dataset.Dataset, error) {
	d, err := archive.Cached("images", s, func() (*dataset.Dataset, error) {
		l, err := listImages(s)
		if err != nil {
			return nil, err
		}
		return l.decode(s, opt)
	})
	if err != nil {
		return nil, err
	}
	// The cache may come from a call with a larger MaxBad.
	return d, picture.TooMany(s, d.Skipped, opt.MaxBad)
}

// splits are the folders that an image folder has.
var splits = [2]string{"train", "test"}

// imageList lists the images to decode.
type imageList struct {
	classes []string
	files   [2][]string // paths of train and test, sorted
	labels  [2][]int

	width, height int
	sized         string // the path of the image that gave them
}

// listImages reads the names and the structure of the source, so that pixels can be
// decoded straight into their place.
func listImages(s archive.Container) (*imageList, error) {
	l := &imageList{}
	classes := [2]map[string]bool{{}, {}} // whether each has an image
	above := map[string]bool{}
	var unsized error
	err := s.Walk(func(m archive.Member) error {
		dir, split, below := cutSplit(m.Name)
		switch {
		case split < 0:
			return nil
		case m.Dir && len(below) == 1:
			if _, ok := classes[split][below[0]]; !ok {
				classes[split][below[0]] = false
			}
			return nil
		case m.Dir:
			return nil
		case len(below) != 2:
			return fmt.Errorf("%s is not where an image is to be: %s/CLASS/FILE", humanize.Visible(m.Name), splits[split])
		}
		above[dir] = true
		classes[split][below[0]] = true
		l.files[split] = append(l.files[split], m.Name)
		if l.sized != "" {
			return nil
		}
		raw, err := m.Read()
		if err != nil {
			return err
		}
		if w, h, err := picture.Size(raw); err == nil {
			l.width, l.height, l.sized = w, h, m.Name
		} else if unsized == nil {
			unsized = fmt.Errorf("no image can be decoded; %s: %w", humanize.Visible(m.Name), err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err = checkClasses(classes); err == nil && l.sized == "" {
		err = unsized
	}
	if len(above) > 1 {
		err = fmt.Errorf("more than one folder with train and test: %q", slices.Sorted(maps.Keys(above)))
	}
	if err == nil {
		l.classes = slices.Sorted(maps.Keys(classes[0]))
		err = l.number()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Path, err)
	}
	return l, nil
}

// cutSplit cuts a path at its first folder train or test; split is -1 if it has
// neither.
func cutSplit(name string) (above string, split int, below []string) {
	parts := strings.Split(name, "/")
	for k, part := range parts {
		if split := slices.Index(splits[:], part); split >= 0 {
			return path.Join(parts[:k]...), split, parts[k+1:]
		}
	}
	return "", -1, nil
}

func checkClasses(classes [2]map[string]bool) error {
	for split, name := range splits {
		if len(classes[split]) == 0 {
			return fmt.Errorf("no image in a %s/CLASS; wanted are train/CLASS/FILE and test/CLASS/FILE", name)
		}
	}
	for split, name := range splits {
		var empty, only []string
		for class, full := range classes[split] {
			if _, ok := classes[1-split][class]; !ok {
				only = append(only, class)
			} else if !full {
				empty = append(empty, class)
			}
		}
		slices.Sort(empty)
		slices.Sort(only)
		switch {
		case len(only) > 0:
			return fmt.Errorf("the classes of train and test differ: only %s has %q: give %s images of each of them, or "+
				"remove their folders", name, only, splits[1-split])
		case len(empty) > 0:
			return fmt.Errorf("classes without an image in %s: %q", name, empty)
		}
	}
	return nil
}

// number gives every image its place and its class.
func (l *imageList) number() error {
	images := 0
	for split, files := range l.files {
		slices.Sort(files)
		images += len(files)
		l.labels[split] = make([]int, len(files))
		for k, name := range files {
			if k > 0 && files[k-1] == name {
				return fmt.Errorf("%s is there twice", humanize.Visible(name))
			}
			l.labels[split][k], _ = slices.BinarySearch(l.classes, path.Base(path.Dir(name)))
		}
	}
	if size := l.width * l.height; (images+1)*3 > maxPixels/size {
		return fmt.Errorf("%d images of %d x %d pixels (%s) are more than the %d GiB that are read at once: shrink them",
			images, l.width, l.height, l.sized, maxPixels>>30)
	}
	return nil
}

// decode reads the pixels.
func (l *imageList) decode(s archive.Container, opt dataset.Options) (*dataset.Dataset, error) {
	job := picture.Job{Names: slices.Concat(l.files[0], l.files[1]), Width: l.width, Height: l.height, Sized: l.sized}
	images, err := job.Decode(context.Background(), s, opt)
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{Classes: l.classes, Variant: strings.Join(images.Encodings, " and "), Skipped: images.Skipped}
	if err := picture.TooMany(s, d.Skipped, opt.MaxBad); err != nil {
		return nil, err
	}
	labels := slices.Concat(l.labels[0], l.labels[1])
	train, _ := slices.BinarySearch(images.Rows, len(l.files[0]))
	cut := train * job.Bytes()
	d.Train = dataset.Split{X: images.X[:cut:cut], Labels: dataset.Pick(labels, images.Rows[:train])}
	d.Test = dataset.Split{X: images.X[cut:], Labels: dataset.Pick(labels, images.Rows[train:])}
	for split, to := range []*dataset.Split{&d.Train, &d.Test} {
		to.Shape = []int{3, l.height, l.width}
		if class := to.Lacks(len(l.classes)); class >= 0 {
			return nil, fmt.Errorf("%s: not one image of class %q in %s decodes", s.Path, l.classes[class], splits[split])
		}
	}
	return d, nil
}

// maxPixels bounds the bytes of all images together.
const maxPixels = 16 << 30
