package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
)

// ownSide is the largest side of images that keep their size, and the side to which
// others are resized, if Source.Side is 0.
const ownSide = 64

// maxDecoded bounds the pixels of a user's own images in memory. More of them are read
// when they are needed, from their folder. It is a constant, so that a source is read in
// the same way on every machine.
var maxDecoded = 4 << 30

// ownImages are a user's own images before they are decoded.
type ownImages struct {
	parts         []ownPart // of Path, and of Test if there is one
	width, height int
	square        bool // they are resized
}

// ownPart is a container of images, those of the training set first.
type ownPart struct {
	tree   *imageTree
	images []ownImage
	left   []string // left out, with reasons
}

// openOwnImages reads a user's own images:
//
//   - DIR/CLASS/FILE;
//   - DIR/{train,val,test}/CLASS/FILE, where the images of val (or valid, validation)
//     belong to the training set, as their labels were given in the same way;
//   - images anywhere below DIR whose labels are in files metadata.csv, or in
//     Source.Labels, which names them by their paths relative to DIR, or by the names of
//     their files if these differ. Images of a folder test that it does not name have the
//     classes of their folders.
//
// DIR may be a folder or a .tar.gz, .tgz or .zip of one. The images are JPEG, PNG, GIF
// (the first picture), WebP, BMP or TIFF, by the ending of their names; other files
// are ignored. They are resized to squares as squarer does. Where the pixels would take
// more than maxDecoded bytes, splits have Images, which need a folder.
//
// An image that cannot be decoded, one without a label and a label without an image
// count as bad: it is an error if there are more of them than Options.MaxBad, else they
// are left out and listed in Skipped.
func openOwnImages(ctx context.Context, s Source, opt Options) (*Dataset, error) {
	o, err := listOwnImages(ctx, s, opt)
	if err != nil {
		return nil, err
	}
	d := &Dataset{Name: own.Name}
	bad := &badImages{source: o.parts[0].tree.source, allowed: opt.MaxBad}
	streamed, err := o.streamed()
	if err != nil {
		return nil, err
	}
	var train, test []ownImage // that have pixels
	for _, p := range o.parts {
		d.Skipped = append(d.Skipped, p.left...)
		var file File
		var kept []ownImage
		if streamed {
			file, err = p.stream(d, o.width, bad)
			kept = p.images
		} else {
			kept, file, err = p.decode(ctx, d, o.job(p), opt)
		}
		if err != nil {
			return nil, err
		}
		d.Files = append(d.Files, file)
		split := p.trainCount(kept)
		train, test = append(train, kept[:split]...), append(test, kept[split:]...)
	}
	if err := tooManyBad(o.parts[0].tree.source, d.Skipped, opt.MaxBad); err != nil {
		return nil, err
	}
	for _, path := range []string{s.Labels, s.TestLabels} {
		if path == "" {
			continue
		}
		file, err := hashFile(path)
		if err != nil {
			return nil, err
		}
		d.Files = append(d.Files, file)
	}
	if err := o.describe(d, train, test, s); err != nil {
		return nil, err
	}
	shown.set(s, d.Train.IDs)
	return d, nil
}

// listOwnImages reads names, labels and, if that matters, sizes.
func listOwnImages(ctx context.Context, s Source, opt Options) (*ownImages, error) {
	if s.Side < 0 || s.Side > 1024 {
		return nil, fmt.Errorf("images of %d x %d pixels, want a side in [1, 1024], or 0 to choose one", s.Side, s.Side)
	}
	o := &ownImages{}
	add := func(path, labels string) (*ownPart, error) {
		tree, err := readTree(ctx, path, s.Side == 0)
		if err != nil {
			return nil, err
		}
		p := ownPart{tree: tree}
		if p.images, p.left, err = labelImages(tree, labels, s, opt.MaxBad); err != nil {
			return nil, err
		}
		o.parts = append(o.parts, p)
		return &o.parts[len(o.parts)-1], nil
	}
	p, err := add(s.Path, s.Labels)
	if err != nil {
		return nil, err
	}
	if p.trainCount(p.sorted()) == 0 {
		return nil, fmt.Errorf("%s: no training image: all %d belong to the test set", s.Path, len(p.images))
	}
	if s.Test != "" {
		if n := len(p.images) - p.trainCount(p.images); n > 0 {
			return nil, fmt.Errorf("%s has %d test images, and %s is to be the test set: name only one of them", s.Path, n, s.Test)
		}
		if p, err = add(s.Test, s.TestLabels); err != nil {
			return nil, err
		}
		for k := range p.images {
			p.images[k].split = "test"
		}
	}
	o.choose(s.Side)
	return o, nil
}

// sorted sorts the images of the training set to the front. Paths stay in order.
func (p *ownPart) sorted() []ownImage {
	slices.SortStableFunc(p.images, func(a, b ownImage) int {
		switch {
		case a.split == b.split:
			return 0
		case a.split == "train":
			return -1
		}
		return 1
	})
	return p.images
}

// trainCount is the number of images of the training set, which come first.
func (p *ownPart) trainCount(images []ownImage) int {
	if n := slices.IndexFunc(images, func(i ownImage) bool { return i.split == "test" }); n >= 0 {
		return n
	}
	return len(images)
}

// choose sets the size of the images as they are decoded.
func (o *ownImages) choose(side int) {
	if side > 0 {
		o.width, o.height, o.square = side, side, true
		return
	}
	o.width, o.height = o.parts[0].tree.width, o.parts[0].tree.height
	for _, p := range o.parts {
		if p.tree.width != o.width || p.tree.height != o.height {
			o.width = 0
		}
	}
	// Images that are streamed are squares.
	fits := o.width == o.height || o.bytes() <= maxDecoded
	if o.width == 0 || max(o.width, o.height) > ownSide || !fits {
		o.width, o.height, o.square = ownSide, ownSide, true
	}
}

func (o *ownImages) bytes() (size int) {
	for _, p := range o.parts {
		size += len(p.images) * 3 * o.width * o.height
	}
	return size
}

// streamed reports whether the images are too large for memory.
func (o *ownImages) streamed() (bool, error) {
	if o.bytes() <= maxDecoded {
		return false, nil
	}
	for _, p := range o.parts {
		if !p.tree.isFolder() {
			return true, fmt.Errorf("%s: %d images of %d x %d pixels are more than the %.1f GiB that are held in memory, and an archive cannot be read in any order: unpack it, or have the images smaller (--side)",
				p.tree.path, len(p.images), o.width, o.height, float64(maxDecoded)/(1<<30))
		}
	}
	return true, nil
}

func (o *ownImages) job(p ownPart) imageJob {
	return imageJob{names: p.names(), width: o.width, height: o.height, square: o.square, sized: "the first one"}
}

func (p ownPart) names() []string {
	names := make([]string, len(p.images))
	for k, image := range p.images {
		names[k] = image.name
	}
	return names
}

// key is that of the cache of a job's pixels. Labels have no part in it.
func (j imageJob) key(s source) (string, error) {
	content, err := s.fingerprint()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintln(h, content, j.width, j.height, j.square)
	for _, name := range j.names {
		fmt.Fprintf(h, "%q\n", name)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ownCache is the kind of the cache files of a user's own images.
const ownCache = "own-images"

// decode appends the pixels to the splits. It returns the images that could be decoded.
func (p ownPart) decode(ctx context.Context, d *Dataset, job imageJob, opt Options) ([]ownImage, File, error) {
	s := p.tree.source
	key, err := job.key(s)
	if err != nil {
		return nil, File{}, err
	}
	pixels, err := cachedAs(cachePath(ownCache, key), key, s, func() (*Dataset, error) {
		images, err := job.decode(ctx, s, opt)
		if err != nil {
			return nil, err
		}
		return &Dataset{Skipped: images.skipped, Train: Split{
			X: images.x, Shape: []int{3, job.height, job.width}, Labels: make([]int, len(images.rows)), IDs: pick(job.names, images.rows),
		}}, tooManyBad(s, images.skipped, opt.MaxBad)
	})
	if err != nil {
		return nil, File{}, err
	}
	d.Skipped = append(d.Skipped, pixels.Skipped...)
	kept := p.named(pixels.Train.IDs)
	cut := p.trainCount(kept) * job.bytes()
	if cut > 0 {
		d.Train.X, d.Train.Shape = pixels.Train.X[:cut:cut], pixels.Train.Shape
	}
	if cut < len(pixels.Train.X) {
		d.Test.X, d.Test.Shape = pixels.Train.X[cut:], pixels.Train.Shape
	}
	return kept, pixels.Files[0], nil
}

// named returns the images of some names, which have the order of the images.
func (p ownPart) named(names []string) []ownImage {
	if len(names) == len(p.images) {
		return p.images
	}
	kept := make([]ownImage, 0, len(names))
	for _, image := range p.images {
		if len(kept) < len(names) && image.name == names[len(kept)] {
			kept = append(kept, image)
		}
	}
	return kept
}

// stream has the splits read the images when they are needed. The contents of so many
// files are not hashed: their names, sizes and times stand for them.
func (p ownPart) stream(d *Dataset, side int, bad *badImages) (File, error) {
	names, train := p.names(), p.trainCount(p.images)
	part := func(names []string) Split {
		return Split{Images: &imageFiles{root: p.tree.path, names: names, side: side, bad: bad}, Shape: []int{3, side, side}}
	}
	if train > 0 {
		d.Train = part(names[:train])
	}
	if train < len(names) {
		d.Test = part(names[train:])
	}
	sum, err := p.tree.fingerprint()
	return File{Path: p.tree.path, SHA256: sum}, err
}

// describe fills in what is known of the images beside their pixels.
func (o *ownImages) describe(d *Dataset, train, test []ownImage, s Source) error {
	var names []string
	for _, image := range slices.Concat(train, test) {
		names = append(names, image.label)
		if image.truth != "" {
			names = append(names, image.truth)
		}
	}
	d.Classes = classNames(names)
	switch {
	case len(train) == 0:
		return fmt.Errorf("%s: not one training image can be decoded", s.Path)
	case len(d.Classes) < 2:
		return fmt.Errorf("%s: all %d images are of the class %q, want two classes or more: each is a folder (CLASS/FILE), or a label of a table", s.Path, len(train)+len(test), d.Classes[0])
	}
	number := make(map[string]int, len(d.Classes))
	for k, name := range d.Classes {
		number[name] = k
	}
	groups := map[string]int32{}
	next := int32(0)
	fill := func(to *Split, images []ownImage) {
		for _, image := range images {
			to.Labels = append(to.Labels, number[image.label])
			to.IDs = append(to.IDs, filepath.ToSlash(image.name))
			if s.Truth != "" {
				truth := -1
				if image.truth != "" {
					truth = number[image.truth]
				}
				to.Truth = append(to.Truth, truth)
			}
			if s.Trusted != "" {
				to.Trusted = append(to.Trusted, image.trusted)
			}
			if s.Group != "" {
				group, ok := groups[image.group]
				if !ok || image.group == "" { // without a name an image is alone
					group = next
					groups[image.group] = group
					next++
				}
				to.Group = append(to.Group, group)
			}
		}
	}
	fill(&d.Train, train)
	fill(&d.Test, test)
	return nil
}
