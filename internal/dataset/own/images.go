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
	parts         []imagePart // of Path, and of Test if there is one
	width, height int
	square        bool // they are resized
	most          int  // bytes of pixels that are held in memory
}

// imagePart is a container of images, those of the training set first.
type imagePart struct {
	tree   *imageTree
	images *labelTable
	left   []dataset.Skipped
}

// readImages reads a user's own images:
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
func (data *Data) readImages(ctx context.Context, opt dataset.Options) (*dataset.Dataset, error) {
	s := data.Source
	o, err := data.listImages(ctx, opt)
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
		p.images.keep(pixels.IDs)
		cut := len(p.images.training())
		if cut > 0 {
			train = partOf(pixels, 0, cut)
		}
		if cut < p.images.n {
			test = partOf(pixels, cut, p.images.n)
		}
		tables[k] = p.images
		d.Skipped, d.Notes = append(d.Skipped, p.left...), append(d.Notes, p.tree.findings...)
		d.Files = append(d.Files, file)
	}
	if err := picture.TooMany(o.parts[0].tree.Container, d.Skipped, opt.MaxBad); err != nil {
		return nil, err
	}
	if err := hashFiles(d, s.Labels, s.TestLabels); err != nil {
		return nil, err
	}
	if _, _, err := tables[0].describe(d, tables[1], s); err != nil {
		return nil, err
	}
	d.Train.TakeContent(train)
	d.Test.TakeContent(test)
	return d, nil
}

// listImages reads names, labels and, if that matters, sizes.
func (data *Data) listImages(ctx context.Context, opt dataset.Options) (*ownImages, error) {
	s := data.Source
	if s.Side < 0 || s.Side > 1024 {
		return nil, fmt.Errorf("images of %d x %d pixels, want a side in [1, 1024], or 0 to choose one", s.Side, s.Side)
	}
	o := &ownImages{most: inMemory(opt)}
	if err := o.add(ctx, data.train, s.Labels, s, opt.MaxBad); err != nil {
		return nil, err
	}
	if s.Test != "" {
		if err := o.add(ctx, data.test, s.TestLabels, s.ofTest(), opt.MaxBad); err != nil {
			return nil, err
		}
		test := o.parts[1].images
		test.splits = slices.Repeat([]string{"test"}, test.n)
	}
	missing := o.parts[0].images.missingNumbers(s.Naming())
	for k := range o.parts {
		p := &o.parts[k]
		kept, left := p.images.labelled(missing)
		if err := tooManyMissing(p.tree.Path, left, opt.MaxBad); err != nil {
			return nil, err
		}
		p.left = append(p.left, left...)
		slices.SortStableFunc(kept, func(a, b int) int { return -cmp.Compare(p.images.splits[a], p.images.splits[b]) })
		p.images.pick(kept)
	}
	if s.Labels == "" && len(o.parts[0].tree.labels) == 0 {
		alone := s
		if len(o.parts) > 1 && len(o.parts[1].tree.labels) > 0 {
			alone.Label, alone.ID = "", "" // of the test set's tables
		}
		if err := alone.noTable(s.Path+": the folders of the images are their labels", false); err != nil {
			return nil, err
		}
	}
	o.choose(s.Side)
	return o, nil
}

// add lists the images of a container with their labels.
func (o *ownImages) add(ctx context.Context, c container, labels string, s Source, allowed int) error {
	tree, err := readTree(ctx, c, s.Side == 0)
	if err != nil {
		return err
	}
	p := imagePart{tree: tree}
	p.images, p.left, err = labelImages(ctx, tree, labels, s, allowed)
	o.parts = append(o.parts, p)
	return err
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
		size += p.images.n * 3 * o.width * o.height
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
				p.tree.Path, p.images.n, o.width, o.height, float64(o.most)/(1<<30))
		}
	}
	return true, nil
}

func (o *ownImages) job(p imagePart) picture.Job {
	return picture.Job{Names: p.images.ids, Width: o.width, Height: o.height, Square: o.square, Sized: "the first one"}
}

// ownCache is the kind of the cache files of a user's own images.
const ownCache = "own-images"

// decode returns the pixels and the names of the images that could be decoded, and
// appends the others to those that are left out.
func (p imagePart) decode(ctx context.Context, d *dataset.Dataset, job picture.Job, opt dataset.Options) (dataset.Split,
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

// stream returns images that are read when they are needed. The contents of so many
// files are not hashed: their names, sizes and times stand for them.
func (p imagePart) stream(side int, bad *picture.Broken) (dataset.Split, dataset.File, error) {
	files := &picture.Files{Root: p.tree.Path, Names: p.images.ids, Side: side, Broken: bad}
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
	tree, err := s.readTree(ctx, true)
	if err != nil {
		return 0, err
	}
	return tree.largest, nil
}
