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

// ownSide is the largest side of images that keep their size and the new side of others, if
// Source.Side is 0.
const ownSide = 64

// inMemory returns the most bytes of pixels to hold in memory.
func inMemory(opt dataset.Options) int { return cmp.Or(opt.InMemory, 4<<30) }

// ownImages are a user's own images before they are decoded.
type ownImages struct {
	parts []*imageTree // for Path, and for Test if set
	job   picture.Job  // without names
	most  int          // bytes of pixels to hold in memory
}

// readImages reads a user's own images:
//
//   - DIR/CLASS/FILE, or deeper in the folder of the class;
//   - DIR/{train,val,test}/CLASS/FILE, where the images of val (or another name of
//     splitNames for validation, in any case) belong to the training set;
//   - images anywhere below DIR with labels in files metadata.csv, or in
//     Source.Labels, by their paths relative to DIR, or by the names of
//     their files if these differ. Images in a folder test without such a label have the
//     classes of their folders.
//
// DIR may be a folder or a .tar.gz, .tgz or .zip of one. Images are JPEG, PNG, GIF (the first
// picture), WebP, BMP or TIFF, by the endings of their names; other files are ignored. Squarer
// resizes them to squares. If the pixels need more than Options.InMemory, splits have Images,
// which need a folder.
//
// Broken images, images without a label and labels without an image count as bad. More than
// Options.MaxBad of them are an error; fewer are left out and listed in Skipped.
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
	var parts []*part
	bad := &picture.Broken{Container: o.parts[0].Container, Allowed: opt.MaxBad}
	for _, t := range o.parts {
		var pixels dataset.Split
		var file dataset.File
		if streamed {
			pixels, file, err = t.stream(o.job.Width, bad)
		} else {
			pixels, file, err = t.decode(ctx, d, o.job, opt)
		}
		if err != nil {
			return nil, err
		}
		t.images.keep(pixels.IDs)
		parts = append(parts, &part{table: t.images, content: pixels})
		d.Skipped = append(d.Skipped, t.left...)
		d.Files = append(d.Files, file)
	}
	if err := picture.TooMany(o.parts[0].Container, d.Skipped, opt.MaxBad); err != nil {
		return nil, err
	}
	if err := hashFiles(d, s.Labels, s.TestLabels); err != nil {
		return nil, err
	}
	train, tested, err := describe(d, parts, s)
	if err == nil {
		divideParts(d, parts, train, tested)
	}
	return d, err
}

// listImages reads names, labels and, if needed, sizes.
func (data *Data) listImages(ctx context.Context, opt dataset.Options) (*ownImages, error) {
	s := data.Source
	if s.Side < 0 || s.Side > 1024 {
		return nil, fmt.Errorf("images of %d x %d pixels: want a side from 1 to 1024, or 0 to choose one", s.Side, s.Side)
	}
	o := &ownImages{most: inMemory(opt)}
	for k, set := range s.sets() {
		tree, err := readTree(ctx, []container{data.train, data.test}[k], s.Side == 0)
		if err != nil {
			return nil, err
		}
		if err := tree.label(ctx, set, opt.MaxBad); err != nil {
			return nil, err
		}
		o.parts = append(o.parts, tree)
	}
	missing := o.parts[0].images.missingNumbers(s.Naming())
	for _, t := range o.parts {
		kept, left := t.images.labelled(missing)
		if err := tooManyMissing(t.Path, left, opt.MaxBad); err != nil {
			return nil, err
		}
		t.left = append(t.left, left...)
		t.images.pick(kept)
	}
	if s.Labels == "" && len(o.parts[0].labels) == 0 {
		alone := s
		if len(o.parts) > 1 && len(o.parts[1].labels) > 0 {
			alone.Label, alone.ID = "", "" // the test set has its own tables
		}
		if err := alone.noTable(s.Path+": the labels are the folders of the images", false); err != nil {
			return nil, err
		}
	}
	o.choose(s.Side)
	return o, nil
}

// choose sets the size of the decoded images.
func (o *ownImages) choose(side int) {
	o.job = picture.Job{Width: side, Height: side, Square: true, Sized: "the first one"}
	if side > 0 {
		return
	}
	o.job.Width, o.job.Height = o.parts[0].width, o.parts[0].height
	differ := slices.ContainsFunc(o.parts, func(t *imageTree) bool {
		return t.width != o.job.Width || t.height != o.job.Height || t.width == 0
	})
	// Streamed images are squares.
	fits := o.job.Width == o.job.Height || o.bytes() <= o.most
	if o.job.Square = differ || max(o.job.Width, o.job.Height) > ownSide || !fits; o.job.Square {
		o.job.Width, o.job.Height = ownSide, ownSide
	}
}

func (o *ownImages) bytes() (size int) {
	for _, t := range o.parts {
		size += t.images.n * o.job.Bytes()
	}
	return size
}

// streamed reports whether the images are too large for memory.
func (o *ownImages) streamed() (bool, error) {
	if o.bytes() <= o.most {
		return false, nil
	}
	for _, t := range o.parts {
		if !t.IsFolder() {
			return true, fmt.Errorf("%s: %d images of %d x %d pixels need more than %.1f GiB of memory, and an archive "+
				"cannot be read in random order: unpack it, or make the images smaller (--side)",
				t.Path, t.images.n, o.job.Width, o.job.Height, float64(o.most)/(1<<30))
		}
	}
	return true, nil
}

// decode returns the pixels and names of decoded images, and adds the others to those left out.
func (t *imageTree) decode(
	ctx context.Context, d *dataset.Dataset, job picture.Job, opt dataset.Options,
) (split dataset.Split, file dataset.File, err error) {
	s := t.Container
	job.Names = t.images.ids
	key, err := job.Key(s)
	if err != nil {
		return split, file, err
	}
	pixels, err := archive.Cached("own-images", key, s, func() (*dataset.Dataset, error) {
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
		return split, file, err
	}
	d.Skipped = append(d.Skipped, pixels.Skipped...)
	return pixels.Train, pixels.Files[0], nil
}

// stream returns images that are read when needed. It hashes the names, sizes and times of the
// files, not their contents.
func (t *imageTree) stream(side int, bad *picture.Broken) (dataset.Split, dataset.File, error) {
	files := &picture.Files{Root: t.Path, Names: t.images.ids, Side: side, Broken: bad}
	sum, err := t.Fingerprint()
	return dataset.Split{Images: files, Shape: []int{3, side, side}, IDs: files.Names}, dataset.File{Path: t.Path,
		SHA256: sum}, err
}

// ImageSide returns the largest side of a source's stored images, or 0 if they differ in size
// and one is above 128 pixels.
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
