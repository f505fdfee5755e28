package picture

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"

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
		var ring [ahead + 1]streamed
		ctx, stop := context.WithCancel(context.Background())
		defer func() {
			stop()
			for k := range ring {
				ring[k].left.Wait()
			}
		}()
		decode := f.decoder(ctx)
		batches, started := slices.Collect(slices.Chunk(rows, size)), 0
		for k := range batches {
			for ; started < min(k+len(ring), len(batches)); started++ {
				decode(&ring[started%len(ring)], batches[started])
			}
			batch := &ring[k%len(ring)]
			batch.left.Wait()
			if err := cmp.Or(batch.errs...); err != nil {
				yield(nil, err)
				return
			}
			if !yield(batch.pixels, nil) {
				return
			}
		}
	}
}

// decoder returns a function that starts to decode rows into a batch, one image per core at a time, until ctx ends.
func (f *Files) decoder(ctx context.Context) func(batch *streamed, rows []int64) {
	cores := semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0)))
	squarers := sync.Pool{New: func() any { return &Squarer{Side: f.Side} }}
	return func(batch *streamed, rows []int64) {
		n := len(rows) * f.bytes()
		batch.pixels, batch.errs = slices.Grow(batch.pixels[:0], n)[:n], make([]error, len(rows))
		for k, at := range rows {
			batch.left.Go(func() {
				if batch.errs[k] = cores.Acquire(ctx, 1); batch.errs[k] != nil {
					return
				}
				defer cores.Release(1)
				squares := squarers.Get().(*Squarer)
				defer squarers.Put(squares)
				batch.errs[k] = guard.Call(func() error {
					return f.image(batch.pixels[k*f.bytes():][:f.bytes()], at, squares)
				})
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

// Broken collects the missing and broken images of all splits of a data set. It is safe for
// concurrent use.
type Broken struct {
	Container archive.Container
	Allowed   int

	mu  sync.Mutex
	bad map[row]dataset.Skipped
}

// row is an image of a split.
type row struct {
	split *Files
	at    int64
}

// add records an image, and returns an error if there are more than allowed.
func (b *Broken) add(r row, problem error) error {
	b.mu.Lock()
	if b.bad == nil {
		b.bad = map[row]dataset.Skipped{}
	}
	b.bad[r] = dataset.Skipped{Name: r.split.Names[r.at], Why: problem.Error()}
	b.mu.Unlock()
	// More images may be bad, so the number to allow is unknown.
	return badImagesError(b.Container, b.list(nil), b.Allowed, " so far", "fix them, or allow more with --max-bad")
}

// list returns the images of a split, or of all splits if it is nil.
func (b *Broken) list(split *Files) (list []dataset.Skipped) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for r, s := range b.bad {
		if split == nil || r.split == split {
			list = append(list, s)
		}
	}
	dataset.SortSkipped(list)
	return list
}

// TooMany returns an error if more images are bad than allowed. bad must be complete.
func TooMany(s archive.Container, bad []dataset.Skipped, allowed int) error {
	return badImagesError(s, bad, allowed, "", fmt.Sprintf("fix or remove them, or leave them out with --max-bad %d",
		len(bad)))
}

func badImagesError(s archive.Container, bad []dataset.Skipped, allowed int, soFar, remedy string) error {
	if len(bad) <= allowed {
		return nil
	}
	limit := ""
	if allowed > 0 {
		limit = fmt.Sprintf(", more than the %d that --max-bad allows", allowed)
	}
	return fmt.Errorf("%s: %w: %d are missing or do not decode%s%s: %s: %s",
		s.Path, errBadImages, len(bad), soFar, limit, remedy, dataset.ListSkipped(bad, 5))
}

var errBadImages = errors.New("damaged images")
