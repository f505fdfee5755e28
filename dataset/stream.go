package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/guard"
)

// imageFiles reads images from their files as squares of side x side pixels.
type imageFiles struct {
	root  string
	names []string // relative to root, with slashes
	side  int
	bad   *badImages
}

// ahead is how many batches may be read ahead of the one in use.
const ahead = 3

// streamed is a batch that is being decoded. Its workers write disjoint parts of pixels
// and of errs.
type streamed struct {
	rows   []int64
	pixels []byte
	errs   []error // of the rows
	left   sync.WaitGroup
}

// streamJob is a row of a batch.
type streamJob struct {
	batch *streamed
	k     int
}

// Batches implements Images. Apart from the workers' buffers it uses the memory of
// ahead+1 batches.
func (f *imageFiles) Batches(rows []int64, size int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if err := f.check(rows, size); err != nil {
			yield(nil, err)
			return
		}
		ctx, stop := context.WithCancel(context.Background())
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()

		jobs := make(chan streamJob)
		for range runtime.GOMAXPROCS(0) {
			running.Go(func() { f.work(jobs) })
		}
		free, full := make(chan *streamed, ahead+1), make(chan *streamed, ahead+1)
		for range ahead + 1 {
			free <- &streamed{}
		}
		running.Go(func() { f.feed(ctx, rows, size, jobs, free, full) })
		for batch := range full {
			batch.left.Wait()
			for _, err := range batch.errs {
				if err != nil {
					yield(nil, err)
					return
				}
			}
			if !yield(batch.pixels, nil) {
				return
			}
			free <- batch
		}
	}
}

func (f *imageFiles) check(rows []int64, size int) error {
	if size < 1 {
		return fmt.Errorf("%s: batches of %d images, want 1 or more", f.root, size)
	}
	for k, row := range rows {
		if row < 0 || row >= int64(len(f.names)) {
			return fmt.Errorf("%s: image %d, row %d of the requested ones, want one in [0, %d)", f.root, row, k, len(f.names))
		}
	}
	return nil
}

// feed fills the free batches with jobs, until there are no rows left or ctx
// ends.
func (f *imageFiles) feed(ctx context.Context, rows []int64, size int, jobs chan<- streamJob, free <-chan *streamed, full chan<- *streamed) {
	defer close(jobs)
	defer close(full)
	for start := 0; start < len(rows); start += size {
		var batch *streamed
		select {
		case batch = <-free:
		case <-ctx.Done():
			return
		}
		batch.rows = rows[start:min(start+size, len(rows))]
		n := len(batch.rows)
		if batch.pixels == nil {
			batch.pixels, batch.errs = make([]byte, n*f.bytes()), make([]error, n)
		}
		batch.pixels, batch.errs = batch.pixels[:n*f.bytes()], batch.errs[:n]
		batch.left.Add(n)
		full <- batch // never blocks: it has room for all batches
		for k := range n {
			select {
			case jobs <- streamJob{batch, k}:
			case <-ctx.Done():
				return
			}
		}
	}
}

// bytes is the size of an image.
func (f *imageFiles) bytes() int { return 3 * f.side * f.side }

func (f *imageFiles) work(jobs <-chan streamJob) {
	squares := squarer{side: f.side}
	var raw bytes.Buffer
	for j := range jobs {
		j.batch.errs[j.k] = guard.Call(func() error {
			return f.image(j.batch.pixels[j.k*f.bytes():][:f.bytes()], j.batch.rows[j.k], &squares, &raw)
		})
		j.batch.left.Done()
	}
}

// image reads one image. One that is missing or cannot be decoded becomes grey and is
// counted.
func (f *imageFiles) image(planes []byte, row int64, squares *squarer, raw *bytes.Buffer) error {
	name := f.names[row]
	problem, err := f.load(name, raw)
	if err != nil {
		return err
	}
	if problem == nil {
		problem = squares.decode(planes, raw.Bytes())
	}
	if problem == nil {
		return nil
	}
	for k := range planes {
		planes[k] = midGrey
	}
	return f.bad.add(name, problem)
}

// midGrey is the value of all pixels of an image that is missing or damaged.
const midGrey = 128

// load reads a file into raw. problem is an error of the file, err one of the machine.
func (f *imageFiles) load(name string, raw *bytes.Buffer) (problem, err error) {
	raw.Reset()
	path := filepath.Join(f.root, filepath.FromSlash(name))
	switch info, err := os.Stat(path); { // opening a pipe would wait for its writer
	case errors.Is(err, fs.ErrNotExist):
		return fs.ErrNotExist, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() && !info.IsDir():
		return files.Regular(info.Mode()), nil
	case info.Size() > maxMember:
		return tooLargeError(info.Size()), nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	n, err := raw.ReadFrom(io.LimitReader(file, maxMember+1))
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		return errors.New("empty file"), nil
	case n > maxMember:
		return fmt.Errorf("more than %d bytes in one file", maxMember), nil
	}
	return nil, nil
}

// sampled is how many files of a split are checked for existence when it is opened: if
// a tenth of the files is missing, the check misses it once in a thousand times.
const sampled = 64

// sample checks that some of the files exist, including the first one, so that a folder
// without its images is found before any training.
func (f *imageFiles) sample() error {
	for k := range min(sampled, len(f.names)) {
		name := f.names[k*len(f.names)/min(sampled, len(f.names))]
		if _, err := os.Stat(filepath.Join(f.root, filepath.FromSlash(name))); err != nil {
			if err := f.bad.add(name, fs.ErrNotExist); err != nil {
				return err
			}
		}
	}
	return nil
}

// Bad implements Images.
func (f *imageFiles) Bad() []string { return f.bad.list() }
