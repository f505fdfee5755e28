package own

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/dataset/picture"
	"github.com/losscorr/losscorr/internal/files"
)

// imageStorage is a folder or an archive of images.
type imageStorage struct{}

func (imageStorage) stored(Source) (dataset.Kind, error) { return dataset.Image, nil }

func (imageStorage) open(ctx context.Context, s Source, opt dataset.Options) (*dataset.Dataset, error) {
	return openOwnImages(ctx, s, opt)
}

func (imageStorage) names(ctx context.Context, s Source) (names []string, err error) {
	tree, err := readTree(ctx, s.Path, false)
	if err != nil {
		return nil, err
	}
	placed, err := tree.place(true)
	for _, image := range placed {
		if image.split == "train" {
			names = append(names, image.name)
		}
	}
	return names, err
}

func (imageStorage) originals(ctx context.Context, s Source, ids []string,
	visit func(places []int, o Original) error) error {
	return eachImage(ctx, s.Path, placesOf(ids), func(places []int, raw []byte) error {
		shown, mime, err := picture.Preview(raw)
		if shown == nil || err != nil { // broken
			return err
		}
		return visit(places, Original{Image: shown, MIME: mime, Sum: ContentHash(raw)})
	})
}

func (imageStorage) sums(ctx context.Context, s Source, ids []string) ([]uint64, error) {
	return sumsOf(len(ids), func(found func(places []int, raw []byte) error) error {
		return eachImage(ctx, s.Path, placesOf(ids), found)
	})
}

// byRow is true of images in Parquet alone: others are known by their files.
func (imageStorage) byRow(s Source) bool { return IsEmbedded(s.Path) }

// EachImage calls visit with the places of each name in ids and the file of that image. Other data has none.
func (s Source) EachImage(ctx context.Context, ids []string, visit func(places []int, raw []byte) error) error {
	if storageOf(s.Path) != images || len(ids) == 0 {
		return nil
	}
	return eachImage(ctx, s.Path, placesOf(ids), visit)
}

// eachImage calls found with the value of each name in wanted and the content of that file.
// It leaves out those that are missing. A .tar.gz is read from its beginning at each call, so that
// one call should ask for many images.
func eachImage(ctx context.Context, path string, wanted map[string][]int,
	found func(places []int, raw []byte) error) error {
	container, err := openContainer(path)
	if err != nil {
		return err
	}
	if container.IsFolder() {
		files := picture.Files{Root: path}
		for name, places := range wanted {
			if err := ctx.Err(); err != nil {
				return err
			}
			var raw bytes.Buffer
			problem, err := files.Load(name, &raw)
			if err == nil && problem == nil {
				err = found(places, raw.Bytes())
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	err = container.Walk(func(m archive.Member) error {
		places, ok := wanted[m.Name]
		switch {
		case len(wanted) == 0:
			return fs.SkipAll
		case !ok:
			return ctx.Err()
		}
		delete(wanted, m.Name)
		raw, err := m.Read()
		if err != nil {
			return err
		}
		return found(places, raw)
	})
	if errors.Is(err, fs.SkipAll) {
		err = nil
	}
	return err
}

// read reads images as they were read for training.
func (imageStorage) read(n *newExamples, paths []string, opt dataset.Options) (skipped []dataset.Skipped, err error) {
	if err := n.want(paths[0], dataset.Image); err != nil {
		return nil, err
	}
	if n.Shape[0] != 3 {
		return nil, fmt.Errorf("%s: the network takes images of shape %v, files of images have three channels: give an NPY "+
			"file", paths[0], n.Shape)
	}
	s, names, ids, err := n.imageSource(paths)
	if err != nil {
		return nil, err
	}
	job := picture.Job{Names: names, Height: n.Shape[1], Width: n.Shape[2], Square: n.Shape[1] == n.Shape[2],
		Sized: "an image of the training data"}
	n.split.Shape = n.Shape
	if len(names)*job.Bytes() > inMemory(opt) && job.Square && s.IsFolder() {
		files := &picture.Files{Root: s.Path, Names: names, Side: job.Width, Broken: &picture.Broken{Container: s,
			Allowed: opt.MaxBad}}
		n.split.Images, n.split.IDs = files, ids
		return nil, nil
	}
	images, err := job.Decode(n.ctx, s, opt)
	if err != nil {
		return nil, err
	}
	for k, s := range images.Skipped { // by the paths that were given
		if at := slices.Index(names, s.Name); at >= 0 {
			images.Skipped[k].Name = ids[at]
		}
	}
	n.split.X, n.split.IDs = images.X, dataset.Pick(ids, images.Rows)
	if len(images.Rows) == 0 {
		return nil, fmt.Errorf("%s: no image can be decoded: %s", s.Path, shorten(dataset.SkippedLines(images.Skipped)))
	}
	return images.Skipped, picture.TooMany(s, images.Skipped, opt.MaxBad)
}

// imageSource returns a container of images, their names in it, and what to call them.
func (n *newExamples) imageSource(paths []string) (s archive.Container, names, ids []string, err error) {
	info, err := os.Stat(paths[0])
	if err != nil {
		return s, nil, nil, err
	}
	if !info.IsDir() && files.IsImage(paths[0]) {
		s, names, err = singleImages(paths)
		return s, names, paths, err
	}
	if len(paths) > 1 {
		return s, nil, nil, fmt.Errorf("%s and %s: give one folder or archive, or files of images", paths[0], paths[1])
	}
	tree, err := readTree(n.ctx, paths[0], false)
	if err != nil {
		return s, nil, nil, err
	}
	return tree.Container, tree.names, tree.names, nil
}

// singleImages returns a source of single files.
func singleImages(paths []string) (s archive.Container, names []string, err error) {
	var members []archive.Member
	for k, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return s, nil, err
		case !info.IsDir() && !info.Mode().IsRegular():
			return s, nil, fmt.Errorf("%s: %w", path, files.Regular(info.Mode()))
		case info.IsDir() || !files.IsImage(path):
			return s, nil, fmt.Errorf("%s is not a file of an image by its name, as %s is", path, paths[0])
		}
		// A number makes the names differ, and hides no file whose name begins with a dot.
		names = append(names, fmt.Sprintf("%d %s", k+1, filepath.Base(path)))
		members = append(members, archive.Member{Name: names[k], Size: info.Size(), Open: func() (io.ReadCloser, error) {
			return os.Open(path)
		}})
	}
	return archive.Of(cmp.Or(filepath.Dir(paths[0]), "."), members), names, nil
}
