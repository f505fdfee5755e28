package own

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/dataset/picture"
)

// ownSide is the largest side of images that keep their size, and the side to which
// others are resized, if Source.Side is 0.
const ownSide = 64

// inMemory is how many bytes of pixels are held in memory.
func inMemory(opt dataset.Options) int { return cmp.Or(opt.InMemory, 4<<30) }

// ownImages are a user's own images before they are decoded.
type ownImages struct {
	parts         []ownPart // of Path, and of Test if there is one
	width, height int
	square        bool // they are resized
	most          int  // bytes of pixels that are held in memory
}

// ownPart is a container of images, those of the training set first.
type ownPart struct {
	tree   *imageTree
	of     Source
	images []ownImage
	left   []dataset.Skipped
	notes  []string // findings on the folders
}

// openOwnImages reads a user's own images:
//
//   - DIR/CLASS/FILE, or deeper in the folder of the class;
//   - DIR/{train,val,test}/CLASS/FILE, where the images of val (or another name of
//     splitNames for validation, in any case) belong to the training set;
//   - images anywhere below DIR whose labels are in files metadata.csv, or in
//     Source.Labels, which names them by their paths relative to DIR, or by the names of
//     their files if these differ. Images of a folder test that it does not name have the
//     classes of their folders.
//
// DIR may be a folder or a .tar.gz, .tgz or .zip of one. The images are JPEG, PNG, GIF
// (the first picture), WebP, BMP or TIFF, by the ending of their names; other files
// are ignored. They are resized to squares as Squarer does. Where the pixels would take
// more bytes than Options.InMemory, splits have Images, which need a folder.
//
// An image that cannot be decoded, one without a label and a label without an image
// count as bad: it is an error if there are more of them than Options.MaxBad, else they
// are left out and listed in Skipped.
func openOwnImages(ctx context.Context, s Source, opt dataset.Options) (*dataset.Dataset, error) {
	o, err := listOwnImages(ctx, s, opt)
	if err != nil {
		return nil, err
	}
	streamed, err := o.streamed()
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{}
	var train, test dataset.Split // their pixels
	var tables [2]*labelTable
	bad := &picture.Broken{Container: o.parts[0].tree.Container, Allowed: opt.MaxBad}
	for k, p := range o.parts {
		var pixels dataset.Split
		var file dataset.File
		if streamed {
			pixels, file, err = p.stream(o.width, bad)
		} else {
			pixels, file, err = p.decode(ctx, d, o.job(p), opt)
		}
		if err != nil {
			return nil, err
		}
		kept := p.named(pixels.IDs)
		cut := trainCount(kept)
		if cut > 0 {
			train = partOf(pixels, 0, cut)
		}
		if cut < len(kept) {
			test = partOf(pixels, cut, len(kept))
		}
		tables[k] = p.table(kept)
		d.Skipped, d.Notes = append(d.Skipped, p.left...), append(d.Notes, p.notes...)
		d.Files = append(d.Files, file)
	}
	if err := picture.TooMany(o.parts[0].tree.Container, d.Skipped, opt.MaxBad); err != nil {
		return nil, err
	}
	for _, path := range []string{s.Labels, s.TestLabels} {
		if path == "" {
			continue
		}
		file, err := archive.HashFile(path)
		if err != nil {
			return nil, err
		}
		d.Files = append(d.Files, file)
	}
	if _, _, err := tables[0].describe(d, tables[1], s); err != nil {
		return nil, err
	}
	for _, to := range []struct{ split, pixels *dataset.Split }{{&d.Train, &train}, {&d.Test, &test}} {
		to.split.X, to.split.Images, to.split.Shape = to.pixels.X, to.pixels.Images, to.pixels.Shape
	}
	return d, nil
}

// listOwnImages reads names, labels and, if that matters, sizes.
func listOwnImages(ctx context.Context, s Source, opt dataset.Options) (*ownImages, error) {
	if s.Side < 0 || s.Side > 1024 {
		return nil, fmt.Errorf("images of %d x %d pixels, want a side in [1, 1024], or 0 to choose one", s.Side, s.Side)
	}
	o := &ownImages{most: inMemory(opt)}
	test := s.ofTest()
	test.Path, test.Labels = s.Test, s.TestLabels
	for _, of := range []Source{s, test} {
		if of.Path == "" {
			continue
		}
		tree, err := readTree(ctx, of.Path, s.Side == 0)
		if err != nil {
			return nil, err
		}
		p := ownPart{tree: tree, of: of}
		if p.images, p.left, err = labelImages(tree, of.Labels, of, opt.MaxBad); err != nil {
			return nil, err
		}
		p.notes = tree.findings
		if of.Labels == "" && len(tree.metadata) == 0 {
			p.notes = tree.notes(p.images)
		}
		if len(o.parts) > 0 {
			for k := range p.images {
				p.images[k].split = "test"
			}
		}
		slices.SortStableFunc(p.images, func(a, b ownImage) int { return -cmp.Compare(a.split, b.split) })
		o.parts = append(o.parts, p)
	}
	if err := o.dropMissing(s, opt.MaxBad); err != nil {
		return nil, err
	}
	if s.Labels == "" && len(o.parts[0].tree.metadata) == 0 {
		alone := s
		if len(o.parts) > 1 && len(o.parts[1].tree.metadata) > 0 {
			alone.Label, alone.ID = "", "" // of the test set's tables
		}
		if err := alone.noTable(s.Path+": the folders of the images are their labels", false); err != nil {
			return nil, err
		}
	}
	o.choose(s.Side)
	return o, nil
}

// dropMissing leaves out the images whose labels are numbers that stand for a missing label.
func (o *ownImages) dropMissing(s Source, allowed int) error {
	var labels []string
	for _, image := range o.parts[0].images[:trainCount(o.parts[0].images)] {
		labels = append(labels, image.label)
	}
	missing := missingNumbers(labels, s.Naming())
	for k := range o.parts {
		p := &o.parts[k]
		var left []dataset.Skipped
		p.images = slices.DeleteFunc(p.images, func(image ownImage) bool {
			if !slices.Contains(missing, image.label) {
				return false
			}
			left = append(left, standsForMissing(image.name, image.label))
			return true
		})
		if err := tooManyMissing(p.tree.Path, left, allowed); err != nil {
			return err
		}
		p.left = append(p.left, left...)
	}
	return nil
}

// trainCount is the number of images of the training set, which come first.
func trainCount(images []ownImage) int {
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
	fits := o.width == o.height || o.bytes() <= o.most
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
	if o.bytes() <= o.most {
		return false, nil
	}
	for _, p := range o.parts {
		if !p.tree.IsFolder() {
			return true, fmt.Errorf("%s: %d images of %d x %d pixels are more than the %.1f GiB that are held in memory, and "+
				"an archive cannot be read in any order: unpack it, or have the images smaller (--side)",
				p.tree.Path, len(p.images), o.width, o.height, float64(o.most)/(1<<30))
		}
	}
	return true, nil
}

func (o *ownImages) job(p ownPart) picture.Job {
	return picture.Job{Names: p.names(), Width: o.width, Height: o.height, Square: o.square, Sized: "the first one"}
}

func (p ownPart) names() []string {
	names := make([]string, len(p.images))
	for k, image := range p.images {
		names[k] = image.name
	}
	return names
}

// ownCache is the kind of the cache files of a user's own images.
const ownCache = "own-images"

// decode returns the pixels and the names of the images that could be decoded, and
// appends the others to those that are left out.
func (p ownPart) decode(ctx context.Context, d *dataset.Dataset, job picture.Job, opt dataset.Options) (dataset.Split,
	dataset.File, error) {
	s := p.tree.Container
	key, err := job.Key(s)
	if err != nil {
		return dataset.Split{}, dataset.File{}, err
	}
	pixels, err := archive.CachedAs(archive.CachePath(ownCache, key), key, s, func() (*dataset.Dataset, error) {
		images, err := job.Decode(ctx, s, opt)
		if err != nil {
			return nil, err
		}
		return &dataset.Dataset{Skipped: images.Skipped, Train: dataset.Split{
			X: images.X, Shape: []int{3, job.Height, job.Width}, Labels: make([]int, len(images.Rows)),
			IDs: dataset.Pick(job.Names, images.Rows),
		}}, picture.TooMany(s, images.Skipped, opt.MaxBad)
	})
	if err != nil {
		return dataset.Split{}, dataset.File{}, err
	}
	d.Skipped = append(d.Skipped, pixels.Skipped...)
	return pixels.Train, pixels.Files[0], nil
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

// stream returns images that are read when they are needed. The contents of so many
// files are not hashed: their names, sizes and times stand for them.
func (p ownPart) stream(side int, bad *picture.Broken) (dataset.Split, dataset.File, error) {
	files := &picture.Files{Root: p.tree.Path, Names: p.names(), Side: side, Broken: bad}
	sum, err := p.tree.Fingerprint()
	return dataset.Split{Images: files, Shape: []int{3, side, side}, IDs: files.Names}, dataset.File{Path: p.tree.Path,
		SHA256: sum}, err
}

// partOf returns the pixels of the examples of a range.
func partOf(s dataset.Split, from, to int) dataset.Split {
	part := dataset.Split{Shape: s.Shape}
	if files, ok := s.Images.(*picture.Files); ok {
		part.Images = &picture.Files{Root: files.Root, Names: files.Names[from:to], Side: files.Side, Broken: files.Broken}
	} else {
		part.X = s.X[from*s.Size() : to*s.Size() : to*s.Size()]
	}
	return part
}

// table returns what is known of images beside their pixels.
func (p ownPart) table(images []ownImage) *labelTable {
	t := &labelTable{path: p.tree.Path}
	for _, image := range images {
		t.ids, t.labels = append(t.ids, image.name), append(t.labels, image.label)
		t.splits = append(t.splits, image.split)
		if p.of.Truth != "" {
			t.truths = append(t.truths, image.truth)
		}
		if p.of.Trusted != "" {
			t.trusted = append(t.trusted, image.trusted)
		}
		if p.of.Group != "" {
			t.groups = append(t.groups, image.group)
		}
	}
	return t
}

// ImageSide returns the largest side of the images of a source as they are stored, 0 where they
// differ in size and one is above 128 pixels.
func (s Source) ImageSide(ctx context.Context) (int, error) {
	if isArray(s.Path) {
		a, err := openExamples(s.Path)
		if err != nil {
			return 0, err
		}
		defer a.Close()
		if len(a.Shape) < 3 {
			return 0, nil
		}
		return max(a.Shape[1], a.Shape[2]), nil
	}
	tree, err := readTree(ctx, s.Path, true)
	if err != nil {
		return 0, err
	}
	return tree.largest, nil
}
