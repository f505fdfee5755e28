package picture

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/guard"
)

// Files reads images from their files as squares of side x side pixels.
type Files struct {
	Root   string
	Names  []string // relative to root, with slashes
	Side   int
	Broken *Broken
}

// Pick returns some of the images.
func (f *Files) Pick(rows []int) *Files {
	return &Files{Root: f.Root, Names: dataset.Pick(f.Names, rows), Side: f.Side, Broken: f.Broken}
}

// ahead is the most batches to read ahead of the one in use.
const ahead = 3

// streamed is a batch in decoding. Its images write disjoint parts of pixels and errs.
type streamed struct {
	pixels []byte
	errs   []error // by row
	left   sync.WaitGroup
}

// Batches implements Images. It uses the memory of ahead+1 batches, and what decoding one image per
// core needs.
func (f *Files) Batches(rows []int64, size int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		ctx, stop := context.WithCancel(context.Background())
		var feeding sync.WaitGroup
		defer feeding.Wait()
		defer stop()
		free, full := make(chan *streamed, ahead+1), make(chan *streamed, ahead+1)
		for range ahead + 1 {
			free <- &streamed{}
		}
		feeding.Go(func() { f.feed(ctx, rows, size, free, full) })
		for batch := range full {
			batch.left.Wait()
			if err := cmp.Or(batch.errs...); err != nil {
				yield(nil, err)
				return
			}
			if !yield(batch.pixels, nil) {
				return
			}
			free <- batch
		}
	}
}

// feed fills free batches until there are no rows left or ctx ends, and waits for the last one.
func (f *Files) feed(ctx context.Context, rows []int64, size int, free <-chan *streamed, full chan<- *streamed) {
	defer close(full)
	squarers := sync.Pool{New: func() any { return &Squarer{Side: f.Side} }}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	defer group.Wait() //nolint:errcheck // each batch has its errors
	for part := range slices.Chunk(rows, size) {
		var batch *streamed
		select {
		case batch = <-free:
		case <-ctx.Done():
			return
		}
		n := len(part) * f.bytes()
		batch.pixels, batch.errs = slices.Grow(batch.pixels[:0], n)[:n], make([]error, len(part))
		batch.left.Add(len(part))
		full <- batch // never blocks: it has room for all batches
		for k, at := range part {
			if ctx.Err() != nil {
				return
			}
			group.Go(func() error {
				defer batch.left.Done()
				squares := squarers.Get().(*Squarer)
				defer squarers.Put(squares)
				batch.errs[k] = guard.Call(func() error {
					return f.image(batch.pixels[k*f.bytes():][:f.bytes()], at, squares)
				})
				return nil
			})
		}
	}
}

// bytes returns the size of an image.
func (f *Files) bytes() int { return 3 * f.Side * f.Side }

// image reads one image. A missing or broken one becomes grey and is counted.
func (f *Files) image(planes []byte, at int64, squares *Squarer) error {
	raw, problem, err := f.Load(f.Names[at])
	if err == nil && problem == nil {
		problem = squares.Decode(planes, raw)
	}
	if err != nil || problem == nil {
		return err
	}
	copy(planes, bytes.Repeat([]byte{MidGrey}, len(planes)))
	return f.Broken.add(row{f, at}, problem)
}

// MidGrey is the value of all pixels of a missing or broken image.
const MidGrey = 128

// Load reads a file. problem is an error in the file, err an error of the machine.
func (f *Files) Load(name string) (raw []byte, problem, err error) {
	path := filepath.Join(f.Root, filepath.FromSlash(name))
	switch info, err := os.Stat(path); { // since opening a pipe would wait for its writer
	case errors.Is(err, fs.ErrNotExist):
		return nil, fs.ErrNotExist, nil
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular() && !info.IsDir():
		return nil, files.Regular(info.Mode()), nil
	case info.Size() > archive.MaxMember:
		return nil, archive.TooLarge(info.Size()), nil
	}
	if raw, err = os.ReadFile(path); err == nil && len(raw) == 0 {
		problem = errors.New("empty file")
	}
	return raw, problem, err
}

// sampled is the number of files that Sample checks: if a tenth of the files is missing, the check
// fails to notice once in a thousand times.
const sampled = 64

// Sample checks that some of the files exist, including the first one, to detect missing images
// before training.
func (f *Files) Sample() error {
	for k := range min(sampled, len(f.Names)) {
		at := k * len(f.Names) / min(sampled, len(f.Names))
		if _, err := os.Stat(filepath.Join(f.Root, filepath.FromSlash(f.Names[at]))); err != nil {
			if err := f.Broken.add(row{f, int64(at)}, fs.ErrNotExist); err != nil {
				return err
			}
		}
	}
	return nil
}

// Bad implements Images.
func (f *Files) Bad() []dataset.Skipped { return f.Broken.list(f) }
