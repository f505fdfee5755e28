package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/losscorr/losscorr/internal/guard"
	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// imageJob lists images of a source that are to be decoded into one shape.
type imageJob struct {
	names         []string // paths; the pixels have this order
	width, height int
	square        bool   // images are resized; else one of another size is an error
	sized         string // the path of the image that gave the size, if they are not
}

// decodedImages are the images of a job that could be decoded.
type decodedImages struct {
	x         []byte
	rows      []int    // of the names, those that x has
	skipped   []string // the others, with reasons
	encodings []string // in capitals, sorted
}

func (j imageJob) bytes() int { return 3 * j.width * j.height }

// maxRead bounds the bytes of files that wait to be decoded.
const maxRead = 2 * maxMember

// decode reads the images: one goroutine reads the source, one per core decodes.
func (j imageJob) decode(ctx context.Context, s source, opt Options) (decodedImages, error) {
	dec := decoder{
		job: j, place: make(map[string]int, len(j.names)), x: make([]byte, len(j.names)*j.bytes()),
		progress: opt.Progress, bad: map[int]string{}, encodings: map[string]bool{},
	}
	for k, name := range j.names {
		dec.place[name] = k
	}
	type file struct {
		place   int
		raw     []byte
		problem error
	}
	read := make(chan file, 4*runtime.GOMAXPROCS(0))
	room := semaphore.NewWeighted(maxRead)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(guard.Func(func() error {
		defer close(read)
		return s.walk(func(m member) error {
			place, ok := dec.place[m.name]
			if !ok {
				return ctx.Err()
			}
			f := file{place: place}
			var bad unreadable
			err := room.Acquire(ctx, min(m.size, maxMember))
			if err != nil {
				return err
			}
			if f.raw, err = m.read(); errors.As(err, &bad) {
				room.Release(min(m.size, maxMember))
				f.problem = bad.error
			} else if err != nil {
				return err
			}
			select {
			case read <- f:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}))
	for range runtime.GOMAXPROCS(0) {
		group.Go(guard.Func(func() error {
			squares := squarer{side: j.width}
			for f := range read {
				err := dec.image(f.place, f.raw, f.problem, &squares)
				room.Release(int64(len(f.raw)))
				if err != nil {
					return fmt.Errorf("%s: %w", s.path, err)
				}
			}
			return nil
		}))
	}
	if err := group.Wait(); err != nil {
		return decodedImages{}, err
	}
	if dec.done != len(j.names) {
		return decodedImages{}, fmt.Errorf("%s: %d images, and a moment ago %d: it changes while it is read", s.path, dec.done, len(j.names))
	}
	return dec.close(), nil
}

// decoder gathers what the goroutines decode.
type decoder struct {
	job      imageJob
	place    map[string]int // by path
	x        []byte         // each image's pixels are written by one goroutine
	progress func(what string, done, total int)

	mu        sync.Mutex // guards what follows, and is held for progress
	done      int
	bad       map[int]string // why, by place
	encodings map[string]bool
}

// image decodes one image into its place. It is an error if the image has another size
// than the job's and is not to be resized; one with a problem is recorded.
func (dec *decoder) image(place int, raw []byte, problem error, squares *squarer) error {
	j := dec.job
	planes := dec.x[place*j.bytes():][:j.bytes()]
	encoding := ""
	if problem != nil {
		// There is nothing to decode.
	} else if j.square {
		problem = squares.decode(planes, raw)
	} else if w, h, err := imageSize(raw); err != nil {
		problem = err
	} else if w != j.width || h != j.height {
		return fmt.Errorf("images differ in size: %s has %d x %d pixels and %s %d x %d", j.sized, j.width, j.height, j.names[place], w, h)
	} else {
		encoding, problem = decodeInto(planes, raw)
	}
	dec.mu.Lock()
	defer dec.mu.Unlock()
	dec.done++
	if problem != nil {
		dec.bad[place] = problem.Error()
	} else if encoding != "" {
		dec.encodings[strings.ToUpper(encoding)] = true
	}
	if dec.progress != nil {
		dec.progress("decoding images", dec.done, len(j.names))
	}
	return nil
}

// close closes the gaps that bad images left.
func (dec *decoder) close() decodedImages {
	size := dec.job.bytes()
	d := decodedImages{encodings: slices.Sorted(maps.Keys(dec.encodings))}
	for k, name := range dec.job.names {
		if why, bad := dec.bad[k]; bad {
			d.skipped = append(d.skipped, name+": "+why)
			continue
		}
		if to := len(d.rows); to < k {
			copy(dec.x[to*size:(to+1)*size], dec.x[k*size:])
		}
		d.rows = append(d.rows, k)
	}
	d.x = dec.x[:len(d.rows)*size]
	slices.Sort(d.skipped)
	return d
}

// maxSide and maxArea bound the allocation for a damaged header.
const (
	maxSide = 1 << 15
	maxArea = 1 << 26
)

func imageSize(raw []byte) (width, height int, err error) {
	c, _, err := image.DecodeConfig(bytes.NewReader(raw))
	if err == nil && (c.Width < 1 || c.Height < 1 || c.Width > maxSide || c.Height > maxSide || c.Width*c.Height > maxArea) {
		err = fmt.Errorf("%d x %d pixels by its header, want at most %d million", c.Width, c.Height, maxArea>>20)
	}
	return c.Width, c.Height, err
}

// decodeImage decodes an image of the size that its header has. Of an animation it is
// the first picture, which may be a part of that size; the rest is black.
func decodeImage(raw []byte, width, height int) (image.Image, string, error) {
	img, encoding, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, "", err
	}
	if whole := image.Rect(0, 0, width, height); img.Bounds() != whole {
		canvas := image.NewNRGBA(whole)
		draw.Draw(canvas, whole, img, image.Point{}, draw.Src)
		img = canvas
	}
	return img, encoding, nil
}

// decodeInto writes the red, green and blue values of an image one plane after
// the other, and returns the image's encoding.
func decodeInto(planes, raw []byte) (encoding string, err error) {
	width, height, err := imageSize(raw)
	if err != nil {
		return "", err
	}
	img, encoding, err := decodeImage(raw, width, height)
	if err != nil {
		return "", err
	}
	b := img.Bounds()
	n := width * height
	red, green, blue := planes[:n], planes[n:2*n], planes[2*n:]
	k := 0
	if photo, ok := img.(*image.YCbCr); ok { // JPEG: several times faster than what follows
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				i, j := photo.YOffset(x, y), photo.COffset(x, y)
				red[k], green[k], blue[k] = color.YCbCrToRGB(photo.Y[i], photo.Cb[j], photo.Cr[j])
				k++
			}
		}
		return encoding, nil
	}
	// Not premultiplied, so that dropping alpha leaves the colour as it was.
	plain := image.NewNRGBA(b)
	draw.Draw(plain, b, img, b.Min, draw.Src)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			at := plain.PixOffset(x, y)
			red[k], green[k], blue[k] = plain.Pix[at], plain.Pix[at+1], plain.Pix[at+2]
			k++
		}
	}
	return encoding, nil
}
