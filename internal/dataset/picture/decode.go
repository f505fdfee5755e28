package picture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"image"
	"image/draw"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"runtime"
	"sync"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/guard"
	"github.com/losscorr/losscorr/internal/humanize"
	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// Job is images of a source to decode to one size.
type Job struct {
	Names         []string // paths, in the order of the pixels
	Width, Height int
	Square        bool   // resize images; else another size is an error
	Sized         string // the path of the image that set the size, if Square is false
}

// Decoded is the result of a job.
type Decoded struct {
	X       []byte
	Rows    []int             // places in Names of the decoded images
	Skipped []dataset.Skipped // the others, sorted by name
}

// Bytes returns the size of a decoded image.
func (j Job) Bytes() int { return 3 * j.Width * j.Height }

// maxRead is the largest total size of files that wait to be decoded.
const maxRead = 2 * archive.MaxMember

// Decode reads images one after the other, and decodes one per core at a time.
func (j Job) Decode(ctx context.Context, s archive.Container, opt dataset.Options) (Decoded, error) {
	place := make(map[string]int, len(j.Names))
	for k, name := range j.Names {
		place[name] = k
	}
	x, size := make([]byte, len(j.Names)*j.Bytes()), j.Bytes()
	problems, done := make([]error, len(j.Names)), 0
	var counting sync.Mutex
	room := semaphore.NewWeighted(maxRead)
	squarers := sync.Pool{New: func() any { return &Squarer{Side: j.Width} }}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	err := s.Walk(func(m archive.Member) error {
		k, ok := place[m.Name]
		if !ok {
			return ctx.Err()
		}
		weight := min(m.Size, archive.MaxMember)
		if err := room.Acquire(ctx, weight); err != nil {
			return err
		}
		f, err := read(m)
		if err != nil {
			return err
		}
		group.Go(guard.Func(func() (err error) {
			defer room.Release(weight)
			squares := squarers.Get().(*Squarer)
			defer squarers.Put(squares)
			if problems[k], err = j.decode(x[k*size:(k+1)*size], f, squares); err != nil {
				return fmt.Errorf("%s: images differ in size: %w", s.Path, err)
			}
			counting.Lock()
			defer counting.Unlock()
			done++
			if opt.Progress != nil {
				opt.Progress("decoding images", done, len(j.Names))
			}
			return nil
		}))
		return nil
	})
	if failed := group.Wait(); failed != nil {
		err = failed
	}
	if err == nil && done != len(j.Names) {
		err = fmt.Errorf("%s changed while it was read: it has %d images, and had %d", s.Path, done, len(j.Names))
	}
	if err != nil {
		return Decoded{}, err
	}
	return j.close(x, problems), nil
}

// encoded is an image before decoding.
type encoded struct {
	name    string
	raw     []byte
	image   image.Image // instead of raw
	problem error
}

func read(m archive.Member) (f encoded, err error) {
	f = encoded{name: m.Name, problem: m.Unreadable()}
	switch {
	case f.problem != nil: // nothing to read
	case m.Image != nil:
		f.image, f.problem = m.Image()
	default:
		f.raw, err = m.Read()
	}
	return f, err
}

// decode writes the planes of an image. problem is why it is broken. An image of another size is an error, unless it
// is to be resized.
func (j Job) decode(planes []byte, f encoded, squares *Squarer) (problem, err error) {
	switch {
	case f.problem != nil:
		return f.problem, nil
	case j.Square && f.image != nil:
		squares.Square(planes, f.image)
		return nil, nil
	case j.Square:
		return squares.Decode(planes, f.raw), nil
	case f.image == nil:
		if f.image, problem = Decode(f.raw); problem != nil {
			return problem, nil
		}
	}
	if size := f.image.Bounds().Size(); size != image.Pt(j.Width, j.Height) {
		return nil, fmt.Errorf("%s has %d x %d pixels, but %s has %d x %d", j.Sized, j.Width, j.Height, f.name, size.X,
			size.Y)
	}
	WritePlanes(planes, f.image)
	return nil, nil
}

// close closes the gaps of broken images.
func (j Job) close(x []byte, problems []error) (d Decoded) {
	size := j.Bytes()
	for k, name := range j.Names {
		if problems[k] != nil {
			d.Skipped = append(d.Skipped, dataset.Skipped{Name: name, Why: problems[k].Error()})
			continue
		}
		if to := len(d.Rows); to < k {
			copy(x[to*size:(to+1)*size], x[k*size:])
		}
		d.Rows = append(d.Rows, k)
	}
	d.X = x[:len(d.Rows)*size]
	dataset.SortSkipped(d.Skipped)
	return d
}

// maxSide and maxArea limit the memory that a damaged header can claim.
const (
	maxSide = 1 << 15
	maxArea = 1 << 26
)

// Size returns the size of an image after its EXIF turn, from its header, or an error if it is too large to decode.
// raw may be only the beginning of the file.
func Size(raw []byte) (width, height int, err error) {
	c, _, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return 0, 0, explained(raw, err)
	}
	if sideways(orientationOf(raw)) {
		c.Width, c.Height = c.Height, c.Width
	}
	if c.Width < 1 || c.Height < 1 || c.Width > maxSide || c.Height > maxSide || c.Width*c.Height > maxArea {
		err = fmt.Errorf("its header claims %d x %d pixels: want at most %s, and %s on a side", c.Width, c.Height,
			humanize.Number(maxArea), humanize.Number(maxSide))
	}
	return c.Width, c.Height, err
}

// decodeImage decodes an image of the size returned by Size, and applies its EXIF turn. For an animation it is the
// first picture, which may cover only a part; the rest is black.
func decodeImage(raw []byte, width, height int) (image.Image, error) {
	img, err := decodeUsual(raw)
	if err != nil {
		return nil, explained(raw, err)
	}
	stretch(img)
	turned := orientationOf(raw)
	if sideways(turned) {
		width, height = height, width
	}
	if whole := image.Rect(0, 0, width, height); img.Bounds() != whole {
		canvas := image.NewNRGBA(whole)
		draw.Draw(canvas, whole, img, image.Point{}, draw.Src)
		img = canvas
	}
	return oriented(img, turned), nil
}

// Decode decodes an image, and applies its EXIF turn.
func Decode(raw []byte) (image.Image, error) {
	width, height, err := Size(raw)
	if err != nil {
		return nil, err
	}
	return decodeImage(raw, width, height)
}

// WritePlanes writes the red, green and blue values of an image one plane after the other.
func WritePlanes(planes []byte, img image.Image) {
	values := colours(img)
	n := len(values) / 4
	for k := range n {
		planes[k], planes[n+k], planes[2*n+k] = values[4*k], values[4*k+1], values[4*k+2]
	}
}

// colours returns the red, green, blue and alpha values of each pixel, not premultiplied, so that dropping alpha does
// not change the colour.
func colours(img image.Image) []byte {
	b := img.Bounds()
	switch m := img.(type) { // these are several times faster
	case *image.YCbCr, *image.Gray:
		rgba := image.NewRGBA(b)
		draw.Draw(rgba, b, img, b.Min, draw.Src)
		return rgba.Pix
	case *image.NRGBA:
		if m.Opaque() && len(m.Pix) == 4*b.Dx()*b.Dy() {
			return m.Pix
		}
	}
	plain := image.NewNRGBA(b)
	draw.Draw(plain, b, img, b.Min, draw.Src)
	return plain.Pix
}

// Key returns the cache key of a job's pixels, which does not depend on labels.
func (j Job) Key(s archive.Container) (string, error) {
	content, err := s.Fingerprint()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintln(h, "turned by EXIF, 16 bits stretched", content, j.Width, j.Height, j.Square)
	for _, name := range j.Names {
		fmt.Fprintf(h, "%q\n", name)
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
