package dataset

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg"
	_ "image/png"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// decode reads the images: one goroutine reads the source, one per core decodes.
func (l *imageList) decode(s source, opt Options) (*Dataset, error) {
	dec := decoder{list: l, progress: opt.Progress, bad: map[string]string{}, encodings: map[string]bool{}}
	for split, files := range l.files {
		dec.x[split] = make([]byte, len(files)*3*l.width*l.height)
	}
	type job struct {
		name string
		raw  []byte
	}
	jobs := make(chan job, 4*runtime.GOMAXPROCS(0))
	group, ctx := errgroup.WithContext(context.Background())
	group.Go(func() error {
		defer close(jobs)
		return s.walk(func(m member) error {
			if _, ok := l.place[m.name]; !ok {
				return nil
			}
			raw, err := m.read()
			if err != nil {
				return err
			}
			select {
			case jobs <- job{m.name, raw}:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	})
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			for j := range jobs {
				if err := dec.image(j.name, j.raw); err != nil {
					return fmt.Errorf("%s: %w", s.path, err)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if dec.done != len(l.place) {
		return nil, fmt.Errorf("%s: %d images, and a moment ago %d: it changes while it is read", s.path, dec.done, len(l.place))
	}
	return dec.dataset(s, opt.MaxBad)
}

// decoder gathers what the goroutines decode.
type decoder struct {
	list     *imageList
	x        [2][]byte // each image's pixels are written by one goroutine
	progress func(what string, done, total int)

	mu        sync.Mutex // guards what follows, and is held for progress
	done      int
	bad       map[string]string // why, by path
	encodings map[string]bool
}

// image decodes one image into its place. It is an error if the image has another size;
// one that cannot be decoded is recorded.
func (dec *decoder) image(name string, raw []byte) error {
	l := dec.list
	encoding, problem := "", error(nil)
	if w, h, err := imageSize(raw); err != nil {
		problem = err
	} else if w != l.width || h != l.height {
		return fmt.Errorf("images differ in size: %s has %d x %d pixels and %s %d x %d", l.sized, l.width, l.height, name, w, h)
	} else {
		at, size := l.place[name], 3*w*h
		encoding, problem = decodeInto(dec.x[at.split][at.index*size:][:size], raw)
	}
	dec.mu.Lock()
	defer dec.mu.Unlock()
	dec.done++
	if problem != nil {
		dec.bad[name] = problem.Error()
	} else {
		dec.encodings[strings.ToUpper(encoding)] = true
	}
	if dec.progress != nil {
		dec.progress("decoding images", dec.done, len(l.place))
	}
	return nil
}

// dataset closes the gaps that bad images left.
func (dec *decoder) dataset(s source, maxBad int) (*Dataset, error) {
	l := dec.list
	d := &Dataset{Classes: l.classes, Variant: strings.Join(slices.Sorted(maps.Keys(dec.encodings)), " and ")}
	for _, name := range slices.Sorted(maps.Keys(dec.bad)) {
		d.Skipped = append(d.Skipped, name+": "+dec.bad[name])
	}
	if err := tooManyBad(s, d.Skipped, maxBad); err != nil {
		return nil, err
	}
	for split, to := range []*Split{&d.Train, &d.Test} {
		all := Split{X: dec.x[split], Shape: []int{3, l.height, l.width}, Labels: l.labels[split]}
		kept := 0
		for k, name := range l.files[split] {
			if _, bad := dec.bad[name]; bad {
				continue
			}
			if kept < k {
				copy(all.Example(kept), all.Example(k))
				all.Labels[kept] = all.Labels[k]
			}
			kept++
		}
		all.X, all.Labels = all.X[:kept*all.size()], all.Labels[:kept]
		if class := all.lacks(len(l.classes)); class >= 0 {
			return nil, fmt.Errorf("%s: not one image of class %q in %s decodes", s.path, l.classes[class], splits[split])
		}
		*to = all
	}
	return d, nil
}

// maxSide bounds the allocation for a damaged header.
const maxSide = 1 << 13

func imageSize(raw []byte) (width, height int, err error) {
	c, _, err := image.DecodeConfig(bytes.NewReader(raw))
	if err == nil && (c.Width < 1 || c.Height < 1 || c.Width > maxSide || c.Height > maxSide) {
		err = fmt.Errorf("%d x %d pixels by its header", c.Width, c.Height)
	}
	return c.Width, c.Height, err
}

// decodeInto writes the red, green and blue values of an image one plane after
// the other, and returns the image's encoding.
func decodeInto(planes, raw []byte) (encoding string, err error) {
	img, encoding, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return "", err
	}
	b := img.Bounds()
	n := b.Dx() * b.Dy()
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
